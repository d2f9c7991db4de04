package contract

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/net/http/httpguts"
)

// draft is a request that is being put together.
type draft struct {
	operation   *Operation
	path        map[string]string // escaped, by the name of the parameter
	query       []string          // escaped, as they stand between the ampersands
	header      http.Header
	cookies     []string
	body        []byte
	contentType string
}

func newDraft(o *Operation) *draft {
	return &draft{operation: o, path: map[string]string{}, header: http.Header{}}
}

// framing are header fields that belong to the connection, not to the caller.
var framing = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// parameter writes a value the way the parameter says.
func (d *draft) parameter(p *openapi3.Parameter, value any) error {
	how, err := encodingOf(p)
	if err != nil {
		return err
	}
	switch p.In {
	case openapi3.ParameterInPath:
		text, err := how.path(p.Name, value)
		if err != nil {
			return err
		}
		d.path[p.Name] = text
	case openapi3.ParameterInQuery:
		pairs, err := how.query(p.Name, value)
		if err != nil {
			return err
		}
		d.query = append(d.query, pairs...)
	case openapi3.ParameterInHeader:
		name := http.CanonicalHeaderKey(p.Name)
		text, err := how.header(value)
		switch {
		case err != nil:
			return err
		case !httpguts.ValidHeaderFieldName(p.Name) || slices.Contains(framing, name):
			return errors.New("is a header field that a caller cannot set")
		case !httpguts.ValidHeaderFieldValue(text):
			return errors.New("has a value that a header field cannot hold")
		}
		d.header.Set(name, text)
	case openapi3.ParameterInCookie:
		pairs, err := how.query(p.Name, value)
		if err != nil {
			return err
		}
		d.cookies = append(d.cookies, pairs...)
	default:
		return fmt.Errorf("stands in %q, which is not known", p.In)
	}
	return nil
}

// request puts everything in its place.
func (d *draft) request() (Request, error) {
	path, err := d.fill(d.operation.Template)
	if err != nil {
		return Request{}, err
	}
	path = d.operation.base + path
	if path == "" {
		path = "/"
	}
	if len(d.query) > 0 {
		path += "?" + strings.Join(d.query, "&")
	}
	if len(d.cookies) > 0 {
		d.header.Set("Cookie", strings.Join(d.cookies, "; "))
	}
	return Request{Path: path, Header: d.header, Body: d.body, ContentType: d.contentType}, nil
}

// fill puts the path parameters into a path.
func (d *draft) fill(template string) (string, error) {
	var b strings.Builder
	for rest := template; rest != ""; {
		literal, after, found := strings.Cut(rest, "{")
		b.WriteString(escapeLiteral(literal))
		if !found {
			break
		}
		name, next, ok := strings.Cut(after, "}")
		if !ok {
			return "", errors.New("its path has a brace without an end")
		}
		b.WriteString(d.path[name])
		rest = next
	}
	for segment := range strings.SplitSeq(b.String(), "/") {
		if segment == "." || segment == ".." {
			return "", errors.New("its path has a segment of dots, which servers resolve: give an example of another value")
		}
	}
	return b.String(), nil
}
