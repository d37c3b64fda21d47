// Package attach lets many processes work on one index.
//
// The first process that opens a workspace owns its index: it holds the lock, has the
// index open and listens on a Unix socket. Every later process attaches: it is a client
// of the owner, with open documents of its own. When the owner ends, an attached
// process takes the lock and becomes the owner, the others attach to it, and callers
// notice nothing: the client asks the new owner the questions that were under way, hands
// it the open documents, and Run goes on.
//
// An answer is the same to the byte whether this process or the owner made it.
//
// Only the user of the owner can attach: the directory of the socket is private,
// and each side asks the system for the other's user. A message is bounded and
// checked, and can end its own connection only. A dead owner leaves a socket without a
// listener; the next owner removes it under the lock, which the system releases when a
// process ends.
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
