package runclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// stream sends events, and then hangs up.
func stream(ids ...int64) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, id := range ids {
			kind := run.EventTypeLog
			if id == 9 {
				kind = run.EventTypeFinished
			}
			data, _ := json.Marshal(run.RunEvent{ID: id, Run: "r1", Type: kind})
			fmt.Fprintf(w, ": a comment\nid: %d\nevent: %s\ndata: %s\n\n", id, kind, data)
		}
	}
}

func text(body string) http.HandlerFunc { return raw(200, "text/event-stream", body) }

func TestFollow(t *testing.T) {
	whole := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		name   string
		script []http.HandlerFunc
		resume []string // Last-Event-ID of each request
		given  int
		want   string // of the error
	}{
		{"in one go", []http.HandlerFunc{stream(whole...)}, []string{""}, 9, ""},
		{"in parts", []http.HandlerFunc{stream(1, 2), stream(3), stream(), hangUp, stream(4, 5, 6, 7, 8, 9)}, []string{"", "2", "3", "3", "3"}, 9, ""},
		{"with repetitions", []http.HandlerFunc{stream(1, 2, 3), stream(2, 3, 4, 5, 6, 7, 8, 9)}, []string{"", "3"}, 9, ""},
		{"with a gap", []http.HandlerFunc{stream(1, 3, 4), stream(2, 3, 4, 5, 6, 7, 8, 9)}, []string{"", "1"}, 9, ""},
		{"cut in an event", []http.HandlerFunc{text("id: 1\nevent: log\ndata: {\"id\":1,"), stream(whole...)}, []string{"", ""}, 9, ""},
		{"busy", []http.HandlerFunc{stream(1), problem(503, "starting"), stream(2, 3, 4, 5, 6, 7, 8, 9)}, []string{"", "1", "1"}, 9, ""},
		{"unknown run", []http.HandlerFunc{problem(404, "no such run")}, []string{""}, 0, "follow the run: the bench refused: no such run (HTTP 404)"},
		{"refused on the way", []http.HandlerFunc{stream(1, 2), problem(401, "no longer valid")}, []string{"", "2"}, 2, "no longer valid (HTTP 401)"},
		{"never again", []http.HandlerFunc{stream(1), hangUp}, []string{"", "1", "1", "1", "1", "1", "1"}, 1, "the bench does not answer (tried 7 times)"},
		{"always empty", []http.HandlerFunc{stream()}, []string{"", "", "", "", "", "", ""}, 0, "the bench does not answer (tried 7 times)"},
		{"a page", []http.HandlerFunc{raw(200, "text/html", "<h1>")}, []string{""}, 0, "not the API of a bench"},
		{"no events", []http.HandlerFunc{text("data: hello\n\n")}, []string{""}, 0, "not the API of a bench (an event cannot be read)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, client := serve(t, c.script...)
			var got []int64
			var failed error
			for e, err := range client.Follow(t.Context(), "r1", "h") {
				if err != nil {
					failed = err
					continue
				}
				got = append(got, e.ID)
			}
			if fmt.Sprint(got) != fmt.Sprint(whole[:c.given]) {
				t.Errorf("events %v", got)
			}
			if c.want == "" && failed != nil || c.want != "" && (failed == nil || !strings.Contains(failed.Error(), c.want)) {
				t.Errorf("error %v, want %q", failed, c.want)
			}
			var resumed []string
			requests, _ := b.seen()
			for _, r := range requests {
				resumed = append(resumed, r.Header.Get("Last-Event-ID"))
				if r.URL.Query().Get("holder") != "h" {
					t.Errorf("request %s has no holder", r.URL)
				}
			}
			if fmt.Sprintf("%q", resumed) != fmt.Sprintf("%q", c.resume) {
				t.Errorf("resumed behind %q, want %q", resumed, c.resume)
			}
		})
	}
}

func TestFollowStopsWithItsCaller(t *testing.T) {
	b, c := serve(t, stream(1, 2, 3))
	n := 0
	for _, err := range c.Follow(t.Context(), "r1", "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	if requests, _ := b.seen(); n != 2 || len(requests) != 1 || requests[0].URL.RawQuery != "" {
		t.Errorf("%d events, %d requests", n, len(requests))
	}
}

// A bench that is gone without a word is noticed by its silence.
func TestFollowGivesUpASilentStream(t *testing.T) {
	silent := func(w http.ResponseWriter, r *http.Request) {
		stream(1)(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done() // as long as the client stays
	}
	_, c := serve(t, silent, stream(2, 3, 4, 5, 6, 7, 8, 9))
	c.options.Quiet = 30 * time.Millisecond
	n := 0
	for _, err := range c.Follow(t.Context(), "r1", "") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 9 {
		t.Errorf("%d events", n)
	}
}

func TestFollowBoundsAnEvent(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: ")
		for range 64 {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	}
	_, c := serve(t, endless, problem(404, "gone"))
	for _, err := range c.Follow(t.Context(), "r1", "") {
		var refused *Refused
		if !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	}
}
