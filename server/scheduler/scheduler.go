// Package scheduler decides what is indexed and when.
//
// It keeps the one set of dirty paths: the files that may differ between the disk and
// the index. The watcher and the clients add paths; a path leaves the set when the
// index has what the file held. A batch waits for a quiet moment, an index that cannot
// be written is tried again less and less often, a client can pause the work, and
// answers come before indexing.
//
// The package never reads the content of a file and never answers a question.
package scheduler

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/api"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// DefaultPatience bounds the time that a question waits until the watcher has reported
// all earlier changes by other programs. The wait is zero in a quiet workspace; after a
// storm it is the time of ten thousand events or of a scan of 20,000 files, 0.3 s.
const DefaultPatience = 500 * time.Millisecond

// Index is the index that the scheduler keeps up to date. Its methods are safe for
// concurrent use.
type Index interface {
	// Files returns what the index knows of each file, by path.
	Files() []record.Row
	// File returns what the index knows of one path.
	File(path record.Path) (record.File, bool)
	// Indexed returns the number of files that are not left out.
	Indexed() int
	// Generation returns the number of the latest batch.
	Generation() uint64
	// Outdated reports whether there is something to write although no file has changed:
	// a new history, or files that quote others which have changed.
	Outdated() bool
	// Reading returns a channel that is closed when the history, which is being read, has
	// been read; nil when it is not being read. See [Scheduler.HistoryRead].
	Reading() <-chan struct{}
	// SaveViews stores what makes the next start fast.
	SaveViews(ctx context.Context) error
}

// Options configures a scheduler. All fields but the last five are required.
type Options struct {
	Root     string // absolute path of the workspace
	Dir      *workspace.Directory
	Filter   *watch.Filter
	Pipeline *pipeline.Pipeline // its sink calls [Scheduler.Stored] after each batch
	Index    Index
	Limiter  *Limiter
	Logger   *slog.Logger

	// SyncDir is a directory of the watcher's own; without it Run does not watch, as
	// there is nothing on disk to follow.
	SyncDir string
	// LongLived is for a process that answers many questions, also during indexing.
	LongLived bool
	Patience  time.Duration // of questions; 0 means DefaultPatience
	// Tree waits for a scan of the workspace and returns what it found; nil, or a nil tree, when
	// there is none. Unsaved is how many files were written since the views were saved.
	Tree    func() *watch.Tree
	Unsaved int
}

// Scheduler keeps one index up to date. Its methods are safe for concurrent use.
type Scheduler struct {
	o         Options
	dirty     dirtySet
	observers observers
	state     atomic.Pointer[api.State]     // nil until Run
	watcher   atomic.Pointer[watch.Watcher] // nil until Run
	begun     chan struct{}                 // closed when Index has brought the index up to date, or Run is about to
	begin     sync.Once                     // closes begun
	wake      chan struct{}                 // holds a value when something has changed below
	urgent    chan struct{}                 // holds a value when a question waits for a scan

	mu      sync.Mutex              // guards all fields below
	paused  map[any]bool            // the clients that have paused Run
	asking  int                     // questions that wait for the watcher
	job     job                     // in progress
	stop    context.CancelCauseFunc // of the job; nil when Run has none
	backoff backoff

	writing lock               // held while the index is written; guards all fields below
	tree    func() *watch.Tree // Options.Tree, until it is used; never nil
	unsaved int                // files written since the views were saved
	// unsavedBefore is what unsaved was when the views could not be saved.
	unsavedBefore int
}

// lock is a mutex whose wait can be cancelled. It holds a value while it is taken.
type lock chan struct{}

func (l lock) take(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l lock) free() { <-l }

// New returns a scheduler that does nothing until Run, Index or Reindex is called.
func New(o Options) *Scheduler {
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	if o.Tree == nil {
		o.Tree = noTree
	}
	return &Scheduler{
		o: o, paused: map[any]bool{}, begun: make(chan struct{}),
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1),
		writing: make(lock, 1), tree: o.Tree, unsaved: o.Unsaved,
	}
}

// noTree is for a scheduler that scans on its own.
func noTree() *watch.Tree { return nil }

// Changed reports that files or directories may have changed on disk. Run looks at
// them soon.
func (s *Scheduler) Changed(paths []record.Path) {
	for _, p := range paths {
		info, err := s.o.Dir.Lstat(string(p))
		if err == nil && info.IsDir() { // a client that names a directory does not name the files in it
			p = ""
		}
		s.dirty.add(p)
	}
	s.wakeUp()
}

// notice adds a path that the watcher reports, "" when any file may have changed.
func (s *Scheduler) notice(path string) {
	s.dirty.add(record.Path(path))
	s.mu.Lock()
	if path == "" && s.asking > 0 {
		s.hasten()
	}
	s.mu.Unlock()
	s.wakeUp()
}

// HistoryRead notes that a history was read, which Run stores soon.
func (s *Scheduler) HistoryRead() { s.notice(string(historyPath)) }

// Stored notes that a batch is stored and that every later answer has it.
func (s *Scheduler) Stored(b *record.Batch) {
	s.mu.Lock()
	j := s.job
	s.mu.Unlock()
	s.dirty.indexed(j, b)
}

// wakeUp makes Run check for changes.
func (s *Scheduler) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// The causes with which a job ends that Run continues later.
var (
	errPaused   = errors.New("paused")
	errHastened = errors.New("a question waits for a scan")
)

// Pause stops Run within the file in progress, until a client calls Resume or this one,
// any comparable value, leaves.
func (s *Scheduler) Pause(client any) {
	s.mu.Lock()
	s.paused[client] = true
	if s.stop != nil {
		s.stop(errPaused)
	}
	s.mu.Unlock()
	s.wakeUp()
}

// Resume continues Run, whichever clients have paused it.
func (s *Scheduler) Resume() {
	s.mu.Lock()
	clear(s.paused)
	s.mu.Unlock()
	s.wakeUp()
}

// Leave takes back the pause of a client.
func (s *Scheduler) Leave(client any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused[client] {
		delete(s.paused, client)
		s.wakeUp()
	}
}

// hasten makes Run interrupt its job, scan the tree and then continue the job. The caller
// holds s.mu.
func (s *Scheduler) hasten() {
	if len(s.paused) > 0 {
		return
	}
	if s.stop != nil && s.dirty.wants(s.job) {
		s.stop(errHastened)
	}
	select {
	case s.urgent <- struct{}{}:
	default:
	}
}

// State returns the state of Run.
func (s *Scheduler) State() api.State {
	if st := s.state.Load(); st != nil {
		return *st
	}
	return api.State{State: api.StateStarting, Generation: s.o.Index.Generation(), Files: s.o.Index.Indexed()}
}

// maxPaths bounds the paths of a [Dirty]. A removed directory of 2,000 files fits: each
// file that has gone takes a few microseconds.
const maxPaths = 2048

// Dirty is what may differ between the disk and the index.
type Dirty struct {
	Paths   []record.Path // files, those that changed last first, at most maxPaths
	Pending int           // further files
	Unsure  bool          // unknown further files may have changed
}

// Dirty returns the files that other programs changed before the call and that the index
// may not have yet. It waits, at most for the patience of the scheduler, until the
// watcher has reported the changes; see [watch.Watcher.Sync]. The caller takes its
// snapshot after the call: a path that is indexed in between does no harm, a path that
// is missing would.
func (s *Scheduler) Dirty(ctx context.Context) Dirty {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	if s.o.LongLived { // the first question may come before Run and Index
		select {
		case <-s.begun:
		case <-ctx.Done():
			return Dirty{Unsure: true}
		}
	}
	w := s.watcher.Load()
	if w == nil {
		return Dirty{}
	}
	// The watcher waits for a processor as an answer does, so indexing gives way here too.
	defer s.o.Limiter.Enter()()
	synced := s.sync(ctx, w)
	unscanned, _ := s.dirty.unscanned()
	paths, others := s.dirty.recent(maxPaths)
	d := Dirty{Pending: others, Unsure: unscanned || !synced}
	files := s.o.Index.Files()
	seen := map[record.Path]bool{}
	add := func(p record.Path) {
		switch {
		case seen[p]:
			return
		case len(d.Paths) < maxPaths:
			d.Paths = append(d.Paths, p)
		default:
			d.Pending++
		}
		seen[p] = true
	}
	for _, p := range paths {
		add(p)
		for _, f := range below(files, p) { // p may be a removed directory
			add(f.Path())
		}
	}
	return d
}

// sync waits until the dirty set has every change made before the call, and reports
// whether it has, as far as the watcher knows.
func (s *Scheduler) sync(ctx context.Context, w *watch.Watcher) bool {
	s.mu.Lock()
	paused := len(s.paused) > 0
	s.asking++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.asking--
		s.mu.Unlock()
	}()
	s.hastenScan()
	live := w.Live()
	if (live || !paused) && w.Sync(ctx, nil) {
		for !paused {
			unscanned, scanned := s.dirty.unscanned()
			if !unscanned {
				return true
			}
			s.hastenScan()
			select {
			case <-scanned:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}
	return w.Message() != "" // the state reports that watching is unavailable
}

// hastenScan makes Run scan the tree now if a scan was requested.
func (s *Scheduler) hastenScan() {
	if unscanned, _ := s.dirty.unscanned(); unscanned {
		s.mu.Lock()
		s.hasten()
		s.mu.Unlock()
	}
}

// Freshness describes an answer from a generation of the index and the dirty files d.
// Pending is the number of files of d that the answer lacks. The state is ready when the
// answer has every known change, whether indexed or not.
func (s *Scheduler) Freshness(generation uint64, d Dirty, pending int) api.Freshness {
	f := api.Freshness{Generation: generation, State: api.StateReady}
	st := s.state.Load()
	known := !d.Unsure && len(d.Paths) == 0 && d.Pending == 0
	refused, isRefused := s.refused()
	switch {
	case st == nil && isRefused:
		f.State, f.Pending = refused.State, refused.Pending
		return f
	case st == nil && known:
		return f
	case st == nil:
		st = &api.State{State: api.StateStarting}
	}
	f.State, f.Pending = st.State, pending
	if d.Unsure {
		f.Pending = max(f.Pending, st.Pending, 1)
	}
	switch busy := f.State == api.StateIndexing || f.State == api.StateStarting; {
	case f.Pending > 0 && f.State == api.StateReady:
		f.State = api.StateIndexing
	case f.Pending == 0 && busy:
		f.State = api.StateReady
	}
	return f
}

// below returns those of files, which are sorted by path, that lie in a directory.
func below(files []record.Row, dir record.Path) []record.Row {
	if dir == "" {
		return files
	}
	prefix := string(dir) + "/"
	from := search(files, prefix)
	to := from
	for to < len(files) && strings.HasPrefix(string(files[to].Path()), prefix) {
		to++
	}
	return files[from:to]
}
