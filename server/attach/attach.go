// Package attach lets many processes work on one index.
//
// The first process that opens a workspace owns its index: it holds the lock, opens
// the session and listens on a Unix socket. Every later one attaches: it has a client
// of that session, with open buffers of its own, over the socket. When the owner goes,
// however it goes, an attached process takes the lock and becomes the owner, the
// others attach to it, and who asks notices nothing: what was being asked is asked
// again, open buffers are handed over again, and Run goes on.
//
// An answer is the same to the byte whether it was made here or by the owner.
//
// Only the user who owns the index can attach: the folder of the socket is for nobody
// else, and each side asks the system who the other is. What a peer sends is bounded,
// checked, and can end its own connection only. A dead owner leaves a socket that
// nobody answers on; the next owner removes it, under the lock, which the system lets
// go when a process ends.
//
// The package decides nothing about answers and never reads an index: the session
// does.
package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ambit/server/assemble"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/record"
)

// Workspace is one client of an index: what the doors of ambit ask. *session.Session
// and *Client satisfy it; see session for what each method does.
type Workspace interface {
	Context(ctx context.Context, q session.Question) (*assemble.Bundle, error)
	Search(ctx context.Context, q session.Search) (session.Found, error)
	Related(ctx context.Context, at session.Place, limit int) (session.Found, error)
	Explain(ctx context.Context, q session.Question, t session.Target) (*session.Explanation, error)
	Card(ctx context.Context, at session.Place) (*session.Card, error)
	Chunks(ctx context.Context, path string) ([]record.Chunk, []byte, error)
	Pieces(ctx context.Context, path string) ([]session.Piece, error)
	Text(ctx context.Context, path string) ([]byte, error)
	Status(ctx context.Context) (session.Status, error)
	Stored(ctx context.Context) (session.Status, error)

	SetBuffer(b *session.Buffer)
	CloseBuffer(path string)
	Changed(paths []string)

	Run(ctx context.Context, observe func(session.State)) error
	Index(ctx context.Context, progress func(session.Progress)) (session.Report, error)
	Reindex(ctx context.Context, dir string, progress func(session.State)) (int, error)
	Pause()
	Resume()

	Root() string
	Notice() string
	Close() error
}

// Who satisfies it.
var (
	_ Workspace = (*session.Session)(nil)
	_ Workspace = (*Client)(nil)
)

// Options tunes [Open]. The zero value is ready for use.
type Options struct {
	Session session.Options // with which the index is opened by the process that comes to own it
	Build   string          // names the build of ambit; only equal ones attach to each other
	// Cost returns how a style spells an answer, by the name that [assemble.Cost] has
	// for it. Questions of attached processes need it; nil knows no style.
	Cost func(style string) (assemble.Cost, error)
	// Notify takes one line for the user when something has happened to the index since
	// it was opened, from a goroutine of the client's; nil logs it.
	Notify func(line string)
}

func (o *Options) cost(style string) (assemble.Cost, error) {
	if o.Cost == nil {
		return assemble.Cost{}, fmt.Errorf("unknown style %q", style)
	}
	return o.Cost(style)
}

// Owner says who owns an index.
type Owner struct {
	PID     int
	Self    bool // it is this process
	Clients int  // that are attached
}

// Client is one client of the index of a workspace, by way of the session of this
// process or of another one. Its methods are safe for concurrent use and are those of
// [session.Session]. Each waits while the index changes hands.
type Client struct {
	root   string
	files  files
	opts   Options
	log    *slog.Logger
	notice string
	cancel context.CancelFunc
	kept   chan struct{} // closed when keep has returned

	mu      sync.Mutex // guards all fields below
	now     *backing   // nil while the index changes hands
	err     error      // why it does, when that takes long
	moved   chan struct{}
	buffers map[string]*session.Buffer
	paused  bool
	indexed bool // Index has been called
}

// backing is what a client is a client of, as long as it lasts.
type backing struct {
	backend
	gone  <-chan struct{} // closed when it has ended, or its index has turned out to be damaged
	owner string          // names the one who owns the index, for as long as it does; "" for this process
	since time.Time       // when it began
	note  string          // one line for the user about it, "" for none
}

// own reports whether the index was this process's. It has ended because it is damaged
// then.
func (b *backing) own() bool { return b.owner == "" }

// ended reports whether another one is about to take its place.
func (b *backing) ended() bool {
	select {
	case <-b.gone:
		return true
	default:
		return false
	}
}

// replaced reports whether an error is no answer, because another backing is about to
// take the place of this one: of an index that is damaged the owner lets go.
func (b *backing) replaced(ctx context.Context, err error) bool {
	if errors.Is(err, session.ErrDamaged) {
		select {
		case <-b.gone:
		case <-ctx.Done():
		}
	}
	return errors.Is(err, errGone) || err != nil && ctx.Err() == nil && b.ended()
}

// backend is what answers: local or remote.
type backend interface {
	Workspace
	Owner(ctx context.Context) (Owner, error)
}

// Open returns a client of the index of the workspace at root: of this process's when
// nobody else has it open, else of the owner's. An index that has no place in the cache
// directory, as it cannot be written, is kept in [SpareCache]; the notice says so.
// Errors are those of [session.Open], and [ErrOther].
func Open(ctx context.Context, root string, o Options) (*Client, error) {
	root, err := session.ResolveRoot(root)
	if err != nil {
		return nil, err
	}
	if o.Session.Build == "" {
		o.Session.Build = session.Build()
	}
	if o.Session.Logger == nil {
		o.Session.Logger = slog.New(slog.DiscardHandler)
	}
	set := config.Defaults()
	if o.Session.Settings != nil {
		set = *o.Session.Settings
	}
	o.Session.Settings = &set
	c, err := open(ctx, root, o)
	if !placeless(err) {
		return c, err
	}
	if set.CacheDir, _ = SpareCache(); set.CacheDir == "" {
		return nil, err
	}
	c, spareErr := open(ctx, root, o)
	if spareErr != nil {
		return nil, err
	}
	c.notice = fmt.Sprintf("%v; until then the index is in %s", err, set.CacheDir)
	return c, nil
}

// open opens the index where the settings say.
func open(ctx context.Context, root string, o Options) (*Client, error) {
	path, err := session.IndexPath(root, o.Session.Settings.CacheDir, o.Session.Build)
	if err != nil {
		return nil, &placeError{err}
	}
	c := &Client{
		root: root, files: files{filepath.Dir(path)}, opts: o, log: o.Session.Logger.With("system", "attach"),
		kept: make(chan struct{}), moved: make(chan struct{}), buffers: map[string]*session.Buffer{},
	}
	b, err := c.elect(ctx)
	if err != nil {
		return nil, err
	}
	c.opts.Session.Rebuild = false // once is enough
	c.notice = b.note
	c.adopt(b)
	ctx, c.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(c.kept)
		c.keep(ctx)
	}()
	return c, nil
}

// retryInterval is how often somebody who waits for the index looks again: a dial and
// a try for the lock take 50 µs, and the owner listens as soon as it has the lock.
const retryInterval = 10 * time.Millisecond

// failInterval is how often a client without an index tries again when there is more
// in the way than a change of hands.
const failInterval = time.Second

// elect attaches to the owner or becomes it. It waits while the index changes hands,
// no longer than the lock timeout.
func (c *Client) elect(ctx context.Context) (*backing, error) {
	limit := time.Now().Add(cmp.Or(max(0, c.opts.Session.LockTimeout), session.DefaultLockTimeout))
	for {
		b, err := c.try(ctx)
		switch {
		case !errors.Is(err, errBusy):
			return b, err
		case time.Now().After(limit):
			return nil, c.files.inUse(c.root)
		case !wait(ctx, retryInterval):
			return nil, context.Cause(ctx)
		}
	}
}

// try tries once.
func (c *Client) try(ctx context.Context) (*backing, error) {
	r, err := dial(ctx, c.root, c.files, c.opts)
	if err == nil {
		note := ""
		if differ := shapeOf(c.opts.Session.Settings).differences(r.owner.Shape); len(differ) > 0 {
			note = fmt.Sprintf("process %d keeps the index of %s with other settings (%s), which hold until it ends", r.owner.PID, c.root, strings.Join(differ, ", "))
		}
		return &backing{r, r.gone, fmt.Sprint(r.owner.PID, r.owner.Since), time.Now(), note}, nil
	}
	if !errors.Is(err, errBusy) {
		return nil, err
	}
	lock, err := c.files.take()
	if err != nil {
		return nil, err
	}
	o, err := own(ctx, c.root, c.files, lock, c.opts)
	if err != nil {
		return nil, err
	}
	return &backing{o.client(), o.session.Damaged(), "", time.Now(), o.session.Notice()}, nil
}

// adopt makes b what answers from now on, and hands to it what the one before had.
func (c *Client) adopt(b *backing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, buffer := range c.buffers {
		b.SetBuffer(buffer)
	}
	if c.paused {
		b.Pause()
	}
	c.now, c.err = b, nil
	c.announce()
}

// announce wakes those who wait. The caller holds c.mu.
func (c *Client) announce() {
	close(c.moved)
	c.moved = make(chan struct{})
}

// keep sees to it that something answers until ctx is done.
func (c *Client) keep(ctx context.Context) {
	var damages relapses
	for {
		c.mu.Lock()
		before := c.now
		c.mu.Unlock()
		select {
		case <-before.gone:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		c.now = nil
		c.announce()
		c.mu.Unlock()
		if err := before.Close(); err != nil {
			c.log.Debug("detach", "reason", err.Error())
		}
		if before.own() {
			if pause := damages.damaged(time.Since(before.since)); pause > 0 {
				c.fail(damages.err(c.root, pause))
				if !wait(ctx, pause) {
					return
				}
			}
		}
		if !c.renew(ctx, before, damages > 1) {
			return
		}
	}
}

// fail has everybody know why nothing answers.
func (c *Client) fail(err error) {
	c.mu.Lock()
	news := c.err == nil || c.err.Error() != err.Error()
	c.err = err
	c.announce()
	c.mu.Unlock()
	if news {
		c.log.Warn("nobody answers", "reason", err.Error())
	}
}

// renew finds the next owner, and reports whether it has before ctx was done. What has
// happened again is no news.
func (c *Client) renew(ctx context.Context, before *backing, again bool) bool {
	for {
		b, err := c.elect(ctx)
		switch {
		case err == nil && sentAway(before, b) && !wait(ctx, failInterval):
			b.Close() // only ends a connection
			return false
		case err == nil:
			if !again {
				c.news(before, b)
			}
			c.mu.Lock()
			indexed := c.indexed
			c.mu.Unlock()
			if indexed { // who asked for an index that is up to date gets one
				if _, err := b.Index(ctx, nil); err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
					c.log.Warn("index after a change of hands", "reason", err.Error())
				}
			}
			c.adopt(b)
			return true
		case ctx.Err() != nil:
			return false
		}
		c.fail(err)
		if !wait(ctx, failInterval) {
			return false
		}
	}
}

// news tells the user why another backing has taken the place of one, where that is
// of interest: what this process owned is only given up when it is damaged.
func (c *Client) news(before, now *backing) {
	note := now.note
	switch {
	case before.own() && note == "":
		note = "the index file was damaged; kept beside, building a new index"
	case note == "" || note == c.notice:
		return
	}
	if c.opts.Notify != nil {
		c.opts.Notify(note)
		return
	}
	c.log.Warn(note)
}

// sentAway reports whether an owner has ended a connection that had just begun. Who
// comes back at once would be sent away for the same again.
func sentAway(before, now *backing) bool {
	return !before.own() && before.owner == now.owner && time.Since(before.since) < failInterval
}

// wait waits, and reports whether it has before ctx was done.
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

// current returns what answers, once something does.
func (c *Client) current(ctx context.Context) (*backing, error) {
	for {
		c.mu.Lock()
		b, err, moved := c.now, c.err, c.moved
		c.mu.Unlock()
		if b != nil {
			if !b.ended() { // else keep is about to find out
				return b, nil
			}
		} else if err != nil {
			return nil, err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// coming returns what answers, however long it takes until something does.
func (c *Client) coming(ctx context.Context) (*backing, error) {
	for {
		c.mu.Lock()
		moved := c.moved
		c.mu.Unlock()
		b, err := c.current(ctx)
		if err == nil || ctx.Err() != nil {
			return b, err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close lets the index go, for another process to own it if this one did.
func (c *Client) Close() error {
	c.cancel()
	<-c.kept
	c.mu.Lock()
	b := c.now
	c.mu.Unlock()
	if b == nil {
		return nil
	}
	return b.Close()
}
