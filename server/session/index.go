package session

import (
	"context"
	"fmt"
	"runtime/debug"

	"ambit/indexer/languages"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
)

// Progress says how far [Session.Index] is.
type Progress struct {
	Phase       string // "scanning", "indexing" or "saving"
	Done, Total int    // files
	Bytes       int64  // of the files done
	TotalBytes  int64
	Path        string // the file just done
}

// Report counts what [Session.Index] did.
type Report = pipeline.Report

// indexGCPercent and indexMemory hold while many files are indexed: what is alive is
// a few batches and the views, and most of the rest is garbage soon. Collecting it as
// often as Go does by default costs 4 % of the time; the soft limit, in bytes, keeps
// the peak of a workspace with 100,000 chunks below 500 MB with the parsers' trees.
const (
	indexGCPercent = 300
	indexMemory    = 320 << 20
)

// Index brings the index up to the tree, and reports what it did. It calls progress,
// unless nil, from one goroutine at a time. When it is cancelled, the files done by
// then stay done. One call works at a time; answers do not wait for it.
func (s *Session) Index(ctx context.Context, progress func(Progress)) (Report, error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	if err := s.writing.take(ctx); err != nil {
		return Report{}, err
	}
	defer s.writing.free()
	tree, err := s.scanned(ctx, progress)
	if err != nil {
		return Report{}, err
	}
	changes := pipeline.Plan(s.files.all(), tree)
	report, err := s.apply(ctx, changes, progress)
	if err == nil {
		s.begin.Do(func() { close(s.begun) })
		return report, nil
	}
	err = fmt.Errorf("index %s: %w", s.root, err)
	if s.state.Load() == nil && ctx.Err() == nil && passes(err) { // else Run says how far it is
		s.refuse(err, s.left(changes), 0)
		s.begin.Do(func() { close(s.begun) })
	}
	return report, err
}

// scanned returns the tree as Open's scan saw it, the first time, and then by a scan
// of its own. The caller holds s.writing.
func (s *Session) scanned(ctx context.Context, progress func(Progress)) ([]watch.Entry, error) {
	tree := s.tree
	s.tree = nil
	if tree != nil {
		return tree, nil
	}
	progress(Progress{Phase: "scanning"})
	return watch.Scan(ctx, s.filter)
}

// apply does what was planned and saves the views when that was much, or has Run do
// that in its own time. The caller holds s.writing.
func (s *Session) apply(ctx context.Context, changes []pipeline.Change, progress func(Progress)) (Report, error) {
	switch {
	case len(changes) <= maxUnsaved:
	case s.longLived:
		defer s.gate.job()()
	default:
		defer debug.SetGCPercent(debug.SetGCPercent(indexGCPercent))
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(indexMemory))
	}
	report, err := s.pipe.Apply(ctx, changes, func(p pipeline.Progress) {
		progress(Progress{"indexing", p.Done, p.Total, p.Bytes, p.TotalBytes, string(p.Path)})
	})
	s.unsaved += report.Indexed + report.LeftOut + report.Removed + report.Enriched
	switch {
	case s.longLived: // Run tells what there is by now, and saves
		s.work.tell(func() {})
	case err != nil || s.unsaved <= maxUnsaved:
	default:
		progress(Progress{Phase: "saving", Done: len(changes), Total: len(changes)})
		s.saveViews(ctx)
	}
	if err == nil {
		s.accepted()
	}
	return report, err
}

// tidiedPart of the indexed files may be unsaved in a session that lives long: saving
// costs as much as the whole workspace is large, applying them anew costs an Open
// after a crash 0.3 ms each.
const tidiedPart = 20

// tidy saves the views, if much is unsaved, and gives the memory back that indexing so
// much has taken. Nobody waits for it.
func (s *Session) tidy(ctx context.Context) {
	if s.writing.take(ctx) != nil {
		return
	}
	defer s.writing.free()
	if s.unsaved <= max(maxUnsaved, int(s.files.indexed.Load())/tidiedPart, 2*s.refusedViews) {
		return
	}
	s.saveViews(ctx)
	debug.FreeOSMemory()
	languages.Release()
}

// pending counts the files that Index would look at, by the scan of Open or a new
// one.
func (s *Session) pending(ctx context.Context) (int, error) {
	if err := s.writing.take(ctx); err != nil {
		return 0, err
	}
	defer s.writing.free()
	tree := s.tree
	if tree == nil { // a scan is not kept: Index, which may come much later, would take it for news
		var err error
		if tree, err = watch.Scan(ctx, s.filter); err != nil {
			return 0, err
		}
	}
	return len(pipeline.Plan(s.files.all(), tree)), nil
}
