package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/inorbit-hr/reliability/bench/api"
	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// notFound tells the caller what the store does not have; other errors stay the
// bench's.
func notFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.Refuse(api.NotFound, "the account has no such run")
	}
	return err
}

// Check implements api.Service.
func (b *Bench) Check(_ context.Context, _ store.Token, source []byte) (run.CheckResult, error) {
	f := scenario.Check(source)
	c := b.check(f)
	return run.CheckResult{Version: f.Hash(), Findings: findings(c.diagnostics), NeedsPerson: c.needsPerson}, nil
}

func findings(all []scenario.Diagnostic) []run.Finding {
	told := make([]run.Finding, len(all))
	place := func(p scenario.Position) run.Place { return run.Place{Line: p.Line, Column: p.Column} }
	for i, d := range all {
		told[i] = run.Finding{
			Code: d.Code, Severity: run.Severity(d.Severity), Message: d.Message, Suggestion: d.Suggestion,
			Start: place(d.Range.Start), End: place(d.Range.End),
		}
	}
	return told
}

// Connections implements api.Service.
func (b *Bench) Connections(context.Context, store.Token) ([]run.Connection, error) {
	var all []run.Connection
	for _, name := range sortedKeys(b.agents) {
		for _, c := range b.agents[name].Connections() {
			c.Agent, c.ProductionRules = name, b.cfg.production(c.Environment)
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(x, y run.Connection) int { return strings.Compare(x.Name, y.Name) })
	return all, nil
}

// PutVersion implements api.Service. Only what passes the offline half is kept: what
// does not could never run, and may hold what must not be kept, such as an address.
func (b *Bench) PutVersion(ctx context.Context, who store.Token, hash string, source []byte) (run.Version, bool, error) {
	sum := sha256.Sum256(source)
	if got := hex.EncodeToString(sum[:]); got != hash {
		return run.Version{}, false, api.Refuse(api.HashMismatch, "the bytes have the SHA-256 %s", got)
	}
	f := scenario.Check(source)
	if !f.OK() {
		return run.Version{}, false, api.Refuse(api.InvalidScenario, "%s", summary(f.Diagnostics))
	}
	v := run.Version{Sha256: hash, Size: len(source), Name: f.Scenario.Name, CreatedAt: b.clock.Now()}
	return b.store.PutVersion(ctx, who.Account, v, source)
}

// Start implements api.Service.
func (b *Bench) Start(ctx context.Context, who store.Token, request run.StartRequest) (run.Run, bool, error) {
	if !mayUse(who, request.Source.Repository) {
		return run.Run{}, false, api.Refuse(api.Forbidden, "the token is bound to other repositories than the source's")
	}
	if b.isClosed() {
		return run.Run{}, false, &api.Error{Kind: api.Unavailable, Detail: "the bench is stopping", RetryAfter: renewEvery}
	}
	_, source, err := b.store.Version(ctx, who.Account, request.Version)
	if errors.Is(err, store.ErrNotFound) {
		return run.Run{}, false, api.Refuse(api.UnknownVersion, "upload the version first: PUT /v1/versions/%s", request.Version)
	}
	if err != nil {
		return run.Run{}, false, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return run.Run{}, false, fmt.Errorf("make a run's id: %w", err)
	}
	now := b.clock.Now()
	start := store.Start{
		Run: b.newRun(scenario.Check(source)), Request: request.Request, Again: request.Again,
		Holder: request.Holder, HoldUntil: now.Add(lease),
	}
	// Ids are in the order of their making: the queue and the pages go by them.
	start.Run.ID = strings.ReplaceAll(id.String(), "-", "")
	start.Run.Account, start.Run.Version, start.Run.Source, start.Run.CreatedAt = who.Account, request.Version, request.Source, now
	switch start.Run.Status {
	case run.StatusWaiting:
		start.Run.ExpiresAt = now.Add(confirmWithin)
	case run.StatusFinished:
		start.Run.FinishedAt = now
	}
	r, created, err := b.store.Start(ctx, start)
	if errors.Is(err, store.ErrRequestReused) {
		return run.Run{}, false, api.Refuse(api.RequestReused, "the request %q started another version or source; give this one another name", request.Request)
	}
	if err != nil {
		return run.Run{}, false, err
	}
	b.kick()
	return r.Run, created, nil
}

// newRun is what a file's run starts as: queued, waiting for a person, or refused.
func (b *Bench) newRun(f *scenario.File) store.Run {
	s := &f.Scenario
	r := store.Run{Run: run.Run{Name: s.Name, Environment: s.Environment, Status: run.StatusQueued}, Connections: connectionsOf(s)}
	checked := b.check(f)
	refused := checked.refusal()
	if refused == "" && s.Skip != "" {
		refused = "the scenario is skipped: " + s.Skip
	}
	switch {
	case refused != "":
		r.Status, r.Outcome, r.Reason = run.StatusFinished, run.OutcomeRefused, refused
	case checked.needsPerson:
		r.Status, r.Reason = run.StatusWaiting, "a fault in "+s.Environment+" needs the confirmation of a person"
	}
	return r
}

// connectionsOf are the connections that a run uses, each once.
func connectionsOf(s *scenario.Scenario) []string {
	var names []string
	for _, t := range s.Targets {
		names = append(names, t.Connection)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mayUse tells whether a token may act for a repository.
func mayUse(who store.Token, repository string) bool {
	return len(who.Repositories) == 0 || slices.Contains(who.Repositories, repository)
}

func (b *Bench) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Run implements api.Service.
func (b *Bench) Run(ctx context.Context, who store.Token, id string) (run.Run, error) {
	r, err := b.store.Run(ctx, who.Account, id)
	return r.Run, notFound(err)
}

// pageSize is how many runs a page has unless it is told.
const pageSize = 20

// Runs implements api.Service.
func (b *Bench) Runs(ctx context.Context, who store.Token, p run.ListRunsParams) (run.RunList, error) {
	limit := p.Limit
	if limit == 0 {
		limit = pageSize
	}
	found, err := b.store.Runs(ctx, who.Account, store.Filter{
		Repository: p.Repository, Commit: p.Commit, Path: p.Path, Ref: p.Ref, Version: p.Version, Status: p.Status,
		Before: p.Before, Limit: limit + 1,
	})
	if err != nil {
		return run.RunList{}, err
	}
	var page run.RunList
	if len(found) > limit {
		found = found[:limit]
		page.Next = found[limit-1].ID
	}
	for _, r := range found {
		page.Runs = append(page.Runs, r.Run)
	}
	return page, nil
}

// Cancel implements api.Service.
func (b *Bench) Cancel(ctx context.Context, who store.Token, id string, request run.CancelRequest) (run.Run, error) {
	r, err := b.store.Run(ctx, who.Account, id)
	if err != nil {
		return run.Run{}, notFound(err)
	}
	if !mayUse(who, r.Source.Repository) {
		return run.Run{}, api.Refuse(api.Forbidden, "the token is bound to other repositories than the run's")
	}
	reason := request.Reason
	if request.Holder != "" {
		if reason == "" {
			reason = released
		}
		r, err = b.store.Release(ctx, who.Account, id, request.Holder, reason, b.clock.Now())
	} else {
		if reason == "" {
			reason = "cancelled by request"
		}
		r, err = b.store.Cancel(ctx, who.Account, id, reason, b.clock.Now())
	}
	if err != nil {
		return run.Run{}, notFound(err)
	}
	if r.CancelReason != "" || r.Status == run.StatusFinished {
		b.signal(id, r.CancelReason)
	}
	return r.Run, nil
}
