package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// The states of an index that [Session.Run] keeps up to date.
const (
	Starting = "starting"
	Indexing = "indexing"
	Ready    = "ready"
	Paused   = "paused"
	Failed   = "error" // the workspace cannot be read or the index not written; answers come from what it has
)

// State is how far the index is.
type State struct {
	Name        string
	Generation  uint64 // of the index; it moves with each batch
	Files       int    // indexed
	Pending     int    // files that wait
	Done, Total int    // files of the work in progress, 0 when not known
	Message     string // one line for the user, with the next step; "" for none
}

// A change waits until none has come for quietPeriod, so that what belongs together
// is one batch: the steps of an editor's save, the files of a checkout. It waits for
// maxWait at most, so that somebody who writes without end is heard as well.
const (
	quietPeriod = 50 * time.Millisecond
	maxWait     = 500 * time.Millisecond
)

// maxChanged is how many paths may wait one by one: scanning the tree takes no longer
// than looking at so many.
const maxChanged = 1000

// The causes with which work ends that is to go on later.
var (
	errPaused   = errors.New("paused")               // by [Session.Pause]
	errHastened = errors.New("the tree comes first") // for a question, see [work.ask]
)

// work is what [Session.Run] is told.
type work struct {
	wake    chan struct{} // holds a value when something has changed below
	hastens chan struct{} // holds a value when somebody waits for a scan

	mu          sync.Mutex // guards all fields below
	paths       map[record.Path]bool
	all         bool                   // the tree is to be scanned
	latest      [maxLatest]record.Path // that came; the n-th is at n % maxLatest
	n           int                    // how many have come
	first, last time.Time              // when a path came, since there was none
	paused      bool
	asking      int                     // questions that wait to hear, see ask
	job         *job                    // in progress, nil for none
	stop        context.CancelCauseFunc // of job
	refused     refusal                 // why what waits is not stored
}

// maxLatest is how many paths are known in the order in which they came, whatever else
// is known: several for each that an answer reads.
const maxLatest = 8 * maxBacklog

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
	if len(paths) > maxChanged {
		paths = []string{""}
	}
	var dirs []bool
	for _, p := range paths { // who tells of a directory does not tell what is in it
		info, err := s.dir.Lstat(p)
		dirs = append(dirs, err == nil && info.IsDir())
	}
	s.work.tell(func() {
		for i, p := range paths {
			s.work.add(record.Path(p))
			s.work.all = s.work.all || dirs[i]
		}
	})
}

// noticed has Run, if it runs, look at a file that an answer found changed.
func (s *shared) noticed(path record.Path) {
	if s.state.Load() != nil {
		s.work.tell(func() { s.work.add(path) })
	}
}

// add notes a path that has come, "" for all. The caller holds w.mu.
func (w *work) add(p record.Path) {
	if p != "" && w.latest[(w.n+maxLatest-1)%maxLatest] != p {
		w.latest[w.n%maxLatest] = p
		w.n++
	}
	if p == "" && w.asking > 0 {
		defer w.hasten()
	}
	w.wait(p)
}

// recent is the paths that have come last, the newest first.
type recent struct {
	paths []record.Path
	n     int // how many have come
}

// since returns those that have come since there were n.
func (r *recent) since(n int) []record.Path { return r.paths[:max(0, min(len(r.paths), r.n-n))] }

func (w *work) recent() recent {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := recent{paths: make([]record.Path, 0, maxLatest), n: w.n}
	for i := w.n - 1; i >= max(0, w.n-maxLatest); i-- {
		r.paths = append(r.paths, w.latest[i%maxLatest])
	}
	return r
}

// wait has a path wait for Run, "" for all. The caller holds w.mu.
func (w *work) wait(p record.Path) {
	now := time.Now()
	if !w.all && len(w.paths) == 0 {
		w.first = now
	}
	w.last = now
	switch path.Base(string(p)) {
	case ".gitignore", ".ambitignore", ".gitmodules":
		w.all = true // what they say concerns others
	}
	if w.all = w.all || p == "" || len(w.paths) >= maxChanged; w.all {
		w.paths = nil
		return
	}
	if w.paths == nil {
		w.paths = map[record.Path]bool{}
	}
	w.paths[p] = true
}

// due returns for how long a change still waits, 0 or less for none.
func due(first, last, now time.Time) time.Duration {
	return min(quietPeriod-now.Sub(last), maxWait-now.Sub(first))
}

// settle waits until what has changed is due, and for longer when it was refused before.
func (w *work) settle(ctx context.Context) {
	for {
		w.mu.Lock()
		now := time.Now()
		wait, refused := due(w.first, w.last, now), w.refused.rest(w.last, now)
		if w.paused || !w.all && len(w.paths) == 0 {
			wait, refused = 0, 0
		}
		w.mu.Unlock()
		if wait = max(wait, refused); wait <= 0 {
			return
		}
		var wake <-chan struct{}
		if refused > 0 { // and that may be over
			wake = w.wake
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-wake:
			timer.Stop()
		case <-w.hastens:
			timer.Stop()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// ask says that a question waits to hear what happened, until [work.asked]: if the tree
// is to be scanned for that, now or meanwhile, Run scans it at once and goes on later
// with what it is at. It reports whether Run is paused.
func (w *work) ask(scan bool) (paused bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking++
	if scan && w.all {
		w.hasten()
	}
	return w.paused
}

func (w *work) asked() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking--
}

// hasten has Run scan the tree now. The caller holds w.mu.
func (w *work) hasten() {
	if w.paused {
		return
	}
	if w.stop != nil {
		w.stop(errHastened)
	}
	select {
	case w.hastens <- struct{}{}:
	default:
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

// Run brings the index up to the tree and then follows what changes there, as it
// hears itself and as [Session.Changed] tells. It calls observe, from one goroutine,
// whenever the state changes, at first at once. While nothing changes, nothing runs.
// A workspace that is gone is a state, [Failed], until it is back, and so is an index
// that cannot be written, as on a disk that is full: Run tries again, now and then. It
// blocks until ctx is done and returns its cause, or an error of the index after which
// nothing can be stored.
func (s *Session) Run(ctx context.Context, observe func(State)) error {
	defer s.follow(ctx)()
	var now State
	publish := func(st State) {
		if f, ok := s.refused(); ok {
			st = f
		}
		st.Files, st.Generation = int(s.files.indexed.Load()), s.db.Generation()
		if w := s.watcher.Load(); w != nil && st.Message == "" {
			st.Message = w.Message()
		}
		if st == now {
			return
		}
		now = st
		s.state.Store(&st)
		observe(st)
	}
	publish(State{Name: Starting})
	s.work.tell(func() { s.work.all = true })
	rest := State{Name: Ready} // the state when there is nothing to do
	for {
		if st, ok := s.refused(); ok {
			publish(st) // also after a pause
		}
		s.work.settle(ctx)
		job, paused := s.work.begin(ctx)
		started, pending := time.Now(), 0
		var err error
		switch {
		case paused:
			publish(State{Name: Paused, Pending: s.work.waiting(now.Pending)})
		case job != nil:
			pending, err = s.do(job, publish)
			gone := errors.Is(err, watch.ErrRoot)
			s.work.end(job, err == nil || gone)
			switch {
			case gone: // whoever hears that it is back has all of it looked at
				rest, err = State{Name: Failed, Message: err.Error()}, nil
			case err == nil:
				rest = State{Name: Ready}
			}
			if err == nil {
				s.accepted()
			}
		default:
			publish(rest)
			s.tidy(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && job.interrupted():
			continue
		case passes(err):
			s.refuse(fmt.Errorf("index %s: %w", s.root, err), pending, time.Since(started))
			continue
		case err != nil:
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

// follow starts to hear what changes in the tree. The function that it returns ends
// that, when ctx has ended or not.
func (s *Session) follow(ctx context.Context) (stop func()) {
	if s.scratch != "" {
		s.begin.Do(func() { close(s.begun) })
		return func() {} // nobody knows of the directory
	}
	w := watch.NewWatcher(s.filter, func(path string) {
		s.work.tell(func() { s.work.add(record.Path(path)) })
	}, watch.WatcherOptions{SyncDir: filepath.Join(filepath.Dir(s.db.Path()), "sync"), Logger: s.log})
	s.watcher.Store(w)
	s.begin.Do(func() { close(s.begun) })
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx) // the cause of ctx
	}()
	return func() {
		cancel()
		<-ended
	}
}

// waiting returns how many files are known to wait, or known when that is not known.
func (w *work) waiting(known int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all {
		return known
	}
	return len(w.paths)
}

// job is one round of Run.
type job struct {
	ctx   context.Context
	paths map[record.Path]bool
	all   bool
	n     int           // how many paths had come when it began
	plan  *plan         // what the scan of all has found; nil before
	known chan struct{} // closed when there is a plan, or will be none
}

// interrupted reports whether the job is to be gone on with later.
func (j *job) interrupted() bool {
	cause := context.Cause(j.ctx)
	return errors.Is(cause, errPaused) || errors.Is(cause, errHastened)
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
	j = &job{paths: w.paths, all: w.all, n: w.n, known: make(chan struct{})}
	j.ctx, w.stop = context.WithCancelCause(ctx)
	w.job, w.paths, w.all = j, nil, false
	select {
	case <-w.hastens: // it is what begins
	default:
	}
	return j, false
}

// end gives back what a job that was stopped has not done.
func (w *work) end(j *job, done bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop(nil)
	w.job, w.stop = nil, nil
	if j.plan == nil {
		close(j.known)
	}
	if done {
		return
	}
	if j.all {
		w.wait("")
	}
	for p := range j.paths {
		w.wait(p)
	}
}

// found says what a scan has found for the job to do.
func (w *work) found(j *job, p *plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j.plan = p
	close(j.known)
}

// known waits until there is a plan for what is being scanned.
func (w *work) known(ctx context.Context) {
	w.mu.Lock()
	j := w.job
	w.mu.Unlock()
	if j == nil || !j.all {
		return
	}
	select {
	case <-j.known:
	case <-ctx.Done():
	}
}

// indexed notes what has been done of the job.
func (w *work) indexed(b *record.Batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.job != nil && w.job.plan != nil {
		w.job.plan.indexed(b)
	}
}

// do does one job. It returns how many files wait for the next when it could not.
func (s *Session) do(j *job, publish func(State)) (pending int, err error) {
	if err := s.writing.take(j.ctx); err != nil {
		return 0, err
	}
	defer s.writing.free()
	var changes []pipeline.Change
	if !j.all {
		changes = s.planned(j.paths)
	}
	if j.all || !s.dir.stands() { // files are not gone that the whole workspace is gone with
		tree, err := s.rescanned(j.ctx)
		if err != nil {
			return 0, err
		}
		changes = pipeline.Plan(s.files.all(), tree)
		s.work.found(j, newPlan(changes))
	}
	if len(changes) == 0 && !s.history.moved() && len(s.enrich.Stale()) == 0 {
		return 0, nil
	}
	publish(State{Name: Indexing, Total: len(changes), Pending: len(changes)})
	_, err = s.apply(j.ctx, changes, func(p Progress) {
		publish(State{Name: Indexing, Done: p.Done, Total: p.Total, Pending: p.Total - p.Done})
	})
	return s.left(changes), err
}

// rescanned returns the tree, watched from now on. The caller holds s.writing.
func (s *Session) rescanned(ctx context.Context) ([]watch.Entry, error) {
	w := s.watcher.Load()
	if w == nil {
		return s.scanned(ctx, func(Progress) {})
	}
	s.tree = nil
	tree, err := w.Scan(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.dir.renew(); err != nil {
		return nil, fmt.Errorf("%w %s: %w; check that it still exists and can be read", watch.ErrRoot, s.root, bare(err))
	}
	return tree, nil
}

// planned returns what has to be looked at for paths: the file of each, unless it is
// as the index has it, and what the index has below it, in case it was a directory.
func (s *Session) planned(paths map[record.Path]bool) []pipeline.Change {
	changes := map[record.Path]pipeline.Change{}
	look := func(p record.Path, old record.File) {
		e, ok := s.filter.Entry(string(p))
		switch {
		case !ok && old.Path == "":
		case ok && old.Path != "" && len(pipeline.Plan([]record.File{old}, []watch.Entry{e})) == 0 && s.readable(p):
		default:
			changes[p] = pipeline.Change{Path: p, Entry: e, Old: old, Gone: !ok}
		}
	}
	files := s.files.all()
	for p := range paths {
		old, _ := s.files.find(p)
		look(p, old)
		for _, f := range below(files, p) {
			look(f.Path, f)
		}
	}
	return slices.SortedFunc(maps.Values(changes), func(a, b pipeline.Change) int { return cmp.Compare(a.Path, b.Path) })
}

// readable reports whether a file can be opened: who takes that away does not change
// its time.
func (s *Session) readable(path record.Path) bool {
	f, err := s.dir.OpenFile(string(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
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
