package watch

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatcherOptions tunes [NewWatcher]. The zero value is ready for use.
type WatcherOptions struct {
	// SyncDir is a directory outside of the workspace that is the watcher's own, for
	// [Watcher.Sync]; it is made when it is not there. "" does without.
	SyncDir string
	Logger  *slog.Logger // nil discards
}

// Watcher hears what changes in a workspace. It tells of paths, not of what happened
// to them: what came of several events is what the file system says when the path is
// looked at, by [Filter.Entry]. So the save of an editor that renames a new file into
// place is one changed file, whatever names it uses on the way, a file that was made
// and deleted is none, and one that was deleted and made again is a changed one.
//
// It watches the directories that [Scan] looks into, and no others. Of a repository
// it hears HEAD, the index, the configuration and info/exclude, not the objects. It
// keeps no queue of its own: what it has not got to waits in the kernel, which drops
// all beyond its bound and says so, and then everything may have changed.
//
// Where the system gives no watches, the watcher has the workspace looked at again
// and again, less and less often while nothing changes.
//
// All methods are safe for concurrent use. Changes that make no notification are not
// heard: writes through a mapping of the file, and those of other machines to a
// shared file system.
type Watcher struct {
	f       *Filter
	changed func(path string)
	open    func(failed func(error)) (source, error)
	log     *slog.Logger

	moved   chan struct{} // holds a value when src or retry has changed
	hearing hearing
	message atomic.Pointer[string] // see Message
	base    atomic.Pointer[fs.FileInfo]
	failure atomic.Pointer[error] // why a directory could not be watched
	cookies cookies

	mu  sync.Mutex // held while an event is handled and during Scan; guards all fields below
	src source     // nil while nothing is watched
	top *node      // nil before the first Scan
	// nested says that a directory was adopted with another in it since the last Scan.
	// That one may have been moved there, and be adopted before its old name is let go:
	// one inotify watch under two names, which then ends. Only a walk mends that.
	nested  bool
	closed  bool
	retry   retry
	gitMu   sync.Mutex            // guards the fields below, which several readers of a Scan fill
	outside map[string]bool       // directories that are watched outside of the tree, absolute
	gitNews map[string]gitMeaning // files in them, absolute
}

// node is a watched directory.
type node struct {
	place *place
	dirs  map[string]*node
}

// NewWatcher returns the watcher of a workspace. It calls changed with each path,
// relative to the root, that may have changed, may be new or gone, from any goroutine
// and often more than once; changed must return soon and not call the watcher.
//
// A path is that of a file, or of a directory that has gone with all it held. When
// more may have changed than is known, the path is "": the caller then calls
// [Watcher.Scan]. It is ".git" when the history may have moved. Of a directory that
// is new every file is told.
func NewWatcher(f *Filter, changed func(path string), o WatcherOptions) *Watcher {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Watcher{
		f: f, changed: changed, open: openNotifications, log: o.Logger.With("system", "watch"),
		moved: make(chan struct{}, 1), cookies: cookies{dir: o.SyncDir},
	}
}

// Message returns one line for the user about what keeps the watcher from hearing,
// and what to do; "" while there is nothing.
func (w *Watcher) Message() string {
	if m := w.message.Load(); m != nil {
		return *m
	}
	return ""
}

// Run tells of changes from the first [Watcher.Scan] on, until ctx is done, and
// returns its cause. It waits in silence: while nothing happens, nothing runs. It is
// called once; who calls Scan calls it too, as it gives the watches back.
func (w *Watcher) Run(ctx context.Context) error {
	defer w.close()
	for w.listen(ctx) {
	}
	return context.Cause(ctx)
}

// listen handles events until there is another source to listen to or it is time to
// look again. It returns false when ctx is done.
func (w *Watcher) listen(ctx context.Context) bool {
	src, wait := w.current()
	var events <-chan fsnotify.Event
	if src != nil {
		events = src.Events()
	}
	var again <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		again = timer.C
	}
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil // closed for another one
				continue
			}
			w.handle(ctx, src, ev)
		case <-w.moved:
			return true
		case <-again:
			w.lookAgain()
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// current returns the source to listen to and how long to wait before looking again,
// 0 for ever.
func (w *Watcher) current() (source, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.src, w.retry.wait
}

// move has Run look at what it listens to.
func (w *Watcher) move() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

func (w *Watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.forget()
	w.hearing.turn(deaf)
}

// forget closes the source. The caller holds w.mu.
func (w *Watcher) forget() {
	if w.src == nil {
		return
	}
	if err := w.src.Close(); err != nil {
		w.log.Debug("notifications not closed", "err", err)
	}
	w.src, w.top, w.outside, w.gitNews = nil, nil, nil, nil
}

// fail notes an error of the source: events may be missing. It does not wait for an
// event or a Scan, as the source may hold a lock of its own until it is told.
func (w *Watcher) fail(err error) {
	w.log.Info("events lost", "err", err)
	w.lose()
}

// lose has the next Scan start over. What still comes is told meanwhile.
func (w *Watcher) lose() {
	w.hearing.turn(missing, deaf)
	w.changed("")
}

// Scan lists the workspace as [Scan] does, and watches each directory before it lists
// it: what changes from then on is told. Errors are those of Scan; the watcher then
// calls changed when it is worth calling Scan again.
//
// Events wait while it works. Without a Run that has not ended, it only lists.
func (w *Watcher) Scan(ctx context.Context) ([]Entry, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return Scan(ctx, w.f)
	}
	started := time.Now()
	if w.hearing.turn(listing) == missing || w.src == nil || !w.rooted() {
		w.forget()
		w.reopen()
	}
	s := w.newScan(ctx)
	before := w.outside
	w.outside, w.gitNews = map[string]bool{}, map[string]gitMeaning{}
	base, statErr := os.Lstat(w.f.root)
	top, err := s.root(ctx)
	switch {
	case errors.Is(err, ErrRoot):
		w.forget()
		w.hearing.turn(rootless)
		w.miss()
		return nil, err
	case err != nil: // cancelled, to be called again: what is watched by now is not known
		w.forget()
		return nil, err
	}
	entries := top.appendTo(nil)
	if w.src != nil {
		w.replace(newNode(top), before)
	}
	if w.settle(entries, time.Since(started)); statErr == nil {
		w.base.Store(&base)
	}
	if w.src == nil {
		w.hearing.turn(deaf)
	} else {
		w.hearing.turn(hears, missing)
	}
	return entries, nil
}

// rooted reports whether the root is the directory that is watched. No event may tell
// that it is not: a file system was unmounted, or somebody has the directory that was
// removed still open.
func (w *Watcher) rooted() bool {
	now, err := os.Lstat(w.f.root)
	base := w.base.Load()
	return err == nil && base != nil && os.SameFile(now, *base)
}

// newScan returns a walk that watches as it goes.
func (w *Watcher) newScan(ctx context.Context) *scan {
	s := newScan(ctx, w.f)
	if w.src != nil {
		s.visit = func(d *place) { w.watch(w.abs(d.path)) }
		s.found = w.watchRepo
	}
	return s
}

// reopen opens a source, unless it is not time to try again. The caller holds w.mu.
func (w *Watcher) reopen() {
	w.failure.Store(nil)
	if !w.retry.watch() {
		return
	}
	src, err := w.open(w.fail)
	if err != nil {
		w.failure.Store(&err)
		return
	}
	w.src = src
	w.move()
	if w.cookies.dir != "" {
		if err := w.cookies.prepare(); err != nil {
			w.log.Warn("no directory to synchronize with", "err", err)
		} else {
			w.watch(w.cookies.dir)
		}
	}
}

// replace puts a new tree in the place of the old one and lets go of what is only in
// that. The caller holds w.mu.
func (w *Watcher) replace(top *node, outside map[string]bool) {
	if w.top != nil {
		w.dropOthers(w.top, top)
	}
	for dir := range outside {
		if !w.outside[dir] {
			w.src.Remove(dir)
		}
	}
	w.top, w.nested = top, false
}

// settle ends a Scan: the workspace is watched, or has to be looked at again.
func (w *Watcher) settle(entries []Entry, took time.Duration) {
	if w.retry.polls && w.src == nil && w.failure.Load() == nil {
		w.retry.polled(fingerprint(entries), took) // not the time to try to watch
		w.move()
		return
	}
	if failure := w.failure.Load(); failure != nil {
		w.forget() // others need watches too, and half of them are not enough
		message := deafness(*failure)
		if old := w.message.Swap(&message); old == nil || *old != message {
			w.log.Warn("not watching", "reason", message)
		}
		w.retry.polls = true
		w.retry.polled(fingerprint(entries), took)
		w.move()
		return
	}
	w.message.Store(nil)
	if w.retry.wait > 0 {
		w.move()
	}
	w.retry = retry{}
}

// watch has a directory watched. It is called by several readers of a Scan at a time.
func (w *Watcher) watch(dir string) {
	if w.failure.Load() != nil {
		return
	}
	if err := w.src.Add(dir); err != nil && !isVanished(err) {
		w.failure.CompareAndSwap(nil, &err)
	}
}

// abs returns the absolute path of a directory of the tree.
func (w *Watcher) abs(path string) string {
	return filepath.Join(w.f.root, filepath.FromSlash(path))
}

func newNode(d *folder) *node {
	n := &node{place: d.place}
	if len(d.folders) > 0 {
		n.dirs = make(map[string]*node, len(d.folders))
	}
	for _, sub := range d.folders {
		n.dirs[sub.place.name()] = newNode(sub)
	}
	return n
}

// name returns the last segment of the path of a place.
func (d *place) name() string {
	path := strings.TrimSuffix(d.path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// find returns the node of an absolute path, or nil.
func (w *Watcher) find(dir string) *node {
	if dir == w.f.root {
		return w.top
	}
	rel, below := strings.CutPrefix(dir, strings.TrimSuffix(w.f.root, string(filepath.Separator))+string(filepath.Separator))
	if !below {
		return nil
	}
	n := w.top
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if n = n.dirs[name]; n == nil {
			return nil
		}
	}
	return n
}

// drop lets go of a directory and of all below it.
func (w *Watcher) drop(n *node) {
	w.src.Remove(w.abs(n.place.path)) // gone with the directory, most of the time
	for _, sub := range n.dirs {
		w.drop(sub)
	}
}

// dropOthers lets go of what is in old and not in next.
func (w *Watcher) dropOthers(old, next *node) {
	for name, sub := range old.dirs {
		if kept := next.dirs[name]; kept != nil {
			w.dropOthers(sub, kept)
		} else {
			w.drop(sub)
		}
	}
}
