package fault

import (
	"net"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario"
)

// step is one thing that a side does, and that the other side must see exactly so.
type step struct {
	by   string // client, service
	text string // sent by it; empty: it ends its side
}

func client(text string) step { return step{"client", text} }
func answer(text string) step { return step{"service", text} }

// Every conversation is passed on byte for byte, whether or not requests are looked at.
var conversations = []struct {
	name  string
	steps []step
}{
	{"get with a length", []step{
		client("GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
	}},
	{"odd spelling and order of fields stay", []step{
		client("get /%7e//./x HTTP/1.1\r\nhOsT:x\r\nX-a:  1 \r\nx-A:\t2\r\nZ:\r\nX-Long: caf\xe9\r\n\r\n"),
		answer("HTTP/1.1 200 \r\nset-COOKIE: a\r\nSet-Cookie: b\r\ncontent-LENGTH: 2\r\n\r\nok"),
	}},
	{"keep-alive", []step{
		client("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"),
		client("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\n2"),
		client("POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
		client("GET /4 HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n4"),
	}},
	{"pipelined requests are answered in turn", []step{
		client("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nabGET /3 HTTP/1.1\r\nHost: x\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3"),
	}},
	{"head split anywhere", []step{
		client("G"), client("ET / HTTP/1.1\r"), client("\nHost: x\r\n\r"), client("\n"),
		answer("HTTP/1.1 20"), answer("0 OK\r\nContent-Length: 2\r\n\r"), answer("\no"), answer("k"),
	}},
	{"chunks both ways, with extensions and trailers", []step{
		client("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"),
		client("5;ext=\"v\"\r\nhello\r\n"), client("00A\r\n0123456789\r\n"), client("0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n3\r\nabc\r\n"), answer("2\r\n\r\n\r\n"),
		answer("0;last\r\nGrpc-Status: 0\r\n\r\n"),
		client("GET /next HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
	{"chunk framing split between bytes", []step{
		client("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1"), client("0\r"), client("\n0123456789abcde"), client("f\r"), client("\n0\r"), client("\n\r"), client("\n"),
		answer("HTTP/1.1 204 No Content\r\n\r\n"),
	}},
	{"expect 100-continue", []step{
		client("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"),
		answer("HTTP/1.1 100 Continue\r\n\r\n"),
		client("body"),
		answer("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
	{"expect 100-continue refused, body sent all the same", []step{
		client("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"),
		answer("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"),
		client("body"), client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
	{"interim answers", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		answer("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), answer("HTTP/1.1 102 Processing\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
	{"head has a length and no body", []step{
		client("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"),
		client("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
	}},
	{"204 and 304 have no body", []step{
		client("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 204 No Content\r\n\r\n"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
	}},
	{"connection close by the service", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nup to the "), answer("end"), answer(""),
	}},
	{"HTTP/1.0", []step{
		client("GET / HTTP/1.0\r\n\r\n"), answer("HTTP/1.0 200 OK\r\n\r\nold"), answer(""),
	}},
	{"half-close by the client", []step{
		client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"), client(""),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlate!"), answer(""),
	}},
	{"half-close by the client in a body", []step{
		client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\nab"), client(""),
		answer("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), answer(""),
	}},
	{"upgrade to another protocol", []step{
		client("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
		answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x02hi"),
		client("\x00\xff\r\n\r\nGET \x00"), answer("\x81\x01!"), client("\x88"), client(""), answer("bye"), answer(""),
	}},
	{"upgrade, and the service ends first", []step{
		client("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
		answer("HTTP/1.1 101 Switching Protocols\r\n\r\n"), answer("x"), answer(""), client("still here"), client(""),
	}},
	{"upgrade declined", []step{
		client("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"),
		client("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
	{"connect", []step{
		client("CONNECT db:5432 HTTP/1.1\r\nHost: db:5432\r\n\r\n"), answer("HTTP/1.1 200 OK\r\n\r\n"),
		client("\x16\x03\x01"), answer("\x16\x03\x03"), client(""), answer(""),
	}},
	{"events are passed on as they come", []step{
		client("GET /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
		answer("data: 1\n\n"), answer("data: 2\n\n"), answer(": ping\n\n"), answer(""),
	}},
	{"an answer that is not HTTP", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("\x00\x01garbage\nHTTP/1.1 200"), answer("more"), answer(""),
	}},
	{"an answer with a broken head", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), answer(""),
	}},
	{"an answer with broken chunks", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc"), answer("def"), answer(""),
	}},
	{"an answer cut off in its head", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nConten"), answer(""),
	}},
	{"an answer cut off in its body", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), answer(""),
	}},
	{"an answer that nobody asked for", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
		answer("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"), answer(""),
	}},
	{"the service closes an idle connection", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), answer(""),
	}},
	{"an early answer while the body still comes", []step{
		client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc"),
		answer("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), client("def"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
	{"a head of 200 KB", []step{
		client("GET / HTTP/1.1\r\nHost: x\r\nX-Big: " + strings.Repeat("b", 200<<10) + "\r\n\r\n"),
		answer("HTTP/1.1 200 OK\r\nX-Big: " + strings.Repeat("c", 200<<10) + "\r\nContent-Length: 1\r\n\r\nx"),
		client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	}},
}

func TestConversationsArePassedOnByteForByte(t *testing.T) {
	modes := map[string]func(*Proxy){
		"passed through": func(*Proxy) {},
		"parsed":         func(p *Proxy) { p.Prepare(scenario.FaultErrors) },
	}
	for mode, prepare := range modes {
		for _, conv := range conversations {
			t.Run(mode+"/"+conv.name, func(t *testing.T) {
				s := newService(t)
				p := newProxy(t, s.url("http"), nil)
				prepare(p)
				converse(t, p.connect(t), s, conv.steps)
			})
		}
	}
}

func converse(t *testing.T, c *net.TCPConn, s *service, steps []step) {
	t.Helper()
	// What a client has sent may stay with the proxy while it is part of a head.
	var up *net.TCPConn
	held := ""
	for i, st := range steps {
		from, to := c, up
		if st.by == "service" {
			from, to = up, c
		}
		if st.text == "" {
			if err := from.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			receive(t, to, held)
			held = ""
			receiveEnd(t, to)
			continue
		}
		send(t, from, st.text)
		held += st.text
		if next := i + 1; next < len(steps) && steps[next].by == st.by && inHead(held) {
			continue
		}
		if to == nil {
			up = s.accept()
			to = up
		}
		receive(t, to, held)
		held = ""
	}
}

// inHead reports whether a message's head is not complete.
func inHead(text string) bool {
	start := strings.HasPrefix(text, "G") || strings.HasPrefix(text, "HTTP/1.1")
	return start && !strings.Contains(text, "\r\n\r\n")
}
