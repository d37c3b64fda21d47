package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// maxSync bounds how long [Watcher.Sync] waits. It takes less than 0.2 ms when there
// is nothing else to hear; behind a flood of events the caller has to do without.
const maxSync = 20 * time.Millisecond

// Sync waits until everything that other programs did before the call has been told,
// and reports whether it has: false while [Watcher.Scan] has yet to say what there
// is, while the system gives no watches, and when it takes longer than 20 ms.
//
// It renames a file of the watcher's own and waits to hear of that. On Linux the
// events of one inotify instance come in the order in which things happened, in
// whichever directories, so all earlier ones have come before. Other systems promise
// no order between directories; there it is a best effort.
//
// Source: watchman's cookies (https://facebook.github.io/watchman/docs/cookies).
func (w *Watcher) Sync(ctx context.Context) bool {
	if !w.hears.Load() {
		return false
	}
	if !w.rooted() {
		w.lose()
		return false
	}
	heard, stop := w.cookies.leave()
	if heard == nil {
		return false
	}
	defer stop()
	limit := time.NewTimer(maxSync)
	defer limit.Stop()
	select {
	case <-heard:
		return w.hears.Load()
	case <-limit.C:
	case <-ctx.Done():
	}
	return false
}

// cookies are the files that Sync makes to hear of: one, whose name is a number that
// grows, so that no event is taken for another.
type cookies struct {
	dir string // "" for none

	mu      sync.Mutex // guards all fields below
	n       uint64
	waiting map[string]chan struct{} // by path
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

// leave leaves a cookie. heard is closed when its event comes, nil when there is no
// place for it; the caller calls stop when it waits no more.
func (c *cookies) leave() (heard <-chan struct{}, stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir == "" {
		return nil, nil
	}
	old := c.path()
	c.n++
	path, ch := c.path(), make(chan struct{})
	if c.waiting == nil {
		c.waiting = map[string]chan struct{}{}
	}
	c.waiting[path] = ch
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
	if ch, ok := c.waiting[ev.Name]; ok && ev.Has(fsnotify.Create) {
		delete(c.waiting, ev.Name)
		close(ch)
	}
	return true
}
