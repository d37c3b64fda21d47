package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/api"
	"ambit/server/process"
	"ambit/server/rpc"
	"ambit/vectors/record"
)

// peer is an attached process, as its owner sees it.
type peer struct {
	owner     *owner
	conn      *net.UnixConn
	rpc       *rpc.Conn
	client    *local                        // of the index; the reader alone uses it and the next two fields
	open      map[record.Path]*api.Document // the documents that the process has open
	openBytes int                           // of the texts in open

	mu        sync.Mutex // guards all fields below
	calls     map[jsonrpc2.ID]context.CancelFunc
	callBytes int // of calls
}

// admit takes a connection in. It returns nil when the process is another user's or one
// too many.
func (o *owner) admit(conn *net.UnixConn) *peer {
	if err := process.SameUser(conn); err != nil {
		o.log.Warn("a process was refused", "reason", err.Error())
		return nil
	}
	p := &peer{owner: o, conn: conn, rpc: rpc.NewConn(conn, options), open: map[record.Path]*api.Document{}, calls: map[jsonrpc2.ID]context.CancelFunc{}}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.peers) >= maxPeers || o.ctx.Err() != nil {
		return nil
	}
	o.peers[p] = true
	return p
}

// serve answers until the connection ends.
func (p *peer) serve() {
	defer p.leave()
	if !p.greet() {
		return
	}
	p.client = p.owner.newClient()
	defer p.client.Close()
	ctx, cancel := context.WithCancel(p.owner.ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	defer p.leave() // before waiting for the writer
	group.Go(func() {
		_ = p.rpc.Write(timedWriter{p.conn}) // ends when the peer does not read
		p.conn.Close()                       // the peer attaches again
	})
	for {
		err := p.handleNext(ctx, &group)
		if errors.Is(err, errPeer) {
			p.owner.log.Warn("the connection to an attached process was ended", "reason", err.Error())
		}
		if err != nil {
			return
		}
	}
}

// leave ends the connection.
func (p *peer) leave() {
	p.owner.mu.Lock()
	delete(p.owner.peers, p)
	p.owner.mu.Unlock()
	p.rpc.Close()
	p.conn.Close()
}

// greet exchanges hellos and reports whether the builds are equal. It replies even if
// they differ.
func (p *peer) greet() bool {
	if err := p.conn.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return false
	}
	body, err := p.rpc.Read()
	if err != nil {
		return false
	}
	m, _ := jsonrpc2.DecodeMessage(body)
	request, ok := m.(*jsonrpc2.Call)
	var theirs hello
	if !ok || request.Method() != methodHello || rpc.Unmarshal(request.Params(), &theirs) != nil {
		return false
	}
	p.rpc.Reply(request.ID(), p.owner.hello, nil)
	if theirs.Build != p.owner.hello.Build {
		p.rpc.Close()
		_ = p.rpc.Write(timedWriter{p.conn}) // the reply
		return false
	}
	return p.conn.SetDeadline(time.Time{}) == nil
}

// handleNext reads and handles one message. An error ends the connection.
func (p *peer) handleNext(ctx context.Context, group *sync.WaitGroup) error {
	body, err := p.rpc.Read()
	if err != nil {
		return err
	}
	m, err := jsonrpc2.DecodeMessage(body)
	switch m := m.(type) {
	case *jsonrpc2.Notification:
		receive, ok := notifications[m.Method()]
		if !ok {
			return fmt.Errorf("%w: notification %q", errPeer, m.Method())
		}
		return receive(p, json.RawMessage(m.Params()))
	case *jsonrpc2.Call:
		handle, ok := handlers[m.Method()]
		switch {
		case m.Method() == methodPing:
			p.rpc.Reply(m.ID(), none{}, nil)
			return nil
		case !ok:
			return fmt.Errorf("%w: call of %q", errPeer, m.Method())
		}
		answer, err := handle(p, m)
		if err != nil {
			return err
		}
		return p.begin(ctx, group, m, answer)
	}
	return fmt.Errorf("%w: %v", errPeer, err)
}

// begin answers a call in a goroutine of its own.
func (p *peer) begin(ctx context.Context, group *sync.WaitGroup, m *jsonrpc2.Call, answer answerer) error {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	full, taken := len(p.calls) >= maxCalls || p.callBytes+len(m.Params()) > maxCallBytes, p.calls[m.ID()] != nil
	if !full && !taken {
		p.calls[m.ID()] = cancel
		p.callBytes += len(m.Params())
	}
	p.mu.Unlock()
	switch {
	case taken:
		cancel()
		return fmt.Errorf("%w: two calls with id %v", errPeer, m.ID())
	case full:
		cancel()
		p.rpc.Reply(m.ID(), nil, errors.New("too many questions at once; ask again"))
		return nil
	}
	group.Go(func() {
		defer cancel()
		result, err := p.answer(ctx, m.Method(), answer)
		if ctx.Err() == nil { // otherwise the peer no longer waits
			p.rpc.Reply(m.ID(), result, err)
		}
		p.mu.Lock()
		delete(p.calls, m.ID())
		p.callBytes -= len(m.Params())
		p.mu.Unlock()
	})
	return nil
}

// waiting lists the methods that wait more than they compute.
var waiting = []string{"run", "index", "catchUp", "reindex", "status"}

// answer answers one call when there is a slot. A panic becomes an error.
func (p *peer) answer(ctx context.Context, method string, answer answerer) (result any, err error) {
	if !slices.Contains(waiting, method) {
		select {
		case p.owner.slots <- struct{}{}:
			defer func() { <-p.owner.slots }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			p.owner.log.Error("panic", "in", method, "value", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = fmt.Errorf("ambit panicked in %s; the log of process %d has the stack", method, os.Getpid())
		}
	}()
	return answer(ctx)
}

// answerer answers one call.
type answerer func(ctx context.Context) (any, error)

// handlers are the calls, named after the methods of [api.Workspace]. A handler reads
// the parameters before the next message is read; an error ends the connection.
var handlers = map[string]func(p *peer, m *jsonrpc2.Call) (answerer, error){
	"context":    handling(silently(api.Workspace.Context)),
	"search":     handling(silently(api.Workspace.Search)),
	"related":    handling(silently(api.Workspace.Related)),
	"explain":    handling(silently(api.Workspace.Explain)),
	"read":       handling(silently(api.Workspace.Read)),
	"sourceText": handling(silently(api.Workspace.SourceText)),
	"impact":     handling(silently(api.Workspace.Impact)),
	"hover":      handling(silently(api.Workspace.Hover)),
	"chunks":     handling(silently(api.Workspace.Chunks)),
	"chunkStats": handling(silently(api.Workspace.ChunkStats)),
	"status":     handling(silently(api.Workspace.Status)),
	"reindex":    handling(api.Workspace.Reindex),
	"index":      handling(index),
	"catchUp":    handling(catchUp),
	"run":        handling(run),
}

// handling handles the calls of a method.
func handling[Q, P, A any](do func(api.Workspace, context.Context, Q, func(P)) (A, error)) func(*peer, *jsonrpc2.Call) (answerer, error) {
	return func(p *peer, m *jsonrpc2.Call) (answerer, error) {
		var q Q
		if _, ok := m.ID().Number(); !ok {
			return nil, fmt.Errorf("%w: call %v of %s has no number", errPeer, m.ID(), m.Method())
		}
		if err := rpc.Unmarshal(m.Params(), &q); err != nil {
			return nil, fmt.Errorf("%w: call of %s: %v", errPeer, m.Method(), err)
		}
		if d := textDocument(&q); d != nil && d.Document == nil {
			d.Document = p.open[d.Path]
		}
		return func(ctx context.Context) (any, error) {
			return do(p.client, ctx, q, func(value P) {
				_ = p.rpc.Report(m.ID(), value) // a peer that is gone need not know
			})
		}, nil
	}
}

// notifications are the notifications, named after the methods of [api.Workspace]. They take
// effect before the next message is read; an error ends the connection.
var notifications = map[string]func(p *peer, params json.RawMessage) error{
	"setDocument":    receiving((*peer).setDocument),
	"closeDocument":  receiving((*peer).closeDocument),
	"changed":        receiving(func(p *peer, paths []record.Path) error { p.client.Changed(paths); return nil }),
	"pause":          receiving(func(p *peer, _ none) error { p.client.Pause(); return nil }),
	"resume":         receiving(func(p *peer, _ none) error { p.client.Resume(); return nil }),
	rpc.MethodCancel: receiving((*peer).cancel),
}

func receiving[T any](do func(*peer, T) error) func(*peer, json.RawMessage) error {
	return func(p *peer, params json.RawMessage) error {
		var v T
		if err := rpc.Unmarshal(params, &v); err != nil {
			return fmt.Errorf("%w: %v", errPeer, err)
		}
		return do(p, v)
	}
}

func (p *peer) setDocument(d api.Document) error {
	p.forget(d.Path)
	if p.openBytes += len(d.Text); p.openBytes > maxOpenBytes {
		return fmt.Errorf("%w: documents of %d MB are open", errPeer, p.openBytes>>20)
	}
	p.open[d.Path] = &d
	p.client.SetDocument(&d)
	return nil
}

func (p *peer) closeDocument(path record.Path) error {
	p.forget(path)
	p.client.CloseDocument(path)
	return nil
}

// forget drops a document.
func (p *peer) forget(path record.Path) {
	if d := p.open[path]; d != nil {
		p.openBytes -= len(d.Text)
		delete(p.open, path)
	}
}

// cancel cancels a call that the process no longer waits for.
func (p *peer) cancel(c rpc.Cancel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.calls[jsonrpc2.NewNumberID(c.ID)]; cancel != nil {
		cancel()
	}
	return nil
}
