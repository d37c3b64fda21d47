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
	"ambit/server/process"
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
}

// dial attaches to the owner of the index. It returns [workspace.ErrLocked] when none
// answers, and an error that wraps [ErrOther] when the owner is another build.
func (c *Client) dial(ctx context.Context) (*remote, error) {
	_, socket := workspace.Owner(c.dir)
	if socket == "" {
		return nil, workspace.ErrLocked
	}
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialUnix(ctx, "unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, workspace.ErrLocked
	}
	if err := process.SameUser(conn); err != nil {
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
	r := &remote{root: root, conn: conn, rpc: rpc.NewConn(conn, options), gone: make(chan struct{})}
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
			var report rpc.Report
			if m.Method() == rpc.MethodReport && rpc.Unmarshal(m.Params(), &report) == nil {
				r.rpc.DeliverReport(report)
			}
		}
	}
}

// start sends a question, a pointer that it may change. Sent are the documents that the
// owner has, in their versions.
func (r *remote) start(method string, question any, sent map[record.Path]*api.Document) (*rpc.Call, error) {
	if d := textDocument(question); d != nil && d.Document != nil && d.Document == sent[d.Path] {
		d.Document = nil // the owner has it
	}
	return r.rpc.Start(method, question)
}

// finish waits for the answer to a call. It calls observe, unless nil, with the latest
// report. Unless endless, it gives up when the owner does not answer.
func finish[A, P any](ctx context.Context, r *remote, call *rpc.Call, endless bool, observe func(P)) (answer A, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	if !endless {
		group.Go(func() { r.guard(ctx, cancel) })
	}
	err = call.Wait(ctx, &answer, func(raw json.RawMessage) {
		var p P
		if observe != nil && rpc.Unmarshal(raw, &p) == nil {
			observe(p)
		}
	})
	cancel(nil)
	group.Wait()
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		err = readError(wire)
	}
	return answer, r.explain(err)
}

// explain returns errGone for an error of a connection that has ended, which it makes
// sure of.
func (r *remote) explain(err error) error {
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
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

func (r *remote) setDocument(d *api.Document) error {
	if err := r.rpc.Notify("setDocument", d); err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	return nil
}

func (r *remote) closeDocument(path record.Path) error { return r.rpc.Notify("closeDocument", path) }

func (r *remote) Changed(paths []record.Path) { r.tell("changed", paths) }
func (r *remote) Pause()                      { r.tell("pause", none{}) }
func (r *remote) Resume()                     { r.tell("resume", none{}) }

// tell sends a notification.
func (r *remote) tell(method string, params any) {
	_ = r.rpc.Notify(method, params) // the next owner pauses again, and scans the tree
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
