package staging

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// items are what the sample sells.
var items = []string{"anchor", "beacon", "compass", "dinghy"}

// order is what the api answers.
type order struct {
	ID    string `json:"id"`
	Price price  `json:"price"`
}

// api takes orders. It has no cache, so that every answer depends on the engine.
type api struct {
	engine string
	client *http.Client
}

// newAPI returns the handler and what gives its connections to the engine back.
func newAPI(engineURL string) (http.Handler, func()) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // the engine is a neighbour
	transport.MaxIdleConnsPerHost = 256
	a := &api{engine: engineURL, client: &http.Client{Transport: transport, Timeout: engineTimeout}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /me", a.me)
	mux.HandleFunc("GET /orders", a.search)
	mux.HandleFunc("GET /orders/{id}", a.get)
	mux.HandleFunc("POST /orders", a.create)
	return mux, transport.CloseIdleConnections
}

func (a *api) me(w http.ResponseWriter, r *http.Request) {
	a.reply(r.Context(), w, http.StatusOK, items[0], func(p price) any {
		return map[string]any{"name": "sample", "favourite": p}
	})
}

func (a *api) search(w http.ResponseWriter, r *http.Request) {
	a.reply(r.Context(), w, http.StatusOK, items[0], func(p price) any {
		return []order{{ID: p.Item, Price: p}}
	})
}

func (a *api) get(w http.ResponseWriter, r *http.Request) {
	a.reply(r.Context(), w, http.StatusOK, r.PathValue("id"), func(p price) any {
		return order{ID: p.Item, Price: p}
	})
}

func (a *api) create(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		Item string `json:"item"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4<<10)).Decode(&wanted); err != nil || wanted.Item == "" {
		refuse(w, http.StatusBadRequest, "an order names an item")
		return
	}
	a.reply(r.Context(), w, http.StatusCreated, wanted.Item, func(p price) any {
		return order{ID: p.Item, Price: p}
	})
}

// reply asks the engine for the item's price and answers with what form makes of it.
func (a *api) reply(ctx context.Context, w http.ResponseWriter, status int, item string, form func(price) any) {
	p, err := a.price(ctx, item)
	if err != nil {
		refuse(w, http.StatusBadGateway, "the engine gave no price")
		return
	}
	answer(w, status, form(p))
}

func (a *api) price(ctx context.Context, item string) (price, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.engine+"/prices/"+url.PathEscape(item), nil)
	if err != nil {
		return price{}, fmt.Errorf("asking for the price: %w", err)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return price{}, fmt.Errorf("asking for the price: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return price{}, fmt.Errorf("asking for the price: the engine answered %d", response.StatusCode)
	}
	var p price
	if err := json.NewDecoder(http.MaxBytesReader(nil, response.Body, 4<<10)).Decode(&p); err != nil {
		return price{}, fmt.Errorf("reading the price: %w", err)
	}
	return p, nil
}
