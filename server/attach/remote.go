package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/api"
	"ambit/server/rpc"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// remote is a connection to the process that owns the index.
type remote struct {
	root  string
	conn  net.Conn
	rpc   *rpc.Conn
	owner hello
	gone  chan struct{} // closed when the connection has ended
	group sync.WaitGroup

	mu        sync.Mutex                     // guards all fields below
	documents map[record.Path]*api.Document  // that the client has open
	sent      map[record.Path]*api.Document  // the versions of these that the owner was sent last
	reports   map[int64]chan json.RawMessage // by call; holds the latest report that the caller has not taken
}

// dial attaches to the owner of the index. It returns workspace.ErrLocked when none answers, and an
// error that wraps [ErrOther] when the owner is another build.
func (c *Client) dial(ctx context.Context) (*remote, error) {
	_, socket := workspace.Owner(c.dir)
	if socket == "" {
		return nil, workspace.ErrLocked
	}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	var d net.Dialer
	dialed, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, workspace.ErrLocked
	}
	conn, ok := dialed.(*net.UnixConn)
	if !ok {
		dialed.Close()
		return nil, workspace.ErrLocked
	}
	if err := sameUser(conn); err != nil {
		conn.Close()
		return nil, fmt.Errorf("attach to the owner of %s: %w", c.root, err)
	}
	r := newRemote(c.root, conn)
	own := hello{Build: c.opts.Build, PID: os.Getpid(), Settings: c.opts.Settings}
	switch err := r.rpc.Call(ctx, methodHello, own, &r.owner); {
	case err != nil:
		r.close() // only ends a connection
		return nil, workspace.ErrLocked
	case r.owner.Build != c.opts.Build:
		r.close() // only ends a connection
		return nil, fmt.Errorf("%w: process %d has that of %s, and its build %q is not this one, %q; end that process, or use its version",
			ErrOther, r.owner.PID, c.root, r.owner.Build, c.opts.Build)
	}
	return r, nil
}

func newRemote(root string, conn net.Conn) *remote {
	r := &remote{
		root: root, conn: conn, rpc: rpc.NewConn(conn, options), gone: make(chan struct{}),
		documents: map[record.Path]*api.Document{}, sent: map[record.Path]*api.Document{}, reports: map[int64]chan json.RawMessage{},
	}
	r.group.Go(func() {
		_ = r.rpc.Write(timedWriter{conn}) // an owner that does not read has ended
		conn.Close()
	})
	r.group.Go(r.read)
	return r
}

// read hands out the owner's messages until the connection ends.
func (r *remote) read() {
	defer r.rpc.Close()
	defer close(r.gone)
	defer r.conn.Close()
	for {
		body, err := r.rpc.Read()
		if err != nil {
			return
		}
		switch m, _ := jsonrpc2.DecodeMessage(body); m := m.(type) {
		case *jsonrpc2.Response:
			r.rpc.Deliver(m)
		case *jsonrpc2.Notification:
			var p progress
			if m.Method() == methodProgress && decode(m.Params(), &p) == nil {
				r.report(p)
			}
		}
	}
}

// report leaves a report of a call for its caller, in place of one not taken yet.
func (r *remote) report(p progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reports := r.reports[p.ID]
	select {
	case <-reports:
	default:
	}
	select {
	case reports <- p.Value:
	default: // the caller has gone
	}
}

// start sends a question after the documents that have changed since the last one: an
// editor tells of every key, and questions are rarer.
func (r *remote) start(method string, question any) (*rpc.Call, <-chan json.RawMessage, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.sendDocuments(); err != nil {
		return nil, nil, err
	}
	if d := textDocument(question); d != nil && d.Document != nil && d.Document == r.sent[d.Path] {
		d.Document = nil // the owner has it
	}
	call, err := r.rpc.Start(method, question)
	if err != nil {
		return nil, nil, err
	}
	reports := make(chan json.RawMessage, 1)
	r.reports[call.ID] = reports
	return call, reports, nil
}

// sendDocuments sends what has changed in the open documents. The caller holds r.mu.
func (r *remote) sendDocuments() error {
	for path := range r.sent {
		if r.documents[path] == nil {
			if err := r.rpc.Notify("closeDocument", path); err != nil {
				return err
			}
			delete(r.sent, path)
		}
	}
	for path, d := range r.documents {
		if r.sent[path] == d {
			continue
		}
		if err := r.rpc.Notify("setDocument", d); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.sent[path] = d
	}
	return nil
}

// end forgets a call.
func (r *remote) end(call *rpc.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.reports[call.ID])
	delete(r.reports, call.ID)
}

// request puts a question, a pointer that it may change, to the owner and waits for the
// answer. It calls observe, unless nil, from one goroutine with the latest report.
func request[A, P any](ctx context.Context, r *remote, method string, question any, observe func(P)) (answer A, err error) {
	call, reports, err := r.start(method, question)
	if errors.Is(err, rpc.ErrClosed) {
		return answer, r.lost()
	} else if err != nil {
		return answer, err
	}
	var group sync.WaitGroup
	group.Go(func() {
		for raw := range reports {
			var p P
			if observe != nil && decode(raw, &p) == nil {
				observe(p)
			}
		}
	})
	ctx, cancel := context.WithCancelCause(ctx)
	if method != "run" { // nobody waits for the end of a run
		group.Go(func() { r.guard(ctx, cancel) })
	}
	var raw json.RawMessage
	err = call.Wait(ctx, &raw)
	cancel(nil)
	r.end(call)
	group.Wait()
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		err = readError(wire)
	} else if errors.Is(err, rpc.ErrClosed) {
		err = r.lost()
	} else if err == nil {
		err = decode(raw, &answer)
	}
	return answer, err
}

// lost returns errGone when the connection has ended, which it makes sure of.
func (r *remote) lost() error {
	r.conn.Close()
	<-r.gone
	return errGone
}

// guard cancels a call when the owner does not answer.
func (r *remote) guard(ctx context.Context, cancel context.CancelCauseFunc) {
	silent := fmt.Errorf("process %d, which has the index of %s, does not answer; continue it (kill -CONT %d) or end it", r.owner.PID, r.root, r.owner.PID)
	for wait(ctx, silence) {
		ping, stop := context.WithTimeoutCause(ctx, silence, silent)
		if err := r.rpc.Call(ping, methodPing, none{}, nil); errors.Is(err, silent) {
			cancel(silent)
		}
		stop()
	}
}

func (r *remote) SetDocument(d *api.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.documents[d.Path] = d
}

func (r *remote) CloseDocument(path record.Path) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.documents, path)
}

func (r *remote) Changed(paths []record.Path) { r.tell("changed", paths) }
func (r *remote) Pause()                      { r.tell("pause", none{}) }
func (r *remote) Resume()                     { r.tell("resume", none{}) }

// tell sends a notification.
func (r *remote) tell(method string, params any) {
	_ = r.rpc.Notify(method, params) // the next owner is told again or looks itself
}

// close ends the connection.
func (r *remote) close() error {
	err := r.conn.Close()
	r.group.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
