package runclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

const (
	// tries is how often a call is made at most; a stream, how often in a row it may
	// break without having said anything.
	tries = 7
	// firstPause and longestPause bound the time between tries.
	firstPause   = 200 * time.Millisecond
	longestPause = 10 * time.Second
	// longestAsked bounds how long a bench may ask to wait.
	longestAsked = time.Minute
	// maxAnswer bounds an answer, in bytes: a run of 24 hours tells 86,400 seconds,
	// at about 200 bytes each.
	maxAnswer = 64 << 20
	// maxProblem bounds what is read of a refusal, in bytes.
	maxProblem = 64 << 10
)

// Refused is a call that the bench answered with a problem.
type Refused struct {
	// Doing is what was being done.
	Doing      string
	Problem    run.Problem
	retryAfter time.Duration
}

func (r *Refused) Error() string {
	text := r.Problem.Detail
	if text == "" {
		text = r.Problem.Title
	}
	return fmt.Sprintf("%s: the bench refused: %s (HTTP %d)", r.Doing, text, r.Problem.Status)
}

// Forbidden tells that the token or the account may not do it, whoever asks again.
func (r *Refused) Forbidden() bool { return r.Problem.Status == http.StatusForbidden }

// passing tells whether the call may work when it is tried again.
func (r *Refused) passing() bool {
	switch r.Problem.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Unreachable tells that the bench did not answer, however often it was tried.
type Unreachable struct {
	Doing string
	Tries int
	Err   error // of the last try
}

func (u *Unreachable) Error() string {
	return fmt.Sprintf("%s: the bench does not answer (tried %d times): %v", u.Doing, u.Tries, u.Err)
}

// Unwrap gives the error of the last try.
func (u *Unreachable) Unwrap() error { return u.Err }

// errForeign tells that what answered is not a bench; trying again is of no use.
type errForeign struct{ doing, what string }

func (e *errForeign) Error() string {
	return fmt.Sprintf("%s: what answered is not the API of a bench (%s): check the bench's address", e.doing, e.what)
}

// call makes a call until it is answered, and reads the answer.
func call[T any](ctx context.Context, c *Client, doing string, send func(context.Context) (*http.Response, error)) (T, error) {
	var zero T
	for try := 1; ; try++ {
		answer, err := attempt[T](ctx, doing, send)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return zero, fmt.Errorf("%s: %w", doing, ctx.Err())
		}
		pause, again := pauseAfter(err, try)
		if !again {
			return zero, err
		}
		if try == tries {
			return zero, last(doing, try, err)
		}
		if err := c.options.Sleep(ctx, pause); err != nil {
			return zero, fmt.Errorf("%s: %w", doing, err)
		}
	}
}

// last is the error of a call whose tries are used up.
func last(doing string, try int, err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		return err
	}
	return &Unreachable{Doing: doing, Tries: try, Err: err}
}

// pauseAfter says whether a failed try may be made again, and after how long: twice as
// long each time, with a random part so that many callers do not come back at once.
func pauseAfter(err error, try int) (time.Duration, bool) {
	pause := min(firstPause<<min(try-1, 16), longestPause)
	pause = pause/2 + rand.N(pause/2+1)
	var refused *Refused
	if errors.As(err, &refused) {
		return max(pause, min(refused.retryAfter, longestAsked)), refused.passing()
	}
	var foreign *errForeign
	return pause, !errors.As(err, &foreign)
}

func attempt[T any](ctx context.Context, doing string, send func(context.Context) (*http.Response, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	var answer T
	response, err := send(ctx)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return answer, refusal(doing, response)
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "application/json" {
		return answer, &errForeign{doing, "media type " + strconv.Quote(kind)}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return answer, err
	}
	if len(body) > maxAnswer {
		return answer, &errForeign{doing, "the answer is too large"}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, &errForeign{doing, "the answer cannot be read"}
	}
	return answer, nil
}

// refusal reads an answer that is no success.
func refusal(doing string, response *http.Response) error {
	r := &Refused{Doing: doing, retryAfter: retryAfter(response.Header.Get("Retry-After"))}
	if response.StatusCode/100 == 3 {
		return &errForeign{doing, "it redirects to " + strconv.Quote(response.Header.Get("Location"))}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxProblem))
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "application/problem+json" || json.Unmarshal(body, &r.Problem) != nil {
		// From something between here and the bench.
		r.Problem = run.Problem{Type: "about:blank", Title: http.StatusText(response.StatusCode)}
	}
	r.Problem.Status = response.StatusCode
	return r
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int(longestAsked/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
