package rpc

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
)

// Call asks the peer and waits for the answer, as [Conn.Start] and [Call.Wait] do.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	call, err := c.Start(method, params)
	if err != nil {
		return err
	}
	return call.Wait(ctx, result, nil)
}

// Call is a request that was sent.
type Call struct {
	id      int64
	conn    *Conn
	answer  chan *jsonrpc2.Response // takes the one answer; closed when the connection ends
	reports chan json.RawMessage    // holds the latest report that Wait has not taken
}

// Start sends a request. The caller must call Wait.
func (c *Conn) Start(method string, params any) (*Call, error) {
	raw, err := c.marshal(params)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	c.lastID++
	call := &Call{c.lastID, c, make(chan *jsonrpc2.Response, 1), make(chan json.RawMessage, 1)}
	c.calls[call.id] = call
	c.mu.Unlock()
	if err := c.send(jsonrpc2.NewCall(jsonrpc2.NewNumberID(call.id), method, raw), nil, false); err != nil {
		c.forget(call.id)
		return nil, err
	}
	return call, nil
}

// Wait waits for the answer, which it decodes into result unless that is nil. It calls
// report, unless nil, with the reports of the peer; a report that comes while another
// one is being handled takes the place of the one before. The error is a *jsonrpc2.Error
// when the peer answered with one, [ErrClosed] when the connection ended first, and the
// cause of ctx when that was done first; then Wait notifies the peer. Wait must not run
// where answers are read.
func (call *Call) Wait(ctx context.Context, result any, report func(json.RawMessage)) error {
	if report == nil {
		report = func(json.RawMessage) {}
	}
	for {
		select {
		case raw := <-call.reports:
			report(raw)
		case r := <-call.answer:
			select {
			case raw := <-call.reports: // it came before the answer
				report(raw)
			default:
			}
			switch {
			case r == nil:
				return ErrClosed
			case r.Err() != nil:
				return r.Err()
			case result == nil:
				return nil
			}
			return call.conn.opts.Unmarshal(r.Result(), result)
		case <-ctx.Done():
			call.conn.forget(call.id)
			_ = call.conn.Notify(MethodCancel, Cancel{call.id}) // a peer that is gone need not know
			return context.Cause(ctx)
		}
	}
}

// MethodCancel is the notification that a caller no longer waits; its parameters are a
// [Cancel].
const MethodCancel = "$/cancelRequest"

// Cancel names the request that the peer no longer waits for.
type Cancel struct {
	ID int64 `json:"id"`
}

// MethodReport is the notification of how far a call is; its parameters are a [Report].
const MethodReport = "$/report"

// Report is how far a call is. Later reports replace it.
type Report struct {
	ID    int64           `json:"id"` // of the call
	Value json.RawMessage `json:"value"`
}

// Report tells the peer how far its call is. It replaces a report of the same call that
// waits to be written.
func (c *Conn) Report(id jsonrpc2.ID, value any) error {
	n, _ := id.Number()
	raw, err := c.marshal(value)
	if err != nil {
		return err
	}
	return c.Update(id, MethodReport, Report{n, json.RawMessage(raw)})
}

// forget drops a call.
func (c *Conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// Deliver hands an answer of the peer to the call that waits for it.
func (c *Conn) Deliver(r *jsonrpc2.Response) {
	id, _ := r.ID().Number()
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.calls[id]; call != nil {
		call.answer <- r
		delete(c.calls, id)
	}
}

// DeliverReport hands a report of the peer to the call that it is about.
func (c *Conn) DeliverReport(r Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.calls[r.ID]
	if call == nil {
		return
	}
	select {
	case <-call.reports:
	default:
	}
	call.reports <- r.Value
}
