// Package attach lets many processes work on one index.
//
// The first process that opens a workspace owns its index: it holds the lock, has the
// index open and listens on a Unix socket. Every later process attaches: it is a client
// of the owner, with open documents of its own. When the owner ends, an attached
// process takes the lock and becomes the owner, the others attach to it, and callers
// notice nothing: questions that were under way are asked again, open documents are
// handed over again, and Run goes on.
//
// An answer is the same to the byte whether this process or the owner made it.
//
// Only the user who owns the index can attach: the directory of the socket is private,
// and each side asks the system for the other's user. What a peer sends is bounded and
// checked, and can end its own connection only. A dead owner leaves a socket that
// nobody answers; the next owner removes it under the lock, which the system releases
// when a process ends.
//
// The package knows nothing about answers and never reads an index. The processes speak
// JSON-RPC with the types of package api.
package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"ambit/server/api"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// Opener opens the index of one workspace.
type Opener interface {
	// IndexPath returns where the index lies in a cache directory, or in the user's with
	// "", and makes its directory. The error wraps [api.ErrUnwritable] when it cannot.
	IndexPath(cacheDir string) (string, error)
	// OpenIndex opens the index at path. It is called when this process comes to own the
	// index, and again when the index turned out to be damaged.
	OpenIndex(ctx context.Context, path string) (Index, error)
}

// Index is an open index. Its methods are safe for concurrent use.
type Index interface {
	// NewClient returns a client with open documents of its own. All clients share one
	// Run, which a client pauses until another one resumes it or the client is closed.
	// Closing the client does not close the index.
	NewClient() api.Workspace
	// Damaged is closed when the index file turns out to be damaged. Calls then return
	// [api.ErrDamaged]; the index is closed and opened again.
	Damaged() <-chan struct{}
	// Notice returns one line for the user about how the index was opened, or "".
	Notice() string
	// Close follows the calls of all clients and their Close.
	Close() error
}

// DefaultLockTimeout is how long Open waits for an owner that does not answer: longer
// than a short command takes to index what has changed.
const DefaultLockTimeout = 10 * time.Second

// Options tunes [Open]. The zero value is ready for use.
type Options struct {
	CacheDir string // where indexes lie; "" means the user's cache directory
	Build    string // identifies the build of ambit; only equal builds attach to each other
	// Settings decide what the index holds. The notice of a client names those that the
	// owner has differently.
	Settings map[string]string
	// Budget and DocumentsBudget are the budgets of a question that gives none; 0 leaves
	// the choice to the owner.
	Budget, DocumentsBudget int
	LockTimeout             time.Duration // 0 means DefaultLockTimeout
	Logger                  *slog.Logger  // nil discards
	// Notify takes one line for the user when something has happened to the index since
	// it was opened. It is called from one goroutine; nil logs the line.
	Notify func(line string)
}

// Client is one client of the index of a workspace, which this process or another one
// owns. Its methods are those of [api.Workspace]. Each waits while the index changes
// hands.
type Client struct {
	root   string
	opener Opener
	dir    string // of the index
	path   string // of the index
	opts   Options
	log    *slog.Logger
	notice string
	cancel context.CancelFunc // ends keep
	kept   chan struct{}      // closed when keep has returned
	last   string             // the latest line that the user was sent; used by keep only

	mu        sync.Mutex // guards all fields below
	now       *backing   // nil while the index changes hands
	err       error      // why that takes long, nil while it does not
	changed   chan struct{}
	documents map[record.Path]*api.Document
	paused    bool
	indexed   bool // Index has been called
}

var _ api.Workspace = (*Client)(nil)

// backing answers the calls of a client: the index of this process, or a connection to
// its owner.
type backing struct {
	receiver         // owner.client or remote
	owner    *owner  // nil when another process owns the index
	remote   *remote // nil when this one does
	close    func() error
	gone     <-chan struct{} // closed when the connection has ended or the index is damaged
	since    time.Time
	note     string                        // one line for the user, or ""
	sent     map[record.Path]*api.Document // the documents that receiver has; guarded by the client's mutex

	calls  sync.WaitGroup  // under way
	ctx    context.Context // of the calls; ends with errGone before the backing is closed
	cancel context.CancelCauseFunc
}

// receiver takes the calls of [api.Workspace] that have no answer.
type receiver interface {
	setDocument(d *api.Document) error
	closeDocument(path record.Path) error
	Changed(paths []record.Path)
	Pause()
	Resume()
}

// setDocuments makes these the documents that the receiver has.
func (b *backing) setDocuments(documents map[record.Path]*api.Document) error {
	for path := range b.sent {
		if documents[path] == nil {
			if err := b.closeDocument(path); err != nil {
				return err
			}
			delete(b.sent, path)
		}
	}
	for path, d := range documents {
		if b.sent[path] != d {
			if err := b.setDocument(d); err != nil {
				return err
			}
			b.sent[path] = d
		}
	}
	return nil
}

// ended reports whether another backing is about to take the place of b.
func (b *backing) ended() bool {
	select {
	case <-b.gone:
		return true
	default:
		return false
	}
}

// Open returns a client of the index of the workspace at root, an absolute path without
// symbolic links. When the index has no place in the cache directory because it cannot
// be written, it is kept in [workspace.FallbackDir], and the notice says so. The error wraps
// [ErrOther] when another build owns the index.
func Open(ctx context.Context, root string, opener Opener, o Options) (*Client, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.LockTimeout = cmp.Or(max(0, o.LockTimeout), DefaultLockTimeout)
	c, err := open(ctx, root, opener, o)
	if !errors.Is(err, api.ErrUnwritable) && !errors.Is(err, api.ErrFull) {
		return c, err
	}
	if o.CacheDir, _ = workspace.FallbackDir(); o.CacheDir == "" {
		return nil, err
	}
	c, fallbackErr := open(ctx, root, opener, o)
	if fallbackErr != nil {
		return nil, err
	}
	c.notice = fmt.Sprintf("%v; until then the index is in %s", err, o.CacheDir)
	return c, nil
}

// open opens the index in the cache directory of the options.
func open(ctx context.Context, root string, opener Opener, o Options) (*Client, error) {
	path, err := opener.IndexPath(o.CacheDir)
	if err != nil {
		return nil, err
	}
	c := &Client{
		root: root, opener: opener, dir: filepath.Dir(path), path: path, opts: o, log: o.Logger.With("system", "attach"),
		kept: make(chan struct{}), changed: make(chan struct{}), documents: map[record.Path]*api.Document{},
	}
	b, err := c.elect(ctx)
	if err != nil {
		return nil, err
	}
	c.notice, c.last = b.note, b.note
	c.adopt(b)
	ctx, c.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(c.kept)
		c.keep(ctx)
	}()
	return c, nil
}

// Close releases the index. If this process owned it, another one may take it over.
func (c *Client) Close() error {
	c.cancel()
	<-c.kept
	c.mu.Lock()
	b := c.now
	c.mu.Unlock()
	if b == nil {
		return nil
	}
	return b.close()
}

// retryInterval is how often a process that waits for the index tries again: a dial and
// a try for the lock take 50 µs, and the owner listens as soon as it has the lock.
const retryInterval = 10 * time.Millisecond

// failInterval is how often a client without an index tries again when more is in the
// way than a change of hands.
const failInterval = time.Second

// elect attaches to the owner or becomes it. It waits while the index changes hands, at
// most for the lock timeout.
func (c *Client) elect(ctx context.Context) (*backing, error) {
	limit := time.Now().Add(c.opts.LockTimeout)
	for {
		b, err := c.try(ctx)
		switch {
		case err == nil:
			b.since, b.sent = time.Now(), map[record.Path]*api.Document{}
			b.ctx, b.cancel = context.WithCancelCause(context.Background())
			return b, nil
		case !errors.Is(err, workspace.ErrLocked):
			return nil, err
		case time.Now().After(limit):
			return nil, c.inUse()
		case !wait(ctx, retryInterval):
			return nil, context.Cause(ctx)
		}
	}
}

// try tries once. It returns workspace.ErrLocked when there is an owner that does not answer.
func (c *Client) try(ctx context.Context) (*backing, error) {
	r, err := c.dial(ctx)
	if err == nil {
		return &backing{receiver: r, remote: r, close: r.close, gone: r.gone, note: c.differences(r.owner)}, nil
	}
	if !errors.Is(err, workspace.ErrLocked) {
		return nil, err
	}
	lock, err := workspace.TakeLock(c.dir)
	if err != nil {
		return nil, err
	}
	o, err := c.own(ctx, lock)
	if err != nil {
		return nil, err
	}
	return &backing{receiver: o.client, owner: o, close: o.close, gone: o.index.Damaged(), note: o.index.Notice()}, nil
}

// inUse returns the error of a process that has waited too long for the owner.
func (c *Client) inUse() error {
	name := "another ambit process"
	if pid, _ := workspace.Owner(c.dir); pid != 0 {
		name = fmt.Sprintf("process %d", pid)
	}
	return fmt.Errorf("open the index of %s: %s has it and does not answer; wait until it is done, or end it", c.root, name)
}

// adopt makes b answer from now on, paused if the client has paused the former backing.
func (c *Client) adopt(b *backing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused {
		b.Pause()
	}
	c.now, c.err = b, nil
	c.announce()
}

// announce wakes the callers that wait for a backing. The caller holds c.mu.
func (c *Client) announce() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// keep replaces a backing that has ended, until ctx is done.
func (c *Client) keep(ctx context.Context) {
	var damages int // in a row
	for {
		c.mu.Lock()
		b := c.now
		c.mu.Unlock()
		select {
		case <-b.gone:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		c.now = nil
		c.announce()
		c.mu.Unlock()
		b.cancel(errGone)
		b.calls.Wait()
		if err := b.close(); err != nil {
			c.log.Debug("detach", "reason", err.Error())
		}
		var pause time.Duration
		switch lasted := time.Since(b.since); {
		case b.owner != nil:
			damages, pause = damageWait(damages, lasted)
			if pause > 0 {
				c.fail(fmt.Errorf("the index of %s was damaged %d times in a row, the next is begun in %v; check the disk or choose another cache directory with XDG_CACHE_HOME",
					c.root, damages, pause))
			}
		case lasted < failInterval:
			pause = retryInterval
		}
		if !wait(ctx, pause) || !c.renew(ctx, b) {
			return
		}
	}
}

// A damaged index is rebuilt at once. On a failing disk the next one is damaged soon
// after, and rebuilding without end would keep a process busy; each further wait is
// twice as long.
const (
	maxDamageWait = time.Minute
	damageCalm    = 10 * time.Minute // an index that lasts longer was sound
)

// damageWait counts an index that was damaged, after n in a row, and returns how long to
// wait before the next one is built.
func damageWait(n int, lasted time.Duration) (int, time.Duration) {
	if lasted > damageCalm {
		n = 0
	}
	if n == 0 {
		return 1, 0
	}
	return n + 1, min(failInterval<<min(n-1, 10), maxDamageWait)
}

// renew finds the next backing and reports whether it did before ctx was done.
func (c *Client) renew(ctx context.Context, before *backing) bool {
	for {
		b, err := c.elect(ctx)
		if err == nil {
			c.report(before, b)
			c.catchUp(ctx, b)
			c.adopt(b)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		c.fail(err)
		if !wait(ctx, failInterval) {
			return false
		}
	}
}

// catchUp brings the index up to date if the client has asked for that before.
func (c *Client) catchUp(ctx context.Context, b *backing) {
	c.mu.Lock()
	indexed := c.indexed
	c.mu.Unlock()
	if !indexed {
		return
	}
	b.calls.Add(1)
	if _, lost, err := call(ctx, c, b, "index", index, none{}, nil); err != nil && !lost && ctx.Err() == nil {
		c.log.Warn("index after a change of hands", "reason", err.Error())
	}
}

// fail has the callers return err until there is a backing.
func (c *Client) fail(err error) {
	c.mu.Lock()
	known := c.err != nil && c.err.Error() == err.Error()
	c.err = err
	c.announce()
	c.mu.Unlock()
	if !known {
		c.log.Warn("the index is not available", "reason", err.Error())
	}
}

// report tells the user why a backing was replaced, unless that was the latest line
// already. A process gives up its own index only because the file is damaged.
func (c *Client) report(before, now *backing) {
	note := now.note
	if before.owner != nil && note == "" {
		note = "the index file was damaged; kept beside, building a new index"
	}
	switch {
	case note == "" || note == c.last:
		return
	case c.opts.Notify != nil:
		c.opts.Notify(note)
	default:
		c.log.Warn(note)
	}
	c.last = note
}

// wait waits and reports whether it did so before ctx was done.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
