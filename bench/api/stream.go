package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// writeTimeout is how long a follower may leave what is sent to it unread. It is well
// under the lease of a run, so that a follower that hangs does not hold one.
const writeTimeout = 20 * time.Second

// stream sends the events of a run as server-sent events. Each follower has its own;
// what it has not read yet is in the store, so it holds nobody up.
type stream struct {
	ctx      context.Context
	follower Follower
}

// VisitFollowRunResponse implements FollowRunResponseObject.
func (s *stream) VisitFollowRunResponse(w http.ResponseWriter) error {
	defer s.follower.Close()
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // it may last; a caller that leaves is noticed all the same
	w.Header().Set("Content-Type", "text/event-stream")
	// Proxies that gather an answer before they pass it on would make it useless.
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if err := out.Flush(); err != nil {
		return nil
	}
	for {
		events, err := s.follower.Next(s.ctx)
		if err != nil && !errors.Is(err, io.EOF) {
			// The status is sent: the stream ends short, and the client resumes.
			return nil
		}
		var text strings.Builder
		for _, e := range events {
			fmt.Fprintf(&text, "id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Type, e.Data)
		}
		if len(events) == 0 && err == nil {
			text.WriteString(": still here\n\n")
		}
		if deadline := out.SetWriteDeadline(time.Now().Add(writeTimeout)); deadline != nil && !errors.Is(deadline, http.ErrNotSupported) {
			return nil
		}
		if _, failed := io.WriteString(w, text.String()); failed != nil {
			return nil
		}
		if out.Flush() != nil || err != nil {
			return nil
		}
	}
}
