package attach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ambit/server/assemble"
	"ambit/server/session"
	"ambit/vectors/record"
)

// remote is a client of the session of another process.
type remote struct {
	root  string
	conn  *net.UnixConn
	in    *bufio.Reader
	out   *outbox
	owner hello
	gone  chan struct{} // closed when the connection has ended
	group sync.WaitGroup
	heard atomic.Uint64 // counts what the owner has sent

	mu      sync.Mutex // guards all fields below
	over    bool
	last    uint64
	calls   map[uint64]*pending
	buffers map[string]*session.Buffer // what the client has open
	sent    map[string]*session.Buffer // what the owner has been told of them
}

// pending is a call that waits for its reply.
type pending struct {
	reply chan message // takes the one reply

	mu     sync.Mutex    // guards update
	wake   chan struct{} // holds a value when update is new
	update []byte        // the latest, nil for none
}

// dial attaches to the owner of an index. It returns [errBusy] when nobody answers, and
// an error that wraps [ErrOther] when somebody does who cannot be understood.
func dial(ctx context.Context, root string, f files, o Options) (*remote, error) {
	_, socket := f.owner()
	if socket == "" {
		return nil, errBusy
	}
	var d net.Dialer
	dialed, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, errBusy
	}
	conn, ok := dialed.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errBusy, dialed.Close())
	}
	r := &remote{
		root: root, conn: conn, in: bufio.NewReader(conn), out: newOutbox(conn), gone: make(chan struct{}), calls: map[uint64]*pending{},
		buffers: map[string]*session.Buffer{}, sent: map[string]*session.Buffer{},
	}
	if err := r.greet(ctx, o); err != nil {
		conn.Close()
		return nil, err
	}
	r.group.Go(func() { r.out.write(r.gone) })
	r.group.Go(r.read)
	return r, nil
}

// greet exchanges hellos.
func (r *remote) greet(ctx context.Context, o Options) error {
	if err := sameUser(r.conn); err != nil {
		return fmt.Errorf("attach to the owner of %s: %w", r.root, err)
	}
	stop := context.AfterFunc(ctx, func() { r.conn.Close() })
	defer stop()
	if err := r.conn.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return errBusy
	}
	own := hello{Protocol: protocol(), Build: o.Build, PID: os.Getpid(), Shape: shapeOf(o.Session.Settings)}
	if err := writeHello(r.conn, own); err != nil {
		return errBusy
	}
	var err error
	if r.owner, err = readHello(r.in); err != nil {
		return errBusy
	}
	if r.owner.Protocol != own.Protocol || r.owner.Build != own.Build {
		return fmt.Errorf("%w: process %d has that of %s, and its build %q is not this one, %q; end that process, or use its version",
			ErrOther, r.owner.PID, r.root, r.owner.Build, own.Build)
	}
	if !stop() {
		return errBusy
	}
	return r.conn.SetDeadline(time.Time{})
}

// read hands out what the owner sends until the connection ends.
func (r *remote) read() {
	for {
		m, err := readMessage(r.in)
		if err != nil {
			break
		}
		r.heard.Add(1)
		r.mu.Lock()
		p := r.calls[m.ID]
		if m.Kind != kindUpdate {
			delete(r.calls, m.ID)
		}
		r.mu.Unlock()
		switch {
		case p == nil: // a pong, or of a call that was cancelled
		case m.Kind == kindUpdate:
			p.updated(m.Body)
		default:
			p.reply <- m
		}
	}
	r.conn.Close()
	r.mu.Lock()
	r.over = true
	close(r.gone) // at once: who is refused because it is over must see that it has gone
	r.mu.Unlock()
}

// updated notes how far the call is.
func (p *pending) updated(body []byte) {
	p.mu.Lock()
	p.update = body
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// latest returns the update that was not yet told, nil for none.
func (p *pending) latest() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	body := p.update
	p.update = nil
	return body
}

// tell sends what has no answer.
func (r *remote) tell(method string, in any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.out.put(message{Kind: kindTell, Method: method, Body: marshal(in)}) // what is too large is not told
	}
}

// send sends a call; in makes what is asked, once the owner has been told of the open
// buffers.
func (r *remote) send(method string, in func() any) (uint64, *pending, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return 0, nil, errGone
	}
	if err := r.handOver(); err != nil {
		return 0, nil, err
	}
	r.last++
	p := &pending{reply: make(chan message, 1), wake: make(chan struct{}, 1)}
	if err := r.out.put(message{Kind: kindCall, ID: r.last, Method: method, Body: marshal(in())}); err != nil {
		return 0, nil, err
	}
	r.calls[r.last] = p
	return r.last, p, nil
}

// handOver tells the owner what has changed of the open buffers since the last call:
// an editor tells of every key, a question comes now and then. The caller holds r.mu.
func (r *remote) handOver() error {
	for path := range r.sent {
		if r.buffers[path] == nil {
			if err := r.out.put(message{Kind: kindTell, Method: "CloseBuffer", Body: marshal(path)}); err != nil {
				return err
			}
			delete(r.sent, path)
		}
	}
	for path, b := range r.buffers {
		if r.sent[path] == b {
			continue
		}
		if err := r.out.put(message{Kind: kindTell, Method: "SetBuffer", Body: marshal(documentOf(b))}); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.sent[path] = b
	}
	return nil
}

// call asks the owner and waits for the answer. It calls update, unless nil, with the
// latest news of the call, in this goroutine.
func call[Out any](ctx context.Context, r *remote, method string, in func() any, update func([]byte) error) (out Out, err error) {
	id, p, err := r.send(method, in)
	if err != nil {
		return out, err
	}
	news := func() error {
		if body := p.latest(); body != nil && update != nil {
			return update(body)
		}
		return nil
	}
	alive := r.pulse(method)
	defer alive.stop()
	for {
		select {
		case <-alive.C:
			if err := alive.beat(); err != nil {
				r.abandon(id)
				return out, err
			}
		case <-p.wake:
			if err := news(); err != nil {
				return out, err
			}
		case m := <-p.reply:
			if err := news(); err != nil {
				return out, err
			}
			if m.Kind == kindReply {
				return unmarshal[Out](m.Body)
			}
			f, err := unmarshal[failure](m.Body)
			if err != nil {
				return out, err
			}
			return out, &told{f}
		case <-r.gone:
			if len(p.reply) > 0 { // it came just before
				continue
			}
			return out, errGone
		case <-ctx.Done():
			r.abandon(id)
			return out, context.Cause(ctx)
		}
	}
}

// abandon ends a call that nobody waits for any more.
func (r *remote) abandon(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, id)
	r.out.put(message{Kind: kindCancel, ID: id}) // is small
}

// pulse watches over the owner during a call.
type pulse struct {
	r     *remote
	timer *time.Ticker
	C     <-chan time.Time // nil for a call that goes on and on: nobody waits for it
	heard uint64
	asked bool
}

func (r *remote) pulse(method string) *pulse {
	p := &pulse{r: r, heard: r.heard.Load()}
	if method != "Run" {
		p.timer = time.NewTicker(silence)
		p.C = p.timer.C
	}
	return p
}

func (p *pulse) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// beat asks the owner whether it is alive when it has been silent, and returns an
// error when it was asked before.
func (p *pulse) beat() error {
	heard := p.r.heard.Load()
	silent := heard == p.heard
	p.heard = heard
	if silent && p.asked {
		return fmt.Errorf("process %d, which has the index of %s, does not answer; continue it (kill -CONT %d) or end it",
			p.r.owner.PID, p.r.root, p.r.owner.PID)
	}
	if p.asked = silent; silent {
		p.r.out.put(message{Kind: kindPing}) // is small
	}
	return nil
}

// is returns a question that does not depend on the open buffers.
func is(v any) func() any { return func() any { return v } }

// updating decodes updates.
func updating[T any](observe func(T)) func([]byte) error {
	if observe == nil {
		return nil
	}
	return func(body []byte) error {
		v, err := unmarshal[T](body)
		if err == nil {
			observe(v)
		}
		return err
	}
}

// text spells what the text of a place is. The caller holds r.mu.
func (r *remote) text(at *session.Place) text {
	switch {
	case at == nil || at.Buffer == nil:
		return text{}
	case at.Buffer.Path() == at.File && r.sent[at.File] == at.Buffer:
		return text{Open: true}
	}
	d := documentOf(at.Buffer)
	return text{Own: &d}
}

// place spells a place. The caller holds r.mu.
func (r *remote) place(at session.Place) place { return place{at, r.text(&at)} }

// question spells a question. The caller holds r.mu.
func (r *remote) question(q session.Question) question {
	return question{q, r.text(q.At), q.Cost.Style}
}

func (r *remote) Context(ctx context.Context, q session.Question) (*assemble.Bundle, error) {
	return call[*assemble.Bundle](ctx, r, "Context", func() any { return r.question(q) }, nil)
}

func (r *remote) Search(ctx context.Context, q session.Search) (session.Found, error) {
	return call[session.Found](ctx, r, "Search", is(q), nil)
}

func (r *remote) Related(ctx context.Context, at session.Place, limit int) (session.Found, error) {
	return call[session.Found](ctx, r, "Related", func() any { return relatedQuestion{r.place(at), limit} }, nil)
}

func (r *remote) Explain(ctx context.Context, q session.Question, t session.Target) (*session.Explanation, error) {
	return call[*session.Explanation](ctx, r, "Explain", func() any { return explainQuestion{r.question(q), t} }, nil)
}

func (r *remote) Card(ctx context.Context, at session.Place) (*session.Card, error) {
	return call[*session.Card](ctx, r, "Card", func() any { return r.place(at) }, nil)
}

func (r *remote) Chunks(ctx context.Context, path string) ([]record.Chunk, []byte, error) {
	a, err := call[chunksAnswer](ctx, r, "Chunks", is(path), nil)
	return a.Chunks, a.Content, err
}

func (r *remote) Pieces(ctx context.Context, path string) ([]session.Piece, error) {
	return call[[]session.Piece](ctx, r, "Pieces", is(path), nil)
}

func (r *remote) Text(ctx context.Context, path string) ([]byte, error) {
	return call[[]byte](ctx, r, "Text", is(path), nil)
}

func (r *remote) Status(ctx context.Context) (session.Status, error) {
	return call[session.Status](ctx, r, "Status", is(none{}), nil)
}

func (r *remote) Stored(ctx context.Context) (session.Status, error) {
	return call[session.Status](ctx, r, "Stored", is(none{}), nil)
}

func (r *remote) Owner(ctx context.Context) (Owner, error) {
	o, err := call[Owner](ctx, r, "Owner", is(none{}), nil)
	o.Self = false
	return o, err
}

func (r *remote) SetBuffer(b *session.Buffer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buffers[b.Path()] = b
}

func (r *remote) CloseBuffer(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.buffers, path)
}

func (r *remote) Changed(paths []string) { r.tell("Changed", paths) }
func (r *remote) Pause()                 { r.tell("Pause", none{}) }
func (r *remote) Resume()                { r.tell("Resume", none{}) }

func (r *remote) Run(ctx context.Context, observe func(session.State)) error {
	_, err := call[none](ctx, r, "Run", is(none{}), updating(observe))
	return err
}

func (r *remote) Index(ctx context.Context, progress func(session.Progress)) (session.Report, error) {
	return call[session.Report](ctx, r, "Index", is(none{}), updating(progress))
}

func (r *remote) Reindex(ctx context.Context, dir string, progress func(session.State)) (int, error) {
	return call[int](ctx, r, "Reindex", is(dir), updating(progress))
}

func (r *remote) Root() string   { return r.root }
func (r *remote) Notice() string { return "" }

// Close ends the connection.
func (r *remote) Close() error {
	err := r.conn.Close()
	r.group.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
