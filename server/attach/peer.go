package attach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"ambit/server/session"
)

// peer is a process that is attached, as its owner sees it.
type peer struct {
	owner *owner
	conn  *net.UnixConn
	out   *outbox
	local *local                     // its client of the session
	open  map[string]*session.Buffer // what it has open; of the reader, as the next
	nOpen int                        // bytes of the texts in open

	mu     sync.Mutex // guards all fields below
	calls  map[uint64]context.CancelFunc
	asking int // bytes of the calls
}

// newPeer admits a connection, and returns nil when it does not: of another user, or
// of too many.
func newPeer(o *owner, conn *net.UnixConn) *peer {
	if err := sameUser(conn); err != nil {
		o.log.Warn("a process was refused", "reason", err.Error())
		return nil
	}
	p := &peer{owner: o, conn: conn, out: newOutbox(conn), open: map[string]*session.Buffer{}, calls: map[uint64]context.CancelFunc{}}
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
	in := bufio.NewReader(p.conn)
	if !p.greet(in) {
		return
	}
	ctx, cancel := context.WithCancel(p.owner.ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	defer p.leave() // before waiting for the writer
	group.Go(func() { p.out.write(ctx.Done()) })
	if !p.opened(ctx) {
		return
	}
	defer p.local.Close()
	for {
		m, err := readMessage(in)
		if err == nil {
			err = p.handle(ctx, &group, m)
		}
		if err != nil {
			if errors.Is(err, errEncoding) {
				p.owner.log.Warn("an attached process was sent away", "reason", err.Error())
			}
			return
		}
	}
}

// leave ends the connection.
func (p *peer) leave() {
	p.owner.mu.Lock()
	delete(p.owner.peers, p)
	p.owner.mu.Unlock()
	p.conn.Close()
}

// opened waits until the session is open, and reports whether it is.
func (p *peer) opened(ctx context.Context) bool {
	alive := time.NewTicker(silence / 2)
	defer alive.Stop()
	for {
		select {
		case <-p.owner.ready:
			if p.owner.err != nil {
				return false
			}
			p.local = p.owner.client()
			p.local.peer = true
			return true
		case <-alive.C:
			p.out.put(message{Kind: kindPong}) // is small
		case <-ctx.Done():
			return false
		}
	}
}

// greet exchanges hellos, and reports whether the two understand each other. Who does
// not is told all the same who is here.
func (p *peer) greet(in *bufio.Reader) bool {
	if err := p.conn.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return false
	}
	theirs, err := readHello(in)
	if err != nil {
		return false
	}
	own := hello{Protocol: protocol(), Build: p.owner.opts.Build, PID: os.Getpid(), Since: p.owner.since.UnixNano(), Shape: shapeOf(p.owner.opts.Session.Settings)}
	if err := writeHello(p.conn, own); err != nil {
		return false
	}
	return theirs.Protocol == own.Protocol && theirs.Build == own.Build && p.conn.SetDeadline(time.Time{}) == nil
}

// handle handles one message. An error ends the connection.
func (p *peer) handle(ctx context.Context, group *sync.WaitGroup, m message) error {
	switch m.Kind {
	case kindCancel:
		p.mu.Lock()
		defer p.mu.Unlock()
		if cancel := p.calls[m.ID]; cancel != nil {
			cancel()
		}
		return nil
	case kindPing:
		return p.out.put(message{Kind: kindPong})
	case kindTell, kindCall:
	default:
		return fmt.Errorf("%w: kind %d", errEncoding, m.Kind)
	}
	method, ok := methods[m.Method]
	if !ok {
		return fmt.Errorf("%w: method %q", errEncoding, m.Method)
	}
	answer, err := method.prepare(p, m.Body)
	switch {
	case errors.Is(err, errEncoding):
		return err
	case m.Kind == kindTell:
		return nil
	case err != nil:
		return p.out.put(message{Kind: kindError, ID: m.ID, Body: marshal(failureOf(err))})
	case answer == nil:
		return fmt.Errorf("%w: %s has no answer", errEncoding, m.Method)
	}
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	full, taken := len(p.calls) >= maxCalls || p.asking+len(m.Body) > maxQueue, p.calls[m.ID] != nil
	if !full && !taken {
		p.calls[m.ID] = cancel
		p.asking += len(m.Body)
	}
	p.mu.Unlock()
	switch {
	case taken:
		cancel()
		return fmt.Errorf("%w: call %d twice", errEncoding, m.ID)
	case full:
		cancel()
		return p.out.put(message{Kind: kindError, ID: m.ID, Body: marshal(failure{Text: "too many questions at once; ask again"})})
	}
	group.Go(func() {
		defer cancel()
		p.answer(ctx, m, answer)
	})
	return nil
}

// waits lists the methods that wait more than they work.
var waits = []string{"Run", "Index", "Reindex", "Status"}

// answer answers one call. To one that ends because its connection does, nobody
// listens, and the client asks the next owner.
func (p *peer) answer(ctx context.Context, m message, answer answerer) {
	defer func() {
		p.mu.Lock()
		delete(p.calls, m.ID)
		p.asking -= len(m.Body)
		p.mu.Unlock()
	}()
	if !slices.Contains(waits, m.Method) {
		select {
		case p.owner.slots <- struct{}{}:
			defer func() { <-p.owner.slots }()
		case <-ctx.Done():
			return
		}
	}
	body, err := p.guarded(ctx, m, answer)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		err = p.out.put(message{Kind: kindReply, ID: m.ID, Body: body})
	}
	if err != nil {
		p.out.put(message{Kind: kindError, ID: m.ID, Body: marshal(failureOf(err))}) // is small
	}
}

// guarded calls answer; a panic is an error, and goes no further.
func (p *peer) guarded(ctx context.Context, m message, answer answerer) (body []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.owner.log.Error("panic", "in", m.Method, "value", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = fmt.Errorf("ambit came to a panic in %s; the log of process %d has the stack", m.Method, os.Getpid())
		}
	}()
	return answer(ctx, func(v any) {
		p.out.put(message{Kind: kindUpdate, ID: m.ID, Body: marshal(v)}) // is small
	})
}
