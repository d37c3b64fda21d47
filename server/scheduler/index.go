package scheduler

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"ambit/indexer/languages"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/api"
	"ambit/vectors/record"
)

// maxUnsaved is how many files may be written until the views are saved. Applying that
// many again costs a start less than 20 ms, while saving costs as much as the whole
// workspace is large. A long-lived process saves when one part in unsavedShare of the
// files was written: applying these again costs a start after a crash 0.3 ms each.
const (
	maxUnsaved   = 64
	unsavedShare = 20
)

// heapOfIndex is how much of the heap of a process that indexes many files lies in huge pages.
// A workspace with 100,000 chunks needs that much.
const heapOfIndex = 320 << 20

// Index brings the index up to date once and reports what it did. While it waits for
// another job, it calls progress with the state of that job. See [api.Indexing].
func (s *Scheduler) Index(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	return s.bringUp(ctx, progress, false)
}

// CatchUp is Index, but while Run follows the tree, it looks only at the paths that may have
// changed. See [api.Indexing].
func (s *Scheduler) CatchUp(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	return s.bringUp(ctx, progress, s.follows(ctx))
}

// follows reports whether the dirty set has every change made before the call.
func (s *Scheduler) follows(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	w := s.watcher.Load()
	return w != nil && w.Live() && w.Sync(ctx, nil)
}

// bringUp brings the index up to date once, by a scan of the tree unless the dirty set has
// every change.
func (s *Scheduler) bringUp(ctx context.Context, progress func(api.Progress), followed bool) (api.Report, error) {
	if err := s.wait(ctx, progress); err != nil {
		return api.Report{}, err
	}
	progress, end := s.report(progress)
	defer end()
	report, err := s.index(ctx, progress, followed)
	if read := s.o.Index.Reading(); err == nil && read != nil {
		return report, s.awaitHistory(ctx, read, progress)
	}
	return report, err
}

// awaitHistory waits until the history is read, and stores it unless Run did.
func (s *Scheduler) awaitHistory(ctx context.Context, read <-chan struct{}, progress func(api.Progress)) error {
	progress(api.Progress{Phase: "history"})
	select {
	case <-read:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := s.writing.take(ctx); err != nil {
		return err
	}
	defer s.writing.free()
	_, err := s.apply(ctx, nil, progress)
	return err
}

// index makes the changes. The caller holds s.writing, which index frees.
func (s *Scheduler) index(ctx context.Context, progress func(api.Progress), followed bool) (api.Report, error) {
	defer s.writing.free()
	j, _ := s.dirty.begin()
	changes, err := s.changes(ctx, j, progress, followed)
	if err != nil {
		return api.Report{}, err
	}
	j = s.setJob(s.dirty.planned(j, changes))
	report, err := s.apply(ctx, changes, progress)
	if err == nil {
		s.dirty.finished(j)
		s.begin.Do(func() { close(s.begun) })
		return report, nil
	}
	err = fmt.Errorf("index %s: %w", s.o.Root, err)
	if s.state.Load() == nil && ctx.Err() == nil && mayPass(err) { // otherwise Run reports the state
		s.refuse(err, 0)
		s.begin.Do(func() { close(s.begun) })
	}
	return report, err
}

// changes returns what a job has to change: at the paths of the dirty set if that has every
// change, else where a scan of the tree differs from the index.
func (s *Scheduler) changes(ctx context.Context, j job, progress func(api.Progress), followed bool) ([]pipeline.Change, error) {
	if followed && j.scan == 0 && s.o.Dir.Current() {
		return s.plan(j.paths), nil
	}
	tree, err := s.scan(ctx, progress)
	if err != nil {
		return nil, err
	}
	return pipeline.Plan(s.o.Index.Files(), tree.All()), nil
}

// Reindex reads a file, the files below a directory or, with "", all files again, and
// returns how many files it looked at. It waits for a job of Run.
func (s *Scheduler) Reindex(ctx context.Context, dir string, progress func(api.Progress)) (int, error) {
	if err := s.writing.take(ctx); err != nil {
		return 0, err
	}
	defer s.writing.free()
	progress, end := s.report(progress)
	defer end()
	s.tree = noTree
	tree, err := s.scan(ctx, progress)
	if err != nil {
		return 0, err
	}
	inside := func(p string) bool {
		return dir == "" || p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
	}
	var known []record.Row
	for _, f := range s.o.Index.Files() {
		if inside(string(f.Path())) {
			again := f.File()
			again.Hash, again.ModTime = record.Hash{}, 0 // so that its content is read again
			known = append(known, record.RowOf(&again))
		}
	}
	changes := pipeline.Plan(known, func(yield func(watch.Entry) bool) {
		for e := range tree.All() {
			if inside(e.Path) && !yield(e) {
				return
			}
		}
	})
	if dir != "" && len(changes) == 0 {
		return 0, fmt.Errorf("%w: no file %s in %s; ambit status lists what is left out", api.ErrQuestion, dir, s.o.Root)
	}
	_, err = s.apply(ctx, changes, progress)
	return len(changes), err
}

// Pending counts the files that Index would check. It waits for a running job.
func (s *Scheduler) Pending(ctx context.Context) (int, error) {
	if err := s.writing.take(ctx); err != nil {
		return 0, err
	}
	defer s.writing.free()
	tree := s.tree()
	if tree == nil { // and the scan is not kept: Index may come much later
		var err error
		if tree, err = watch.Look(ctx, s.o.Filter); err != nil {
			return 0, err
		}
	}
	return len(pipeline.Plan(s.o.Index.Files(), tree.All())), nil
}

// Close saves the views if many files were written since they were saved. No other call
// may follow.
func (s *Scheduler) Close() error {
	if err := s.writing.take(context.Background()); err != nil {
		return err
	}
	if s.unsaved > maxUnsaved {
		s.saveViews(context.Background())
	}
	return nil
}

// scan returns the tree: the first time as the scan of Open found it, then by a scan of
// its own. The caller holds s.writing.
func (s *Scheduler) scan(ctx context.Context, progress func(api.Progress)) (*watch.Tree, error) {
	tree := s.tree()
	s.tree = noTree
	if tree != nil {
		return tree, nil
	}
	progress(api.Progress{Phase: "scanning"})
	return watch.Look(ctx, s.o.Filter)
}

// apply makes planned changes. A short-lived process then saves the views if much has
// changed; Run saves those of a long-lived one. The caller holds s.writing.
func (s *Scheduler) apply(ctx context.Context, changes []pipeline.Change, progress func(api.Progress)) (api.Report, error) {
	switch {
	case !isLarge(changes):
	case s.o.LongLived:
		defer ofJob.Keep()()
	default:
		UseHugePages(heapOfIndex)
		defer ofIndex.Keep()()
	}
	report, err := s.o.Pipeline.Apply(ctx, changes, func(p pipeline.Progress) {
		progress(api.Progress{Phase: "indexing", Done: p.Done, Total: p.Total, Bytes: p.Bytes, TotalBytes: p.TotalBytes, Path: p.Path})
	})
	s.unsaved += report.Indexed + report.LeftOut + report.Removed + report.Enriched
	switch {
	case s.o.LongLived:
		s.wakeUp() // Run shows the state and saves
	case err == nil && s.unsaved > maxUnsaved:
		progress(api.Progress{Phase: "saving", Done: len(changes), Total: len(changes)})
		s.release()
		end := ofSaving.Keep()
		s.saveViews(ctx)
		end()
	}
	if err == nil {
		s.accepted()
	}
	return reportOf(report), err
}

// tidy saves the views if many files are unsaved, and then returns the memory of
// indexing to the system. No caller waits for it.
func (s *Scheduler) tidy(ctx context.Context) {
	if s.writing.take(ctx) != nil {
		return
	}
	defer s.writing.free()
	if s.unsaved <= max(maxUnsaved, s.o.Index.Indexed()/unsavedShare, 2*s.unsavedBefore) {
		return
	}
	s.saveViews(ctx)
	s.release()
}

// release returns the memory of indexing to the system.
func (s *Scheduler) release() {
	languages.Release()
	debug.FreeOSMemory()
}

// saveViews saves the views. They only make the next start faster: when the disk has no
// room for them, saving is tried again when twice as much is unsaved. The caller holds
// s.writing.
func (s *Scheduler) saveViews(ctx context.Context) {
	err := s.o.Index.SaveViews(ctx)
	switch {
	case err == nil:
		s.unsaved, s.unsavedBefore = 0, 0
	case ctx.Err() == nil:
		s.unsavedBefore = s.unsaved
		s.o.Logger.Warn("views not saved", "error", err)
	}
}

func reportOf(r pipeline.Report) api.Report {
	return api.Report{Indexed: r.Indexed, LeftOut: r.LeftOut, Touched: r.Touched, Removed: r.Removed, Embedded: r.Embedded, Kept: r.Kept, Enriched: r.Enriched, Recalled: r.Recalled, Bytes: r.Bytes}
}
