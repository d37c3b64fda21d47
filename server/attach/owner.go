package attach

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"ambit/server/session"
)

// Bounds of an owner.
const (
	maxPeers = 64        // connections; further ones are closed
	maxCalls = 256       // of one peer that are not answered yet; further ones are refused
	maxOpen  = 512 << 20 // bytes of the documents that one peer has open; with more it is sent away

	// maxAnswering is how many calls are worked on at once, save those that only wait:
	// they are bound by the processor.
	maxAnswering = 8
)

// owner is the process that has the index: its session, the lock and the socket.
type owner struct {
	opts     Options
	since    time.Time
	log      *slog.Logger
	files    files
	lock     *os.File
	listener *net.UnixListener // nil when there is none to be had
	ctx      context.Context   // ends with close
	cancel   context.CancelFunc
	group    sync.WaitGroup
	slots    chan struct{} // one for each call that is worked on
	ready    chan struct{} // closed when session or err is set

	session *session.Session // valid once ready
	err     error
	follow  follow

	mu     sync.Mutex // guards all fields below
	peers  map[*peer]bool
	paused map[*local]bool // who has paused
}

// own opens the index for this process and those who attach to it. It listens first:
// who attaches meanwhile waits for the session instead of the lock.
func own(ctx context.Context, root string, f files, lock *os.File, opts Options) (*owner, error) {
	o := &owner{
		opts: opts, since: time.Now(), log: opts.Session.Logger.With("system", "attach"), files: f, lock: lock,
		slots: make(chan struct{}, maxAnswering), ready: make(chan struct{}), peers: map[*peer]bool{}, paused: map[*local]bool{},
	}
	o.follow.moved = make(chan struct{})
	o.ctx, o.cancel = context.WithCancel(context.Background())
	var err error
	if o.listener, err = f.listen(lock); err != nil {
		o.log.Warn("no other process can attach to the index", "root", root, "reason", err.Error())
	} else {
		o.group.Go(o.accept)
	}
	_, missing := os.Lstat(f.index())
	o.session, o.err = session.Open(ctx, root, opts.Session)
	close(o.ready)
	if o.err != nil {
		return nil, errors.Join(o.err, o.close())
	}
	if errors.Is(missing, fs.ErrNotExist) {
		f.sweep()
	}
	return o, nil
}

// accept takes connections until the listener is closed.
func (o *owner) accept() {
	for {
		conn, err := o.listener.AcceptUnix()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				o.log.Warn("no further process can attach to the index", "reason", err.Error())
			}
			return
		}
		p := newPeer(o, conn)
		if p == nil {
			conn.Close()
			continue
		}
		o.group.Go(p.serve)
	}
}

// close sends all peers away, closes the session and lets the index go.
func (o *owner) close() error {
	o.cancel()
	var err error
	if o.listener != nil {
		err = o.listener.Close()
	}
	o.mu.Lock()
	for p := range o.peers {
		p.conn.Close()
	}
	o.mu.Unlock()
	o.group.Wait()
	if o.session != nil {
		err = errors.Join(err, o.session.Close())
	}
	return errors.Join(err, o.files.leave(o.lock))
}

// client returns a client of this process's.
func (o *owner) client() *local { return &local{Session: o.session.Beside(), owner: o} }

// leave forgets a client; what it has paused goes on.
func (o *owner) leave(l *local) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.paused[l] {
		if delete(o.paused, l); len(o.paused) == 0 {
			o.session.Resume()
		}
	}
}

// local is one client of the session of this process: for this process, or for one
// that is attached.
type local struct {
	*session.Session
	owner *owner
	peer  bool
}

// Run watches the one run of the index, which the first to call it starts.
func (l *local) Run(ctx context.Context, observe func(session.State)) error {
	l.owner.run()
	return l.owner.follow.watch(ctx, observe)
}

// Index brings the index up to the tree. It shows how far those are that it waits for.
func (l *local) Index(ctx context.Context, progress func(session.Progress)) (session.Report, error) {
	if progress == nil {
		progress = func(session.Progress) {}
	}
	o := l.owner
	waiting := o.follow.await(ctx, func(st session.State) {
		if st.Name == session.Indexing {
			progress(session.Progress{Phase: "indexing", Done: st.Done, Total: st.Total})
		}
	})
	defer waiting.end()
	defer o.follow.end(o)
	return l.Session.Index(ctx, func(p session.Progress) {
		waiting.end()
		o.follow.begin(session.State{Name: session.Indexing, Done: p.Done, Total: p.Total, Pending: p.Total - p.Done})
		progress(p)
	})
}

// Reindex reads files anew.
func (l *local) Reindex(ctx context.Context, dir string, progress func(session.State)) (int, error) {
	o := l.owner
	defer o.follow.end(o)
	return l.Session.Reindex(ctx, dir, func(st session.State) {
		o.follow.begin(st)
		if progress != nil {
			progress(st)
		}
	})
}

// Pause stops Run for everybody.
func (l *local) Pause() {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	l.owner.paused[l] = true
	l.Session.Pause()
}

// Resume lets Run go on for everybody.
func (l *local) Resume() {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	clear(l.owner.paused)
	l.Session.Resume()
}

// Owner says who owns the index.
func (l *local) Owner(context.Context) (Owner, error) {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	return Owner{PID: os.Getpid(), Self: true, Clients: len(l.owner.peers)}, nil
}

// Close lets the open buffers go; the client of this process lets the index go too.
func (l *local) Close() error {
	l.owner.leave(l)
	if l.peer {
		return l.Session.Close()
	}
	return l.owner.close()
}
