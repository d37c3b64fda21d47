package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// Sync waits until the watcher has reported every change that other programs made before
// the call. It then calls then, unless it is nil, before the watcher reports a later
// change, and returns true. Sync takes less than 0.2 ms when no other event is queued. It
// waits for the queued events, some 10 µs each, for a [Watcher.Scan] that
// is running and, after events were lost, for the Scan that is due; ctx bounds the wait.
//
// Sync returns false when ctx ends first, and at once when the watcher is not live: the
// system gives no watches, the root is gone, Run has ended. A root that has come back is
// reported.
//
// Sync renames a file in the watcher's own directory and waits for the event. On Linux
// one inotify instance delivers its events in the order of the changes, over all
// directories, so the watcher has handled all earlier events by then. Other systems
// promise no order between directories; there Sync is a best effort.
//
// Source: watchman's cookies (https://facebook.github.io/watchman/docs/cookies).
func (w *Watcher) Sync(ctx context.Context, then func()) bool {
	reported := false // whether a root that is back was reported
	for {
		now, changed := w.status.get()
		var seen <-chan struct{}
		withdraw := func() {}
		switch now {
		case unavailable:
			return false
		case noRoot:
			if fi, err := os.Lstat(w.f.root); reported || err != nil || !fi.IsDir() {
				return false
			}
			reported = true
			w.startOver()
			continue
		case live:
			if !w.status.hasRoot(w.f.root) {
				w.startOver()
				continue
			}
			if seen, withdraw = w.cookies.leave(then); seen == nil {
				return false
			}
		}
		select {
		case <-seen:
			if w.Live() { // otherwise events were lost meanwhile
				return true
			}
		case <-changed: // the event of the cookie may have been lost
			withdraw()
		case <-ctx.Done():
			withdraw()
			return false
		}
	}
}

// cookies are the renames whose events Sync waits for. They rename one file, whose name
// is a number that grows with each rename, so that every rename has its own event.
type cookies struct {
	dir string // "" for none

	mu      sync.Mutex // guards all fields below
	n       uint64
	waiting map[string]cookie // by path
}

// cookie is one rename.
type cookie struct {
	seen chan struct{}
	then func()
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

// leave renames the file. When the event comes, then is called and seen is closed. seen
// is nil when there is no directory or the rename fails. withdraw ends the wait: then is
// not called after it.
func (c *cookies) leave(then func()) (seen <-chan struct{}, withdraw func()) {
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

// take reports whether an event is that of a cookie, and completes the cookie.
func (c *cookies) take(ev fsnotify.Event) bool {
	if c.dir == "" || filepath.Dir(ev.Name) != c.dir {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if done, ok := c.waiting[ev.Name]; ok && ev.Has(fsnotify.Create) {
		delete(c.waiting, ev.Name)
		if done.then != nil {
			done.then()
		}
		close(done.seen)
	}
	return true
}
