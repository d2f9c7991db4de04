package runclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/inorbit-hr/reliability/run"
)

// maxEvent bounds one event, in bytes; a log message can have as many as a scenario.
const maxEvent = 1 << 20

// Follow gives the events of a run from the first to the one of type finished, each
// once and in order, while they happen. It resumes after any break of the stream. A
// holder (empty for none) holds the run as long as it is followed.
//
// It ends behind finished, when the caller stops, or with one error.
func (c *Client) Follow(ctx context.Context, id, holder string) iter.Seq2[run.RunEvent, error] {
	return func(yield func(run.RunEvent, error) bool) {
		f := &following{client: c, id: id, holder: holder, yield: yield}
		if err := f.all(ctx); err != nil {
			yield(run.RunEvent{}, err)
		}
	}
}

const followingRun = "follow the run"

// following is one use of Follow.
type following struct {
	client     *Client
	id, holder string
	yield      func(run.RunEvent, error) bool
	last       int64 // number of the newest event that was given
	over       bool  // the run finished, or the caller had enough
}

// all opens the stream again until it is over, or broke too often in a row without a
// sign of life.
func (f *following) all(ctx context.Context) error {
	for try := 1; ; try++ {
		alive, err := f.stream(ctx)
		if f.over {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", followingRun, ctx.Err())
		}
		if alive {
			try = 1
		}
		pause, again := pauseAfter(err, try)
		if !again {
			return err
		}
		if try == tries {
			return last(followingRun, try, err)
		}
		if err := f.client.options.Sleep(ctx, pause); err != nil {
			return fmt.Errorf("%s: %w", followingRun, err)
		}
	}
}

// stream opens the stream behind the last event and reads it to its end. It tells
// whether anything came.
func (f *following) stream(ctx context.Context) (alive bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(f.client.options.Quiet, func() { cancel(errors.New("the stream fell silent")) })
	defer quiet.Stop()

	params := &run.FollowRunParams{Holder: f.holder}
	if f.last > 0 {
		params.LastEventID = strconv.FormatInt(f.last, 10)
	}
	response, err := f.client.api.FollowRun(ctx, f.id, params)
	if err != nil {
		return false, cause(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false, refusal(followingRun, response)
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		return false, &errForeign{followingRun, "media type " + strconv.Quote(kind)}
	}
	body := &watched{Reader: response.Body, heard: func() {
		alive = true
		quiet.Reset(f.client.options.Quiet)
	}}
	for message, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return alive, cause(ctx, err)
		}
		if err := f.take(message); err != nil {
			return alive, err
		}
		if f.over {
			return alive, nil
		}
	}
	return alive, cause(ctx, io.ErrUnexpectedEOF)
}

// take gives an event to the caller.
func (f *following) take(message sse.Event) error {
	var e run.RunEvent
	if err := json.Unmarshal([]byte(message.Data), &e); err != nil {
		return &errForeign{followingRun, "an event cannot be read"}
	}
	if e.ID <= f.last {
		return nil // it was given already
	}
	if e.ID != f.last+1 {
		return fmt.Errorf("event %d follows event %d", e.ID, f.last)
	}
	f.last = e.ID
	if !f.yield(e, nil) || e.Type == run.EventTypeFinished {
		f.over = true
	}
	return nil
}

// cause prefers why the stream was ended on this side.
func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return err
}

// watched tells whenever something was read.
type watched struct {
	io.Reader
	heard func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.heard()
	}
	return n, err
}
