package fault

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario"
)

// A service behind TLS is reached in plain text through the proxy.
func TestTLSBehindTheProxy(t *testing.T) {
	for _, parsed := range []bool{false, true} {
		for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, r.Proto)
			}))
			srv.EnableHTTP2 = true
			srv.StartTLS()
			u, err := url.Parse(srv.URL)
			if err != nil {
				t.Fatal(err)
			}
			p := newProxy(t, u, nil)
			p.upstream.tls.RootCAs = x509.NewCertPool()
			p.upstream.tls.RootCAs.AddCert(srv.Certificate())
			if parsed {
				p.Prepare(scenario.FaultErrors)
			}
			c := &http.Client{}
			if version == "HTTP/2.0" {
				c = h2Client(t)
			}
			res, err := c.Get("http://" + p.Addr().String())
			if err != nil {
				t.Errorf("parsed %v, %s: %v", parsed, version, err)
			} else {
				got, err := io.ReadAll(res.Body)
				if string(got) != version || err != nil {
					t.Errorf("parsed %v, %s: the service saw %q, %v", parsed, version, got, err)
				}
				_ = res.Body.Close()
			}
			c.CloseIdleConnections()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			srv.Close()
		}
	}
}

func TestTLSThatIsNotTrusted(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = quiet()
	srv.StartTLS()
	defer srv.Close()
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, u, nil)
	if proof := prove(t, p); !proof.Proved || !strings.Contains(proof.Note, "certificate that is not trusted") {
		t.Errorf("%+v", proof)
	}
}
