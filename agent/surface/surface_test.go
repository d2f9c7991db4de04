package surface_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/agent/contract"
	"github.com/inorbit-hr/reliability/agent/surface"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const document = `
openapi: 3.0.3
info: { title: sample, version: "1" }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
paths:
  /open:
    get:
      operationId: open
      responses:
        "200":
          description: it
          content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string } } } } }
  /guarded:
    get:
      operationId: guarded
      security: [{ bearer: [] }]
      responses:
        "200": { description: it }
        "404": { description: hidden from strangers }
`

// patient is a timeout that a test does not wait for.
const patient = 30 * time.Second

// check runs the check against a service; token is the connection's credential.
func check(t *testing.T, token string, timeout time.Duration, handler http.HandlerFunc) surface.Report {
	t.Helper()
	s := httptest.NewServer(handler)
	defer s.Close()
	c, err := contract.Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var operations []*contract.Operation
	for _, id := range c.Operations() {
		o, _ := c.Operation(id)
		operations = append(operations, o)
	}
	return surface.Check(t.Context(), surface.Connection{
		Base: base, Operations: operations, Credential: token, Timeout: timeout, Rate: 1e6,
	})
}

// service answers as declared, but for the path that other is given for.
func service(other map[string]http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if h, ok := other[r.URL.Path]; ok {
			h(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"name":"anchor"}`)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func TestAServiceThatKeepsItsContract(t *testing.T) {
	r := check(t, "right", patient, service(nil))
	if len(r.Findings) > 0 || len(r.Unknown) > 0 || r.Asked != 6 {
		t.Errorf("%+v, want six requests and nothing found", r)
	}
}

func TestFindings(t *testing.T) {
	secret := "a-secret-of-the-answer"
	for name, c := range map[string]struct {
		service http.HandlerFunc
		want    string
	}{
		"fails":       {service(map[string]http.HandlerFunc{"/open": status(503)}), "open fails with 503"},
		"undeclared":  {service(map[string]http.HandlerFunc{"/open": status(418)}), "open answers in another shape than declared"},
		"redirection": {service(map[string]http.HandlerFunc{"/open": status(302)}), "open answers in another shape than declared"},
		"other shape": {service(map[string]http.HandlerFunc{"/open": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"title":%q}`, secret)
		}}), "open answers in another shape than declared"},
		"refuses the known": {service(map[string]http.HandlerFunc{"/open": status(403)}), "open refuses the connection's own credential with 403"},
		"open to strangers": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"name":"anchor"}`)
		}, "guarded is open: asked without a credential it answers 200"},
		"fails for strangers": {func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer right" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			service(nil)(w, r)
		}, "guarded fails with 500 when it is asked with a wrong credential"},
		"silent": {service(map[string]http.HandlerFunc{"/open": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}),
			"open: no whole answer within 200ms"},
		"too long": {service(map[string]http.HandlerFunc{"/open": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 5<<20))
		}}), "open: the answer is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			timeout := patient
			if name == "silent" {
				timeout = 200 * time.Millisecond
			}
			r := check(t, "right", timeout, c.service)
			if !slices.ContainsFunc(r.Findings, func(f string) bool { return strings.HasPrefix(f, c.want) }) {
				t.Errorf("%+v, want %q", r, c.want)
			}
			for _, f := range r.Findings {
				if strings.Contains(f, secret) || strings.Contains(f, "127.0.0.1") {
					t.Errorf("a finding tells what it must not: %s", f)
				}
			}
		})
	}
}

func TestADeclaredRefusal(t *testing.T) {
	r := check(t, "right", patient, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		service(nil)(w, r)
	})
	// guarded declares 404, open does not.
	if len(r.Findings) != 2 || !strings.HasPrefix(r.Findings[0], "open answers 404") {
		t.Errorf("%+v, want findings about open alone", r)
	}
}

func TestWhatCannotBeKnown(t *testing.T) {
	r := check(t, "", patient, service(nil))
	if len(r.Unknown) != 1 || !strings.HasPrefix(r.Unknown[0], "guarded needs a credential") {
		t.Errorf("%+v, want it said that guarded was not checked", r)
	}
	base := &url.URL{Scheme: "http", Host: "service.invalid"}
	if r := surface.Check(t.Context(), surface.Connection{Base: base, Timeout: time.Second, Rate: 1}); len(r.Unknown) != 1 {
		t.Errorf("%+v, want an empty contract to prove nothing", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := contract.Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	open, _ := c.Operation("open")
	r = surface.Check(ctx, surface.Connection{Base: base, Operations: []*contract.Operation{open}, Timeout: time.Second, Rate: 1})
	if len(r.Unknown) != 1 || len(r.Findings) != 0 {
		t.Errorf("%+v, want a cancelled check to find nothing and to say so", r)
	}
}
