package contract

import (
	"reflect"
	"testing"

	"github.com/inorbit-hr/reliability/examples/staging"
)

func sampleContract(t *testing.T, name string) *Contract {
	t.Helper()
	source, err := staging.Contracts.ReadFile("contracts/" + name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(source)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func requestsOf(t *testing.T, c *Contract, id string) []Request {
	t.Helper()
	o, ok := c.Operation(id)
	if !ok {
		t.Fatalf("no operation %s in %v", id, c.Operations())
	}
	requests, err := o.Requests()
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

func TestSampleContracts(t *testing.T) {
	api := sampleContract(t, "api.yaml")
	if got, want := api.Operations(), []string{"me", "orders.create", "orders.get", "orders.search"}; !reflect.DeepEqual(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
	for id, want := range map[string][]string{
		"me":            {"/me "},
		"orders.search": {"/orders?q=anchor "},
		"orders.get":    {"/orders/anchor ", "/orders/dinghy "},
		"orders.create": {`/orders {"item":"beacon"}`, `/orders {"item":"compass"}`},
	} {
		var got []string
		for _, r := range requestsOf(t, api, id) {
			got = append(got, r.Path+" "+string(r.Body))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: requests %q, want %q", id, got, want)
		}
	}
	engine := sampleContract(t, "engine.yaml")
	if got := requestsOf(t, engine, "prices.get"); len(got) != 1 || got[0].Path != "/prices/anchor" {
		t.Errorf("prices.get: %+v", got)
	}
}
