package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/pipeline"
	"ambit/vectors/record"
)

// The states of an index that [Session.Run] keeps up to date.
const (
	Starting = "starting"
	Indexing = "indexing"
	Ready    = "ready"
	Paused   = "paused"
)

// State is how far the index is.
type State struct {
	Name        string
	Files       int // indexed
	Pending     int // files that wait
	Done, Total int // files of the work in progress, 0 when not known
}

// maxChanged is how many paths may wait one by one: scanning the tree takes no longer
// than looking at so many.
const maxChanged = 1000

// errPaused is the cause with which work ends that [Session.Pause] stops.
var errPaused = errors.New("paused")

// work is what [Session.Run] is told.
type work struct {
	wake chan struct{} // holds a value when something has changed below

	mu     sync.Mutex // guards all fields below
	paths  map[record.Path]bool
	all    bool // the tree is to be scanned
	paused bool
	stop   context.CancelCauseFunc // of the work in progress, nil for none
}

func (w *work) tell(f func()) {
	w.mu.Lock()
	f()
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Changed says that files or directories may have changed on disk; [Session.Run] looks
// at them soon.
func (s *Session) Changed(paths []string) {
	s.work.tell(func() {
		for _, p := range paths {
			s.work.add(record.Path(p))
		}
	})
}

// noticed has Run, if it runs, look at a file that an answer found changed.
func (s *Session) noticed(path record.Path) {
	if s.state.Load() != nil {
		s.Changed([]string{string(path)})
	}
}

// add notes a path. The caller holds w.mu.
func (w *work) add(p record.Path) {
	switch path.Base(string(p)) {
	case ".gitignore", ".ambitignore", ".gitmodules":
		w.all = true // what they say concerns others
	}
	if w.paths == nil {
		w.paths = map[record.Path]bool{}
	}
	if w.paths[p] = true; len(w.paths) > maxChanged {
		w.all = true
	}
	if w.all {
		w.paths = nil
	}
}

// Pause stops Run within the file in progress, until [Session.Resume].
func (s *Session) Pause() {
	s.work.tell(func() {
		s.work.paused = true
		if s.work.stop != nil {
			s.work.stop(errPaused)
		}
	})
}

// Resume lets Run go on.
func (s *Session) Resume() { s.work.tell(func() { s.work.paused = false }) }

// Run brings the index up to the tree and then follows what [Session.Changed] tells.
// It calls observe, from one goroutine, whenever the state changes, at first at once.
// It blocks until ctx is done and returns its cause, or an error of the index after
// which nothing can be stored.
func (s *Session) Run(ctx context.Context, observe func(State)) error {
	publish := func(st State) {
		st.Files = int(s.files.indexed.Load())
		s.state.Store(&st)
		observe(st)
	}
	publish(State{Name: Starting})
	s.work.tell(func() { s.work.all = true })
	for {
		job, stopped := s.work.begin(ctx)
		var err error
		switch {
		case stopped:
			publish(State{Name: Paused, Pending: s.pendingNow()})
		case job != nil:
			err = s.do(job, publish)
			s.work.end(job, err == nil)
		default:
			publish(State{Name: Ready})
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !errors.Is(context.Cause(job.ctx), errPaused):
			return fmt.Errorf("index %s: %w", s.root, err)
		case job != nil:
			continue
		}
		select {
		case <-s.work.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pendingNow returns how many files waited when it was last known.
func (s *Session) pendingNow() int { return s.state.Load().Pending }

// job is one round of Run.
type job struct {
	ctx   context.Context
	paths map[record.Path]bool
	all   bool
}

// begin takes what waits: nil when nothing does, or when Run is paused.
func (w *work) begin(ctx context.Context) (j *job, paused bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused {
		return nil, true
	}
	if !w.all && len(w.paths) == 0 {
		return nil, false
	}
	j = &job{paths: w.paths, all: w.all}
	j.ctx, w.stop = context.WithCancelCause(ctx)
	w.paths, w.all = nil, false
	return j, false
}

// end gives back what a job that was stopped has not done.
func (w *work) end(j *job, done bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop(nil)
		w.stop = nil
	}
	if done {
		return
	}
	w.all = w.all || j.all
	for p := range j.paths {
		w.add(p)
	}
}

// do does one job.
func (s *Session) do(j *job, publish func(State)) error {
	if err := s.writing.take(j.ctx); err != nil {
		return err
	}
	defer s.writing.free()
	var changes []pipeline.Change
	if j.all {
		publish(State{Name: Indexing})
		tree, err := s.scanned(j.ctx, func(Progress) {})
		if err != nil {
			return err
		}
		changes = pipeline.Plan(s.files.all(), tree)
	} else {
		changes = s.planned(j.paths)
	}
	if len(changes) == 0 {
		return nil
	}
	publish(State{Name: Indexing, Total: len(changes), Pending: len(changes)})
	_, err := s.apply(j.ctx, changes, func(p Progress) {
		publish(State{Name: Indexing, Done: p.Done, Total: p.Total, Pending: p.Total - p.Done})
	})
	return err
}

// planned returns what has to be looked at for paths: the file of each, and what the
// index has below it, in case it is or was a directory.
func (s *Session) planned(paths map[record.Path]bool) []pipeline.Change {
	changes := map[record.Path]pipeline.Change{}
	look := func(p record.Path, old record.File) {
		e, ok := s.filter.Entry(string(p))
		changes[p] = pipeline.Change{Path: p, Entry: e, Old: old, Gone: !ok}
	}
	files := s.files.all()
	for p := range paths {
		old, known := s.files.find(p)
		if _, ok := s.filter.Entry(string(p)); ok || known {
			look(p, old)
		}
		for _, f := range below(files, p) {
			look(f.Path, f)
		}
	}
	return slices.SortedFunc(maps.Values(changes), func(a, b pipeline.Change) int { return cmp.Compare(a.Path, b.Path) })
}

// below returns the files, which are sorted by path, of a directory.
func below(files []record.File, dir record.Path) []record.File {
	if dir == "" {
		return files
	}
	prefix := string(dir) + "/"
	from, _ := slices.BinarySearchFunc(files, record.Path(prefix), comparePath)
	to := from
	for to < len(files) && strings.HasPrefix(string(files[to].Path), prefix) {
		to++
	}
	return files[from:to]
}

// Reindex reads a file, the files below a directory or, with "", all files anew, and
// returns how many it looked at. It calls progress, from one goroutine at a time. It
// waits for what Run is doing.
func (s *Session) Reindex(ctx context.Context, dir string, progress func(State)) (int, error) {
	if err := s.writing.take(ctx); err != nil {
		return 0, err
	}
	defer s.writing.free()
	s.tree = nil
	tree, err := s.scanned(ctx, func(Progress) { progress(State{Name: Indexing}) })
	if err != nil {
		return 0, err
	}
	inside := func(p string) bool {
		return dir == "" || p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
	}
	var known []record.File
	for _, f := range s.files.all() {
		if inside(string(f.Path)) {
			f.Hash, f.ModTime = record.Hash{}, 0 // so that what it holds is read anew
			known = append(known, f)
		}
	}
	wanted := slices.Clone(tree)
	n := 0
	for _, e := range tree {
		if inside(e.Path) {
			wanted[n] = e
			n++
		}
	}
	changes := pipeline.Plan(known, wanted[:n])
	if dir != "" && len(changes) == 0 {
		return 0, fmt.Errorf("%w: no file %s in %s; ambit.status lists what is left out", ErrQuestion, dir, s.root)
	}
	_, err = s.apply(ctx, changes, func(p Progress) {
		progress(State{Name: Indexing, Files: int(s.files.indexed.Load()), Done: p.Done, Total: p.Total, Pending: p.Total - p.Done})
	})
	return len(changes), err
}
