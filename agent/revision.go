package agent

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Revision is where a service tells which revision of it runs: in a header field of an
// answer, in the text that a path answers, or in a header field of that path's answer.
type Revision struct {
	// Header is the name of a header field, such as Service-Revision. Without a path
	// every answer has it.
	Header string `toml:"header"`
	// Path is asked with GET, such as /version. Without a header its answer is the
	// revision and nothing else.
	Path string `toml:"path"`
}

// Problems are what is wrong with it by itself.
func (r *Revision) Problems() (all []Problem) {
	switch {
	case r.Header == "" && r.Path == "":
		all = tell(all, "", "names neither a header nor a path")
	case r.Header != "" && !httpguts.ValidHeaderFieldName(r.Header):
		all = tell(all, "header", "is not the name of a header field")
	}
	if r.Path != "" && !strings.HasPrefix(r.Path, "/") {
		all = tell(all, "path", "must begin with a slash")
	}
	return all
}

// revisionText is what a revision is written with; anything else an answer may hold is
// content, and is not kept.
var revisionText = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._+:/-]{0,127}$`)

// revision asks the connection for its revision; empty where it does not tell one.
func (c *connection) revision(ctx context.Context, limit time.Duration) string {
	if c.Revision == nil {
		return ""
	}
	method, target := http.MethodOptions, c.base
	if c.Revision.Path != "" {
		var err error
		if target, err = c.base.Parse(c.Revision.Path); err != nil || target.Host != c.base.Host {
			return ""
		}
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), nil)
	if err != nil {
		return ""
	}
	if c.credential != "" {
		request.Header.Set("Authorization", "Bearer "+c.credential)
	}
	answer, err := onceClient(limit).Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	told := answer.Header.Get(c.Revision.Header)
	if c.Revision.Header == "" {
		body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		if err != nil || answer.StatusCode != http.StatusOK {
			return ""
		}
		told = strings.TrimSpace(string(body))
	}
	return knownRevision(told)
}

// knownRevision is what was told, where it can be a revision.
func knownRevision(told string) string {
	if !revisionText.MatchString(told) {
		return ""
	}
	return told
}

// noteRevisions asks every connection that tells its revision.
func (e *execution) noteRevisions(ctx context.Context) {
	for _, t := range e.scenario.Targets {
		if c, ok := e.agent.connection(t.Connection); ok {
			e.noteRevision(c.Name, c.revision(ctx, e.agent.policy.RequestTimeout))
		}
	}
	e.result.TestedRevision = e.testedRevision()
}

// noteRevision keeps what a connection told, once.
func (e *execution) noteRevision(connection, told string) {
	if told = knownRevision(told); told == "" || slices.Contains(e.revisions[connection], told) {
		return
	}
	if e.revisions == nil {
		e.revisions = map[string][]string{}
	}
	e.revisions[connection] = append(e.revisions[connection], told)
}

// testedRevision is that of the load's target, else of the first target that tells one.
func (e *execution) testedRevision() string {
	if e.scenario.Load != nil {
		if told := e.revisions[e.connectionName(e.scenario.Load.Target)]; len(told) > 0 {
			return told[0]
		}
	}
	for _, t := range e.scenario.Targets {
		if told := e.revisions[t.Connection]; len(told) > 0 {
			return told[0]
		}
	}
	return ""
}

// revisionChange tells of a service that was replaced while it was tested; empty where
// none was.
func (e *execution) revisionChange() string {
	for _, t := range e.scenario.Targets {
		if told := e.revisions[t.Connection]; len(told) > 1 {
			return fmt.Sprintf("connection %s changed its revision from %s to %s while it was tested", t.Connection, told[0], told[1])
		}
	}
	return ""
}
