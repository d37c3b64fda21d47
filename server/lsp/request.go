package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ambit/server/api"
)

// request is a request that is not answered yet.
type request struct {
	s       *server
	id      jsonrpc2.ID
	method  string
	params  json.RawMessage
	view    view
	changes uint64 // of the server when view was taken
	own     bool   // from the server itself, not from the client
	ctx     context.Context
	cancel  context.CancelFunc

	placing sync.Mutex // guards placed, also while a place is awaited
	placed  bool       // has a place among maxRunning

	mu       sync.Mutex             // guards all fields below
	done     bool                   // answered
	token    protocol.ProgressToken // of its progress, nil for none
	reported time.Time
}

// admit registers a request, which can be cancelled from now on. It refuses a request
// beyond maxRequests, and one with the id of another.
func (s *server) admit(r *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.requests[r.id]; taken {
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "a request with this id is under way")
	}
	if len(s.requests) >= maxRequests {
		return jsonrpc2.Errorf(codeServerCancelled, "%d requests wait already", maxRequests)
	}
	if s.requestBytes+len(r.params) > maxRequestBytes {
		return jsonrpc2.Errorf(codeServerCancelled, "requests of %d MB wait already", maxRequestBytes>>20)
	}
	r.ctx, r.cancel = context.WithCancel(s.ctx)
	s.requests[r.id] = r
	s.requestBytes += len(r.params)
	return nil
}

// run handles r and answers it, also after a panic.
func (r *request) run(handle func(*server, context.Context, *request) (any, error)) {
	defer r.cancel()
	defer r.leavePlace()
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			r.s.log.Error("panic", "in", r.method, "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			r.finish(nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s panicked; the server's log has the stack", r.method))
		}
	}()
	result, err := handle(r.s, r.ctx, r)
	if err != nil && r.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = protocol.ErrRequestCancelled
	}
	r.finish(result, err)
	r.s.traceRequest(r, time.Since(start), err)
}

// hasToken reports whether a token is that of the request's progress.
func (r *request) hasToken(token protocol.ProgressToken) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.token == token
}

// finish ends the progress of r and answers it. Only the first call does anything.
func (r *request) finish(result any, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.done = true
	if r.token != nil {
		r.s.progress(r.token, &protocol.WorkDoneProgressEnd{Kind: "end"})
	}
	r.s.mu.Lock()
	if r.s.requests[r.id] == r { // not a request of the server itself
		delete(r.s.requests, r.id)
		r.s.requestBytes -= len(r.params)
	}
	r.s.mu.Unlock()
	r.s.conn.Reply(r.id, result, err)
	if r.cancel != nil {
		r.cancel()
	}
}

// cancelRequest cancels a request and answers it at once.
func (s *server) cancelRequest(params json.RawMessage) error {
	var p struct{ ID json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	var id jsonrpc2.ID
	var number int64
	var text string
	switch {
	case json.Unmarshal(p.ID, &number) == nil:
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(p.ID, &text) == nil:
		id = jsonrpc2.NewStringID(text)
	default:
		return errors.New("id: give the id of a request")
	}
	s.mu.Lock()
	r := s.requests[id]
	s.mu.Unlock()
	if r != nil {
		r.finish(nil, protocol.ErrRequestCancelled)
	}
	return nil
}

// begin starts the progress of r, if the client gave it a token.
func (r *request) begin(token json.RawMessage, title string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	if r.token = progressToken(token); r.token != nil {
		r.s.progress(r.token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: new(true)})
	}
}

// report sends the progress of r, at most once per progressInterval.
func (r *request) report(message string, percentage int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.token == nil || r.done || now.Sub(r.reported) < progressInterval {
		return
	}
	r.reported = now
	r.s.tryProgress(r.token, newReport(message, percentage))
}

// answering asks the workspace of a folder a question as soon as the workspace is open,
// r has a place among maxRunning and the client has read most earlier answers.
func answering[Q, A any](ctx context.Context, r *request, f *folder, q Q, ask func(api.Workspace, context.Context, Q) (A, error)) (A, error) {
	return using(ctx, r, f, func(ctx context.Context, w api.Workspace) (answer A, err error) {
		if err := r.takePlace(ctx); err != nil {
			return answer, err
		}
		if err := r.s.conn.AwaitRoom(ctx); err != nil {
			return answer, err
		}
		return ask(w, ctx, q)
	})
}

// takePlace waits for a place among maxRunning, unless r has one. r keeps it until its
// answer waits to be written: [rpc.Conn] counts an answer only then, and without places a
// server whose client does not read could make many while the first ones are encoded.
func (r *request) takePlace(ctx context.Context) error {
	r.placing.Lock()
	defer r.placing.Unlock()
	if r.placed {
		return nil
	}
	select {
	case r.s.running <- struct{}{}:
		r.placed = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leavePlace gives back the place of r, if it has one.
func (r *request) leavePlace() {
	r.placing.Lock()
	defer r.placing.Unlock()
	if r.placed {
		r.placed = false
		<-r.s.running
	}
}
