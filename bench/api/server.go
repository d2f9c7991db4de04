package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/inorbit-hr/reliability/run"
)

// server answers the operations of the contract.
type server struct{ service Service }

func (s *server) CheckScenario(ctx context.Context, r CheckScenarioRequestObject) (CheckScenarioResponseObject, error) {
	source, err := readSource(r.Body)
	if err != nil {
		return nil, err
	}
	result, err := s.service.Check(ctx, who(ctx), source)
	if err != nil {
		return nil, err
	}
	return CheckScenario200JSONResponse(result), nil
}

func (s *server) ListConnections(ctx context.Context, _ ListConnectionsRequestObject) (ListConnectionsResponseObject, error) {
	found, err := s.service.Connections(ctx, who(ctx))
	if err != nil {
		return nil, err
	}
	return ListConnections200JSONResponse{Connections: append([]run.Connection{}, found...)}, nil
}

func (s *server) PutVersion(ctx context.Context, r PutVersionRequestObject) (PutVersionResponseObject, error) {
	source, err := readSource(r.Body)
	if err != nil {
		return nil, err
	}
	version, created, err := s.service.PutVersion(ctx, who(ctx), r.Sha256, source)
	if err != nil {
		return nil, err
	}
	if created {
		return PutVersion201JSONResponse(version), nil
	}
	return PutVersion200JSONResponse(version), nil
}

func (s *server) StartRun(ctx context.Context, r StartRunRequestObject) (StartRunResponseObject, error) {
	b := r.Body
	if !plain(b.Holder, b.Request, b.Source.Repository, b.Source.MergeGroup, b.Source.Ref, b.Source.Commit, b.Source.Base, b.Source.Path, b.Source.Actor) {
		return nil, Refuse(BadRequest, "a text in the body holds the character U+0000")
	}
	started, created, err := s.service.Start(ctx, who(ctx), *b)
	if err != nil {
		return nil, err
	}
	if created {
		return StartRun201JSONResponse(started), nil
	}
	return StartRun200JSONResponse(started), nil
}

func (s *server) ListRuns(ctx context.Context, r ListRunsRequestObject) (ListRunsResponseObject, error) {
	page, err := s.service.Runs(ctx, who(ctx), r.Params)
	if err != nil {
		return nil, err
	}
	page.Runs = append([]run.Run{}, page.Runs...)
	return ListRuns200JSONResponse(page), nil
}

func (s *server) GetRun(ctx context.Context, r GetRunRequestObject) (GetRunResponseObject, error) {
	found, err := s.service.Run(ctx, who(ctx), r.ID)
	if err != nil {
		return nil, err
	}
	return GetRun200JSONResponse(found), nil
}

func (s *server) CancelRun(ctx context.Context, r CancelRunRequestObject) (CancelRunResponseObject, error) {
	var request run.CancelRequest
	if r.Body != nil {
		request = *r.Body
	}
	if !plain(request.Holder, request.Reason) {
		return nil, Refuse(BadRequest, "a text in the body holds the character U+0000")
	}
	found, err := s.service.Cancel(ctx, who(ctx), r.ID, request)
	if err != nil {
		return nil, err
	}
	return CancelRun202JSONResponse(found), nil
}

func (s *server) FollowRun(ctx context.Context, r FollowRunRequestObject) (FollowRunResponseObject, error) {
	var after int64
	if r.Params.LastEventID != "" {
		var err error
		if after, err = strconv.ParseInt(r.Params.LastEventID, 10, 64); err != nil {
			return nil, Refuse(BadRequest, "header Last-Event-ID is not the number of an event")
		}
	}
	follower, err := s.service.Follow(ctx, who(ctx), r.ID, r.Params.Holder, after)
	if err != nil {
		return nil, err
	}
	return &stream{ctx: ctx, follower: follower}, nil
}

// readSource reads a scenario; the body was bounded before.
func readSource(body io.Reader) ([]byte, error) {
	source, err := io.ReadAll(body)
	if err != nil {
		return nil, explainRead(err)
	}
	return source, nil
}

// explainRead words why a parameter or a body could not be read.
func explainRead(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return Refuse(TooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	var format *InvalidParamFormatError
	if errors.As(err, &format) {
		return Refuse(BadRequest, "parameter %s is not of its type", format.ParamName)
	}
	var many *TooManyValuesForParamError
	if errors.As(err, &many) {
		return Refuse(BadRequest, "parameter %s is there %d times", many.ParamName, many.Count)
	}
	return Refuse(BadRequest, "the request cannot be read")
}
