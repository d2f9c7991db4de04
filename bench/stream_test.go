package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
)

// cutter passes connections on, and cuts each after so many bytes of the answer.
type cutter struct {
	listener net.Listener
	target   string
	after    []int64 // taken in turn
	wg       sync.WaitGroup
	mu       sync.Mutex
	cuts     int
}

func newCutter(t *testing.T, target string, after ...int64) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: l, target: strings.TrimPrefix(target, "http://"), after: after}
	c.wg.Go(c.accept)
	t.Cleanup(func() {
		l.Close()
		c.wg.Wait()
	})
	return c
}

func (c *cutter) accept() {
	for n := 0; ; n++ {
		in, err := c.listener.Accept()
		if err != nil {
			return
		}
		c.wg.Go(func() { c.pass(in, c.after[n%len(c.after)]) })
	}
}

func (c *cutter) pass(in net.Conn, most int64) {
	defer in.Close()
	out, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer out.Close()
	c.wg.Go(func() {
		_, _ = io.Copy(out, in)
		out.Close()
	})
	if n, _ := io.CopyN(in, out, most); n == most {
		c.mu.Lock()
		c.cuts++
		c.mu.Unlock()
	}
}

func TestFollowingSurvivesCuts(t *testing.T) {
	const seconds = 400
	agent := newFakeAgent()
	cut := make(chan struct{})
	agent.script = func(_ context.Context, _ bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
		for i := range int64(seconds) {
			report(run.RunEvent{Type: run.EventTypeSecond, Second: &run.Second{FromMs: i * 1000}})
			if i == seconds/2 {
				<-cut // the rest happens while it is followed
			}
		}
		return run.OutcomePass, "", run.Result{}
	}
	b := open(t, agent)
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Holder: "h"})
	// In the headers, within an event, between them, and at once.
	proxy := newCutter(t, b.URL(), 50, 1000, 0, 5000, 333, 7777, 20000)
	client, err := runclient.New(runclient.Options{
		URL: "http://" + proxy.listener.Addr().String(), Token: b.Token(), Sleep: noSleep,
		Transport: &http.Transport{DisableKeepAlives: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	next, second := int64(1), int64(0)
	var last run.RunEvent
	for e, err := range client.Follow(t.Context(), r.ID, "h") {
		if err != nil {
			t.Fatal(err)
		}
		if e.ID != next {
			t.Fatalf("event %d, want %d", e.ID, next)
		}
		next++
		if last = e; e.Type == run.EventTypeSecond {
			if e.Second.FromMs != second*1000 {
				t.Fatalf("second %d, want %d", e.Second.FromMs/1000, second)
			}
			if second++; second == 100 {
				close(cut)
			}
		}
	}
	if last.Outcome != run.OutcomePass || second != seconds {
		t.Errorf("last %+v after %d seconds", last, second)
	}
	proxy.mu.Lock()
	defer proxy.mu.Unlock()
	if proxy.cuts < 5 {
		t.Errorf("the stream was cut %d times only", proxy.cuts)
	}
}

func TestManyFollowersAndOneThatDoesNotRead(t *testing.T) {
	const followers, seconds = 50, 300
	agent := newFakeAgent()
	begin := make(chan struct{})
	agent.script = func(_ context.Context, _ bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
		<-begin
		for range seconds {
			report(run.RunEvent{Type: run.EventTypeLog, Message: strings.Repeat("x", 2000)})
		}
		return run.OutcomePass, "", run.Result{}
	}
	b := open(t, agent)
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{})
	// It asks for the stream and never reads it.
	stuck, err := net.Dial("tcp", strings.TrimPrefix(b.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	fmt.Fprintf(stuck, "GET /v1/runs/%s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", r.ID, b.Token())
	if line, err := bufio.NewReaderSize(stuck, 16).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q, %v", line, err)
	}
	var wg sync.WaitGroup
	for range followers {
		wg.Go(func() {
			if events := b.follow(t, r.ID, ""); len(events) != seconds+3 || events[len(events)-1].Outcome != run.OutcomePass {
				t.Errorf("%d events", len(events))
			}
		})
	}
	close(begin)
	wg.Wait()
}

func TestResumingBehindTheEnd(t *testing.T) {
	b := open(t, newFakeAgent())
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{})
	all := b.follow(t, r.ID, "")
	for _, after := range []int{len(all), len(all) + 1, 1 << 40} {
		q, err := http.NewRequestWithContext(t.Context(), "GET", b.URL()+"/v1/runs/"+r.ID+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer "+b.Token())
		q.Header.Set("Last-Event-ID", fmt.Sprint(after))
		w, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(w.Body)
		w.Body.Close()
		if err != nil || w.StatusCode != 200 || len(body) != 0 {
			t.Errorf("after %d: %d %q, %v", after, w.StatusCode, body, err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestSignsOfLife(t *testing.T) {
	agent, clock := newFakeAgent(), newFakeClock()
	agent.script = untilCancelled
	b := open(t, agent, withClock(clock))
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{})
	<-agent.started
	q, err := http.NewRequestWithContext(t.Context(), "GET", b.URL()+"/v1/runs/"+r.ID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+b.Token())
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	w, err := transport.RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	alive := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(w.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), ":") {
				alive <- nil
				return
			}
		}
		alive <- errors.Join(errors.New("no sign of life"), lines.Err())
	}()
	if err := runClock(clock, 5*time.Second, alive); err != nil {
		t.Error(err)
	}
}

// What the connection's operator keeps to themselves is nowhere: not in the database,
// an answer, an event or the log.
func TestNothingOfAConnectionIsKept(t *testing.T) {
	file := storeFile(t)
	agent := newFakeAgent()
	var log bytes.Buffer
	b := open(t, agent, withFile(file), withLog(&log))
	r := b.start(t, scenarioText("a", "api-staging", "engine-staging"), run.StartRequest{Source: change("a"), Holder: "h"})
	events := fmt.Sprint(b.follow(t, r.ID, "h"))
	got, err := b.client.Get(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	connections, err := b.client.Connections(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checked, err := b.client.Check(t.Context(), faultText("staging", "api-staging", "nope", `type = "drop", rate = 0.5`, "5m"))
	if err != nil || len(checked.Findings) == 0 {
		t.Fatalf("%+v, %v", checked, err)
	}
	if err := b.Bench.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"events": events, "run": fmt.Sprintf("%+v %+v", got, got.Result), "connections": fmt.Sprintf("%+v", connections), "check": fmt.Sprintf("%+v", checked), "log": log.String()}
	for _, name := range []string{file, file + "-wal", file + ".lock"} {
		content, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		places[name] = string(content)
	}
	if !strings.Contains(places[file], "github.com/o/r") {
		t.Error("the database does not hold the run: the test looks at the wrong place")
	}
	for place, content := range places {
		for _, secret := range []string{"secret-host", "18080", "18081", "API_TOKEN", b.Token()} {
			if strings.Contains(content, secret) {
				t.Errorf("%s has %q", place, secret)
			}
		}
	}
}
