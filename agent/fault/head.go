package fault

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// maxHead is the largest head of a message, in bytes: what net/http takes by default
// (http.DefaultMaxHeaderBytes), so that the proxy refuses nothing that the service
// behind it is likely to take.
const maxHead = http.DefaultMaxHeaderBytes

// refusal is why a request is not passed on. A request whose end the proxy and the
// service could find at different places would let one request hide in another.
type refusal struct {
	status int
	reason string
}

func malformed(reason string) *refusal { return &refusal{http.StatusBadRequest, reason} }

// head is what a message's head says about its framing.
type head struct {
	method   string // of a request
	status   int    // of a response
	oldHTTP  bool   // HTTP/1.0
	chunked  bool
	length   int64 // -1 where the head names none
	close    bool  // Connection: close
	upgrade  bool  // asks for another protocol, or for a tunnel
	expect   bool  // Expect: 100-continue
	encoding bool  // a transfer encoding other than chunked alone
}

// headEnd returns the length of the head that p begins with, empty lines before it
// included; 0 while it is not complete. from is how far p was searched before.
func headEnd(p []byte, from int) (int, *refusal) {
	lead := emptyLines(p)
	if rest := p[lead:]; len(rest) > 0 && !token[rest[0]] && (rest[0] != '\r' || len(rest) > 1) {
		return 0, malformed("not HTTP")
	}
	for i := max(from, lead); i < len(p); {
		n := bytes.IndexByte(p[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		if i == 0 || p[i-1] != '\r' {
			return 0, malformed("a line of the head does not end in CR LF")
		}
		if i-lead >= 3 && p[i-2] == '\n' {
			return i + 1, nil
		}
		i++
	}
	if len(p) >= maxHead {
		return 0, &refusal{http.StatusRequestHeaderFieldsTooLarge, "the head is longer than " + strconv.Itoa(maxHead) + " bytes"}
	}
	return 0, nil
}

// emptyLines is the length of the empty lines that p begins with, which RFC 9112,
// section 2.2, has a server ignore before a request.
func emptyLines(p []byte) int {
	n := 0
	for len(p) >= n+2 && p[n] == '\r' && p[n+1] == '\n' {
		n += 2
	}
	return n
}

// parseRequest reads the head of a request; raw ends with the empty line.
func parseRequest(raw []byte) (head, *refusal) {
	raw = raw[emptyLines(raw):]
	line, fields, _ := bytes.Cut(raw, []byte("\r\n"))
	method, rest, ok := bytes.Cut(line, []byte(" "))
	target, version, ok2 := bytes.Cut(rest, []byte(" "))
	if !ok || !ok2 || !allToken(method) || len(target) == 0 || hasControl(target) {
		return head{}, malformed("the request line is not METHOD TARGET VERSION")
	}
	h := head{method: methodName(method), length: -1}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		h.oldHTTP = true
	default:
		if !bytes.HasPrefix(version, []byte("HTTP/")) {
			return head{}, malformed("the request line is not METHOD TARGET VERSION")
		}
		return head{}, &refusal{http.StatusHTTPVersionNotSupported, "a version other than HTTP/1.0 or HTTP/1.1"}
	}
	if why := h.readFields(fields); why != "" {
		return head{}, malformed(why)
	}
	switch {
	case h.encoding:
		return head{}, &refusal{http.StatusNotImplemented, "a transfer encoding other than chunked"}
	case h.chunked && h.length >= 0:
		return head{}, malformed("Content-Length beside Transfer-Encoding")
	case h.chunked && h.oldHTTP:
		return head{}, malformed("Transfer-Encoding in HTTP/1.0")
	}
	h.upgrade = h.upgrade || h.method == http.MethodConnect
	return h, nil
}

// parseResponse reads the head of a response; ok is false for what is not HTTP/1.
func parseResponse(raw []byte) (h head, ok bool) {
	line, fields, _ := bytes.Cut(raw, []byte("\r\n"))
	const status = len("HTTP/1.1 200")
	if len(line) < status || string(line[:7]) != "HTTP/1." || line[8] != ' ' {
		return head{}, false
	}
	if len(line) > status && line[status] != ' ' {
		return head{}, false
	}
	code, err := strconv.ParseUint(string(line[9:status]), 10, 16)
	if err != nil || code < 100 {
		return head{}, false
	}
	h = head{status: int(code), oldHTTP: line[7] == '0', length: -1}
	return h, h.readFields(fields) == ""
}

// readFields reads header fields up to the empty line, and says what is wrong.
func (h *head) readFields(p []byte) (why string) {
	for {
		line, rest, ok := bytes.Cut(p, []byte("\r\n"))
		if !ok || len(line) == 0 {
			return ""
		}
		p = rest
		colon := bytes.IndexByte(line, ':')
		if colon <= 0 || !allToken(line[:colon]) {
			return "a header field is not NAME: VALUE"
		}
		if hasBadByte(line[colon+1:]) {
			return "a header field holds a control character"
		}
		if why := h.readField(line[:colon], bytes.Trim(line[colon+1:], " \t")); why != "" {
			return why
		}
	}
}

func (h *head) readField(name, value []byte) (why string) {
	switch len(name) { // most fields are told apart by their length
	case len("Expect"):
		if is(name, "Expect") {
			h.expect = true
		}
	case len("Upgrade"):
		if is(name, "Upgrade") {
			h.upgrade = true
		}
	case len("Connection"):
		if is(name, "Connection") {
			h.close = h.close || hasOption(value, "close")
		}
	case len("Content-Length"):
		if is(name, "Content-Length") {
			return h.readLength(value)
		}
	case len("Transfer-Encoding"):
		if is(name, "Transfer-Encoding") {
			h.encoding = h.encoding || h.chunked || !is(value, "chunked")
			h.chunked = is(value, "chunked") || hasSuffixOption(value, "chunked")
		}
	}
	return ""
}

func (h *head) readLength(value []byte) (why string) {
	if h.length >= 0 {
		return "more than one Content-Length"
	}
	if len(value) == 0 || len(value) > 18 {
		return "a Content-Length that is not a number of bytes"
	}
	h.length = 0
	for _, b := range value {
		if b < '0' || b > '9' {
			return "a Content-Length that is not a number of bytes"
		}
		h.length = 10*h.length + int64(b-'0')
	}
	return ""
}

// responseBody says how the body of a response to method is framed (RFC 9112,
// section 6.3).
func (h *head) responseBody(method string) body {
	switch {
	case method == http.MethodHead, h.status < 200, h.status == http.StatusNoContent, h.status == http.StatusNotModified:
		return body{kind: bodyNone}
	case h.chunked:
		return body{kind: bodyChunked}
	case h.encoding, h.length < 0:
		return body{kind: bodyToEnd}
	}
	return body{kind: bodyLength, left: h.length}
}

func (h *head) requestBody() body {
	switch {
	case h.chunked:
		return body{kind: bodyChunked}
	case h.length > 0:
		return body{kind: bodyLength, left: h.length}
	}
	return body{kind: bodyNone}
}

// methodName avoids an allocation for the methods that are common.
func methodName(b []byte) string {
	for _, m := range [...]string{
		http.MethodGet, http.MethodPost, http.MethodPut, http.MethodHead,
		http.MethodDelete, http.MethodPatch, http.MethodOptions, http.MethodConnect,
	} {
		if string(b) == m {
			return m
		}
	}
	return string(b)
}

func is(b []byte, s string) bool { return len(b) == len(s) && strings.EqualFold(string(b), s) }

// hasOption looks for a word in a list with commas.
func hasOption(value []byte, word string) bool {
	for part := range bytes.SplitSeq(value, []byte(",")) {
		if is(bytes.Trim(part, " \t"), word) {
			return true
		}
	}
	return false
}

// hasSuffixOption looks for a word at the end of a list with commas.
func hasSuffixOption(value []byte, word string) bool {
	i := bytes.LastIndexByte(value, ',')
	return i >= 0 && is(bytes.Trim(value[i+1:], " \t"), word)
}

// token holds the bytes that may stand in a method or in a field's name (RFC 9110,
// section 5.6.2).
var token = func() (t [256]bool) {
	for _, b := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[b] = true
	}
	return t
}()

func allToken(p []byte) bool {
	for _, b := range p {
		if !token[b] {
			return false
		}
	}
	return len(p) > 0
}

func hasControl(p []byte) bool {
	for _, b := range p {
		if b <= ' ' || b == 0x7f {
			return true
		}
	}
	return false
}

func hasBadByte(p []byte) bool {
	return bytes.IndexByte(p, 0) >= 0 || bytes.IndexByte(p, '\r') >= 0
}
