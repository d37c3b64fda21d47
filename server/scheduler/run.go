package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"syscall"
	"time"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/api"
	"ambit/vectors/record"
)

// follow is the one run, until ctx is done; see [Scheduler.Run].
func (s *Scheduler) follow(ctx context.Context) error {
	defer s.watch(ctx)()
	r := run{s: s, rest: api.State{State: api.StateReady}}
	r.publish(api.State{State: api.StateStarting})
	s.dirty.scan()
	for {
		if st, ok := s.refused(); ok {
			r.publish(st) // also after a pause
		}
		s.settle(ctx)
		again, err := r.round(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("index %s: %w", s.o.Root, err)
		case again:
			continue
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// run is what follow knows between two rounds.
type run struct {
	s    *Scheduler
	last api.State // that was published
	rest api.State // while there is nothing to do
}

// publish shows a state to the observers unless it equals the last one.
func (r *run) publish(st api.State) {
	if refused, ok := r.s.refused(); ok {
		st = refused
	}
	st.Files, st.Generation = r.s.o.Index.Indexed(), r.s.o.Index.Generation()
	if w := r.s.watcher.Load(); w != nil && st.Message == "" {
		st.Message = w.Message()
	}
	if st == r.last {
		return
	}
	r.last = st
	r.s.state.Store(&st)
	r.s.observers.set(st, false)
}

// historyPath is the path that the watcher reports when the history may have changed.
const historyPath record.Path = ".git"

// round does one job, if there is one. It reports whether there may be another, and
// returns an error after which nothing can be stored.
func (r *run) round(ctx context.Context) (again bool, err error) {
	s := r.s
	jobCtx, j, paused := s.beginJob(ctx)
	if paused {
		r.publish(api.State{State: api.StatePaused, Pending: cmp.Or(s.dirty.len(), r.last.Pending)})
		return false, nil
	}
	if jobCtx == nil {
		if s.o.Index.Reading() != nil && r.rest.State == api.StateReady {
			r.publish(api.State{State: api.StateIndexing})
		} else {
			r.publish(r.rest)
		}
		s.tidy(ctx)
		return false, nil
	}
	started := time.Now()
	j, err = s.do(jobCtx, j, r.publish)
	interrupted := errors.Is(context.Cause(jobCtx), errPaused) || errors.Is(context.Cause(jobCtx), errHastened)
	gone := errors.Is(err, watch.ErrRoot)
	s.endJob()
	if err != nil && !gone && s.o.Index.Outdated() {
		s.dirty.add(historyPath) // the next job writes the history, which no other path requests
	}
	switch {
	case err == nil || gone: // the watcher asks for a scan when the root is back
		s.dirty.finished(j)
		s.accepted()
		r.rest = api.State{State: api.StateReady}
		if gone {
			r.rest = api.State{State: api.StateFailed, Message: err.Error()}
		}
		return true, nil
	case ctx.Err() != nil || interrupted:
		return true, nil
	case mayPass(err):
		s.refuse(fmt.Errorf("index %s: %w", s.o.Root, err), time.Since(started))
		return true, nil
	}
	return false, err
}

// beginJob takes everything that is dirty. The context is nil when nothing is, and when
// the scheduler is paused.
func (s *Scheduler) beginJob(ctx context.Context) (jobCtx context.Context, j job, paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paused) > 0 {
		return nil, job{}, true
	}
	j, any := s.dirty.begin()
	if !any {
		return nil, job{}, false
	}
	select {
	case <-s.urgent: // this job covers the urgent scan
	default:
	}
	s.job = j
	jobCtx, s.stop = context.WithCancelCause(ctx)
	return jobCtx, j, false
}

func (s *Scheduler) endJob() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop(nil)
	s.stop = nil
}

// watch starts to follow the tree until the caller calls stop.
func (s *Scheduler) watch(ctx context.Context) (stop func()) {
	defer s.begin.Do(func() { close(s.begun) })
	if s.o.SyncDir == "" {
		return func() {}
	}
	w := watch.NewWatcher(s.o.Filter, s.notice, watch.WatcherOptions{SyncDir: s.o.SyncDir, Logger: s.o.Logger})
	s.watcher.Store(w)
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

// settle waits until a job may begin: until no more changes come, and longer after a
// failed write.
func (s *Scheduler) settle(ctx context.Context) {
	for {
		now, last := time.Now(), s.dirty.latest()
		s.mu.Lock()
		wait, refused := s.dirty.wait(now), s.backoff.rest(last, now)
		if len(s.paused) > 0 || s.dirty.empty() {
			wait, refused = 0, 0
		}
		s.mu.Unlock()
		if wait = max(wait, refused); wait <= 0 {
			return
		}
		var wake <-chan struct{}
		if refused > 0 { // the wait may become shorter
			wake = s.wake
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-wake:
		case <-s.urgent:
			timer.Stop()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// do does one job and returns what it covers.
func (s *Scheduler) do(ctx context.Context, j job, publish func(api.State)) (job, error) {
	if err := s.writing.take(ctx); err != nil {
		return j, err
	}
	defer s.writing.free()
	var changes []pipeline.Change
	if j.scan > 0 || !s.o.Dir.Current() { // with the root, all files seem gone
		tree, err := s.rescan(ctx)
		if err != nil {
			return j, err
		}
		changes = pipeline.Plan(s.o.Index.Files(), tree.All())
	} else {
		changes = s.plan(j.paths)
	}
	j = s.setJob(s.dirty.planned(j, changes))
	if len(changes) == 0 && !s.o.Index.Outdated() {
		return j, nil
	}
	publish(api.State{State: api.StateIndexing, Total: len(changes), Pending: len(changes)})
	_, err := s.apply(ctx, changes, func(p api.Progress) {
		publish(api.State{State: api.StateIndexing, Done: p.Done, Total: p.Total, Pending: p.Total - p.Done})
	})
	return j, err
}

// setJob replaces the job in progress.
func (s *Scheduler) setJob(j job) job {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.job = j
	return j
}

// rescan returns the tree, which is watched from then on. The caller holds s.writing.
func (s *Scheduler) rescan(ctx context.Context) (*watch.Tree, error) {
	w := s.watcher.Load()
	if w == nil {
		return s.scan(ctx, func(api.Progress) {})
	}
	s.tree = noTree
	tree, err := w.Scan(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.o.Dir.Renew(); err != nil {
		return nil, fmt.Errorf("%w %s: %w; check that it still exists and can be read", watch.ErrRoot, s.o.Root, err)
	}
	return tree, nil
}

// plan returns the changes at some paths: the file of each path, unless it looks as the
// index has it, and the files that the index has below it, in case it was a directory.
func (s *Scheduler) plan(paths []record.Path) []pipeline.Change {
	changes := map[record.Path]pipeline.Change{}
	look := func(p record.Path, old record.File) {
		e, ok := s.o.Filter.Entry(string(p))
		switch {
		case !ok && old.Path == "":
		case ok && old.Path != "" && len(pipeline.Plan([]record.Row{record.RowOf(&old)}, slices.Values([]watch.Entry{e}))) == 0 && s.readable(p):
		default:
			changes[p] = pipeline.Change{Path: p, Entry: e, Old: old, Gone: !ok}
		}
	}
	files := s.o.Index.Files()
	for _, p := range paths {
		old, _ := s.o.Index.File(p)
		look(p, old)
		for _, f := range below(files, p) {
			look(f.Path(), f.File())
		}
	}
	return slices.SortedFunc(maps.Values(changes), func(a, b pipeline.Change) int { return cmp.Compare(a.Path, b.Path) })
}

// readable tries to open a file, as chmod does not change its modification time.
func (s *Scheduler) readable(path record.Path) bool {
	f, err := s.o.Dir.OpenFile(string(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// search returns the index of the first of files, which are sorted by path, whose path
// is not before that one.
func search(files []record.Row, path string) int {
	return sort.Search(len(files), func(i int) bool { return string(files[i].Path()) >= path })
}
