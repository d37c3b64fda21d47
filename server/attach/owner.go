package attach

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"

	"ambit/server/api"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// Bounds of an owner.
const (
	maxPeers     = 64        // connections; further ones are closed
	maxCalls     = 256       // of one peer under way; further ones are refused
	maxCallBytes = 96 << 20  // of one peer's calls under way; further ones are refused
	maxOpenBytes = 512 << 20 // of the documents that one peer has open; beyond it the connection ends

	// maxAnswering is how many calls are answered at once, except those that mostly wait:
	// answering takes the processor.
	maxAnswering = 8
)

// owner is the process that owns an index: the index, the lock and the socket.
type owner struct {
	hello    hello
	log      *slog.Logger
	lock     *workspace.Lock
	listener *net.UnixListener // nil when there can be none
	ctx      context.Context   // ends with close
	cancel   context.CancelFunc
	group    sync.WaitGroup
	slots    chan struct{} // holds a value for each call that is answered

	index  Index
	client *local // of this process

	mu    sync.Mutex // guards peers
	peers map[*peer]bool
}

// own opens the index for this process and for those that attach. It listens first, and
// accepts connections when the index is open: others wait rather than fail.
func (c *Client) own(ctx context.Context, lock *workspace.Lock) (*owner, error) {
	o := &owner{
		hello: hello{Build: c.opts.Build, PID: os.Getpid(), Settings: c.opts.Settings},
		log:   c.log, lock: lock, slots: make(chan struct{}, maxAnswering),
		peers: map[*peer]bool{},
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	var err error
	if o.listener, err = listen(lock); err != nil {
		o.log.Warn("no other process can attach to the index", "root", c.root, "reason", err.Error())
	}
	_, missing := os.Lstat(c.path)
	if o.index, err = c.opener.OpenIndex(ctx, c.path); err != nil {
		return nil, errors.Join(err, o.close())
	}
	o.client = o.newClient()
	if o.listener != nil {
		o.group.Go(o.accept)
	}
	if errors.Is(missing, fs.ErrNotExist) {
		workspace.RemoveOldIndexes(c.dir)
		workspace.RemoveOrphans(c.dir)
		workspace.NoteWorktree(c.dir, c.root)
	}
	return o, nil
}

// listen listens and notes where.
func listen(lock *workspace.Lock) (*net.UnixListener, error) {
	if err := lock.SetOwner(os.Getpid(), ""); err != nil {
		return nil, err
	}
	path, err := lock.SocketPath()
	if err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err = os.Chmod(path, 0o600); err == nil {
		err = lock.SetOwner(os.Getpid(), path)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	listener.SetUnlinkOnClose(false) // closing the lock does, unless the lock file is another one
	return listener, nil
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
		if p := o.admit(conn); p != nil {
			o.group.Go(p.serve)
		} else {
			conn.Close()
		}
	}
}

// close ends all connections, closes the index and releases it.
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
	if o.index != nil {
		err = errors.Join(err, o.client.Workspace.Close(), o.index.Close())
	}
	return errors.Join(err, o.lock.Close())
}

func (o *owner) newClient() *local { return &local{o.index.NewClient(), o} }

// local is one client of the index of this process, for this process or an attached
// one.
type local struct {
	api.Workspace
	owner *owner
}

// Status adds the owner of the index.
func (l *local) Status(ctx context.Context, q api.StatusQuestion) (*api.Status, error) {
	st, err := l.Workspace.Status(ctx, q)
	if err != nil {
		return nil, err
	}
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	st.OwnerPID, st.Clients = l.owner.hello.PID, len(l.owner.peers)
	return st, nil
}

func (l *local) setDocument(d *api.Document) error {
	l.SetDocument(d)
	return nil
}

func (l *local) closeDocument(path record.Path) error {
	l.CloseDocument(path)
	return nil
}
