package watch

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatcherOptions tunes [NewWatcher]. The zero value is ready for use.
type WatcherOptions struct {
	// SyncDir is a directory outside the workspace that belongs to the watcher alone,
	// for [Watcher.Sync]; the watcher makes it. With "" Sync returns false.
	SyncDir string
	Logger  *slog.Logger // nil discards
}

// Watcher reports the paths of a workspace that may have changed. It does not report
// what happened to them: several events have one outcome, which [Filter.Entry] returns.
// When an editor saves by renaming a new file into place, the Filter sees one changed
// file, whatever temporary names the editor uses. A file that is made and deleted is no
// file, and a file that is deleted and made again is a changed file.
//
// It watches the directories that [Scan] reads, and no others. Of a repository it
// watches HEAD, the index, the configuration and info/exclude, not the objects. It has no
// queue of its own: events wait in the kernel. When its queue overflows, the kernel drops
// events and says so; then everything may have changed.
//
// Where the system gives no watches, the watcher asks for a Scan now and then, less
// often while nothing changes.
//
// All methods are safe for concurrent use. Writes through a mapping of a file, and writes
// of other machines to a shared file system, make no events and are not reported.
type Watcher struct {
	f       *Filter
	changed func(path string)
	open    func(failed func(error)) (source, error)
	log     *slog.Logger

	resume  chan struct{} // holds a value when src or poller has changed, for Run
	status  status
	cookies cookies

	mu  sync.Mutex // held while an event is handled and during Scan; guards the fields below
	src source     // nil while nothing is watched
	top *node      // nil before the first Scan
	// nested says that the watcher has adopted a directory with another one in it since the
	// last Scan. If another program moved the inner one there, the watcher may adopt it
	// before it drops its old name. Then one inotify watch has two names and ends when the
	// watcher drops the first. Only a Scan repairs this.
	nested bool
	closed bool
	poller poller

	scanMu   sync.Mutex            // guards the fields below, which several readers of a Scan fill
	failure  error                 // of the first directory that could not be watched
	outside  map[string]bool       // directories that are watched outside of the tree, absolute
	gitFiles map[string]gitMeaning // files in them, absolute
}

// node is a watched directory.
type node struct {
	place *place
	dirs  map[string]*node
}

// NewWatcher returns the watcher of a workspace. It calls changed with each path,
// relative to the root, that may have changed, appeared or gone, from any goroutine and
// often more than once; changed must return soon and not call the watcher.
//
// A path is that of a file, or of a directory that has gone with all its files. The path
// "" says that more may have changed than is known: the caller then calls
// [Watcher.Scan]. The path ".git" says that the history may have moved. Of a new
// directory the watcher reports every file.
func NewWatcher(f *Filter, changed func(path string), o WatcherOptions) *Watcher {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Watcher{
		f: f, changed: changed, open: openNotifications, log: o.Logger.With("system", "watch"),
		resume: make(chan struct{}, 1), cookies: cookies{dir: o.SyncDir},
	}
}

// Live reports whether every directory is watched and no event was lost since the last
// [Watcher.Scan]. It is false before the first Scan and while one is running.
func (w *Watcher) Live() bool {
	now, _ := w.status.get()
	return now == live
}

// Message returns one line for the user with the reason why the watcher cannot watch, and
// the remedy; "" when it can watch.
func (w *Watcher) Message() string {
	w.status.mu.Lock()
	defer w.status.mu.Unlock()
	return w.status.message
}

// Run reports changes from the first [Watcher.Scan] on, until ctx is done, and returns
// its cause. It uses no processor time while nothing changes. A caller of Scan calls Run
// exactly once: Run releases the watches when it returns.
func (w *Watcher) Run(ctx context.Context) error {
	defer w.close()
	for w.listen(ctx) {
	}
	return context.Cause(ctx)
}

// listen handles events until the source has changed or it is time to poll. It returns
// false when ctx is done.
func (w *Watcher) listen(ctx context.Context) bool {
	w.mu.Lock()
	src, wait := w.src, w.poller.wait
	w.mu.Unlock()
	var events <-chan fsnotify.Event
	if src != nil {
		events = src.Events()
	}
	var due <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil // a Scan has closed the source
				continue
			}
			w.handle(ctx, src, ev)
		case <-w.resume:
			return true
		case <-due:
			w.poll()
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// wake makes Run read src and poller again.
func (w *Watcher) wake() {
	select {
	case w.resume <- struct{}{}:
	default:
	}
}

func (w *Watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.closeSource()
	w.status.set(unavailable)
}

// closeSource releases all watches. The caller holds w.mu.
func (w *Watcher) closeSource() {
	if w.src == nil {
		return
	}
	if err := w.src.Close(); err != nil {
		w.log.Debug("notifications not closed", "err", err)
	}
	w.src, w.top, w.outside, w.gitFiles = nil, nil, nil, nil
}

// sourceFailed starts over, because events may be missing. The source calls it with each
// error and may hold its own lock, so sourceFailed takes neither w.mu nor w.scanMu.
func (w *Watcher) sourceFailed(err error) {
	w.log.Info("events lost", "err", err)
	w.startOver()
}

// startOver asks for a Scan, which opens a new source. Run handles events until then.
func (w *Watcher) startOver() {
	w.status.set(lost, unavailable)
	w.changed("")
}

// Scan lists the workspace as [Look] does, and watches each directory before it lists
// it, so that every later change is reported. Its errors are those of Scan; the watcher then
// calls changed when another Scan may succeed.
//
// No event is handled while Scan runs. When Run has ended, Scan only lists.
func (w *Watcher) Scan(ctx context.Context) (*Tree, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return Look(ctx, w.f)
	}
	started := time.Now()
	if w.status.set(scanning) == lost || w.src == nil || !w.status.hasRoot(w.f.root) {
		w.closeSource()
		w.openSource()
	}
	before := w.outside
	w.outside, w.gitFiles = map[string]bool{}, map[string]gitMeaning{}
	root, statErr := os.Lstat(w.f.root)
	top, err := w.newScan(ctx).root(ctx)
	if err != nil {
		w.closeSource() // a cancelled Scan leaves an unknown set of watches
		if errors.Is(err, ErrRoot) {
			w.status.set(noRoot)
			w.poller = poller{wait: minRootWait}
			w.wake()
		}
		return nil, err
	}
	if statErr == nil {
		w.status.setRoot(root)
	}
	tree := &Tree{top}
	if w.src != nil {
		w.replace(newNode(top), before)
	}
	w.settle(tree, time.Since(started))
	return tree, nil
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

// openSource opens a source, unless the poller waits before the next attempt. The caller
// holds w.mu.
func (w *Watcher) openSource() {
	w.failure = nil
	if !w.poller.watches() {
		return
	}
	src, err := w.open(w.sourceFailed)
	if err != nil {
		w.failure = err
		return
	}
	w.src = src
	w.wake()
	if w.cookies.dir != "" {
		if err := w.cookies.prepare(); err != nil {
			w.log.Warn("no directory to synchronize with", "err", err)
		} else {
			w.watch(w.cookies.dir)
		}
	}
}

// replace sets the new tree and removes the watches of the directories that only the old
// tree has. The caller holds w.mu.
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

// settle ends a Scan, which took the time took: the watcher becomes live, or Run polls.
// The caller holds w.mu.
func (w *Watcher) settle(tree *Tree, took time.Duration) {
	if w.failure != nil {
		w.closeSource() // other programs need the watches, and a part of them is of no use here
		message := unavailableMessage(w.failure)
		if w.status.setMessage(message) {
			w.log.Warn("not watching", "reason", message)
		}
	}
	if w.src == nil {
		w.poller.scanned(tree, took)
		w.wake()
		w.status.set(unavailable)
		return
	}
	w.status.setMessage("")
	if w.poller.wait > 0 {
		w.wake()
	}
	w.poller = poller{}
	w.status.set(live, lost)
}

// watch adds a watch. Several readers of a Scan call it concurrently.
func (w *Watcher) watch(dir string) {
	w.scanMu.Lock()
	defer w.scanMu.Unlock()
	w.watchLocked(dir)
}

// watchLocked is watch for a caller that holds w.scanMu.
func (w *Watcher) watchLocked(dir string) {
	if w.failure != nil {
		return
	}
	if err := w.src.Add(dir); err != nil && !isVanished(err) {
		w.failure = err
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

// drop removes the watches of a directory and of all directories below it.
func (w *Watcher) drop(n *node) {
	w.src.Remove(w.abs(n.place.path)) // an error says that the watch ended with the directory
	for _, sub := range n.dirs {
		w.drop(sub)
	}
}

// dropOthers drops the directories that old has and next does not.
func (w *Watcher) dropOthers(old, next *node) {
	for name, sub := range old.dirs {
		if kept := next.dirs[name]; kept != nil {
			w.dropOthers(sub, kept)
		} else {
			w.drop(sub)
		}
	}
}
