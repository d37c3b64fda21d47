package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// Sync waits until everything that other programs did before the call has been told,
// calls then, unless nil, before anything that they did later is, and returns true. It
// takes less than 0.2 ms when there is nothing else to hear. It waits for the events of
// a storm, some 10 µs each, for a [Watcher.Scan] that is at work and, after events were
// lost, for one that is to come; ctx says how long.
//
// It returns false when ctx is done first, and at once while nothing can be heard: the
// system gives no watches, the root is gone, Run has ended. A root that is back is told.
//
// It renames a file of the watcher's own and waits to hear of that. On Linux the
// events of one inotify instance come in the order in which things happened, in
// whichever directories, so all earlier ones have come before. Other systems promise
// no order between directories; there it is a best effort.
//
// Source: watchman's cookies (https://facebook.github.io/watchman/docs/cookies).
func (w *Watcher) Sync(ctx context.Context, then func()) bool {
	back := false
	for {
		now, changed := w.hearing.now()
		var heard <-chan struct{}
		stop := func() {}
		switch now {
		case deaf:
			return false
		case rootless:
			if fi, err := os.Lstat(w.f.root); back || err != nil || !fi.IsDir() {
				return false
			}
			back = true
			w.lose()
			continue
		case hears:
			if !w.rooted() {
				w.lose()
				continue
			}
			if heard, stop = w.cookies.leave(then); heard == nil {
				return false
			}
		}
		select {
		case <-heard:
			if w.Hears() { // else something was lost on the way
				return true
			}
		case <-changed: // the cookie may have been lost
			stop()
		case <-ctx.Done():
			stop()
			return false
		}
	}
}

// Hears reports whether every directory is watched and no event was lost since. It is
// false before the first [Watcher.Scan] and while one is at work.
func (w *Watcher) Hears() bool {
	now, _ := w.hearing.now()
	return now == hears
}

// hearing is whether a watcher hears, and tells when that changes.
type hearing struct {
	mu      sync.Mutex // guards all fields below
	state   ear
	changed chan struct{} // closed when state is another one
}

// ear is what a watcher can say of the workspace.
type ear uint8

const (
	listing  ear = iota // a Scan is at work or to come, and then it hears
	missing             // as listing, and the Scan has to start over: events were lost
	hears               // every directory is watched
	rootless            // there was no root to watch
	deaf                // nothing is watched, until a Scan says otherwise
)

func (h *hearing) now() (ear, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	return h.state, h.changed
}

// turn makes to the state, unless that is one of keep, and returns what it was.
func (h *hearing) turn(to ear, keep ...ear) (was ear) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was = h.state
	for _, k := range keep {
		if was == k {
			return was
		}
	}
	h.state = to
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
	return was
}

// cookies are the files that Sync makes to hear of: one, whose name is a number that
// grows, so that no event is taken for another.
type cookies struct {
	dir string // "" for none

	mu      sync.Mutex // guards all fields below
	n       uint64
	waiting map[string]cookie // by path
}

// cookie is one that has been left.
type cookie struct {
	heard chan struct{}
	then  func()
}

// prepare makes the directory anew.
func (c *cookies) prepare() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.RemoveAll(c.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(c.path(), nil, 0o600)
}

func (c *cookies) path() string { return filepath.Join(c.dir, strconv.FormatUint(c.n, 10)) }

// leave leaves a cookie. When its event comes, then is called and heard closed; heard
// is nil when there is no place for it. The caller calls stop when it waits no more,
// and then is not called from then on.
func (c *cookies) leave(then func()) (heard <-chan struct{}, stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir == "" {
		return nil, nil
	}
	old := c.path()
	c.n++
	path, ch := c.path(), make(chan struct{})
	if c.waiting == nil {
		c.waiting = map[string]cookie{}
	}
	c.waiting[path] = cookie{ch, then}
	if err := os.Rename(old, path); err != nil {
		delete(c.waiting, path)
		c.n--
		return nil, nil
	}
	return ch, func() {
		c.mu.Lock()
		delete(c.waiting, path)
		c.mu.Unlock()
	}
}

// hear takes an event that is of a cookie.
func (c *cookies) hear(ev fsnotify.Event) bool {
	if c.dir == "" || filepath.Dir(ev.Name) != c.dir {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if left, ok := c.waiting[ev.Name]; ok && ev.Has(fsnotify.Create) {
		delete(c.waiting, ev.Name)
		if left.then != nil {
			left.then()
		}
		close(left.heard)
	}
	return true
}
