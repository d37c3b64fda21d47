package pipeline

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ambit/vectors/record"
)

// aheadPerWorker is how many parsed files may wait for an earlier file. It bounds the
// memory that a slow file (1 MB of JSON) can cause.
const aheadPerWorker = 16

// Progress is the progress of [Pipeline.Apply].
type Progress struct {
	Done, Total int         // files
	Bytes       int64       // of the files that are done
	TotalBytes  int64       // of all files, as the scan saw them
	Path        record.Path // of the file that was just done
}

// Report counts the work of [Pipeline.Apply].
type Report struct {
	Indexed  int   // files stored with their chunks
	LeftOut  int   // files stored without chunks
	Touched  int   // files with the same bytes under another time
	Removed  int   // files that are gone
	Embedded int   // chunks whose vector was computed
	Kept     int   // chunks that kept the vector of the same text
	Enriched int   // files written again because they refer to others that have changed
	Recalled int   // files of Indexed whose earlier record was kept
	Bytes    int64 // of the indexed files
}

// Apply brings the sink up to the changes and reports what it did. It calls progress,
// unless nil, from one goroutine after each file. When it returns an error (of the
// sink, of the embedder, or [context.Cause]) the batches before it are stored and the
// rest is not: calling it again with a new plan continues from there.
//
// It works in two rounds. The first reads all changed files and batches those that do not
// refer to others. When the exports of all files are known, the second enriches and
// batches those that do, and the files of the index that became stale. A batch that is not
// full goes on from the first round to the second.
func (p *Pipeline) Apply(ctx context.Context, changes []Change, progress func(Progress)) (Report, error) {
	r := run{p: p, onProgress: progress, maxBytes: p.o.BatchBytes}
	if p.isCheckout(changes) {
		r.maxBytes *= checkoutFactor
	}
	r.progress.Total = len(changes)
	tasks := make([]task, len(changes))
	for i := range changes {
		c := &changes[i] // a copy for each would take 30 MB for 80,000 files
		tasks[i] = task{c.Path, c.Entry.Size, func(ctx context.Context) (outcome, error) { return p.process(ctx, &r, *c) }}
		r.progress.TotalBytes += c.Entry.Size
	}
	if err := r.round(ctx, tasks, p.o.History); err != nil {
		return r.report, err
	}
	defer p.o.Enrich.Preview(&record.Batch{Files: slices.Concat(r.batch.Files, r.deferred), Removed: r.batch.Removed})()
	if tasks = r.secondRound(); len(tasks) > 0 {
		r.progress.Total += len(tasks) - len(r.deferred)
		if err := r.round(ctx, tasks, nil); err != nil {
			return r.report, err
		}
	}
	if r.isEmpty() {
		return r.report, nil
	}
	return r.report, p.write(ctx, &r.batch)
}

// isCheckout reports whether the changes may go into one batch, and some of them change or
// remove files of the index: answers then go from the old files to the new ones at once.
func (p *Pipeline) isCheckout(changes []Change) bool {
	return len(changes) <= p.o.BatchFiles && slices.ContainsFunc(changes, func(c Change) bool { return c.Old.Path != "" })
}

// run is one call of Apply.
type run struct {
	p             *Pipeline
	onProgress    func(Progress) // may be nil
	progress      Progress
	report        Report
	deferred      []record.FileRecord // neither enriched nor embedded
	deferredBytes atomic.Int64        // of their texts
	maxBytes      int                 // of the texts of a batch
	batch         record.Batch        // being filled
	batchBytes    int                 // of its texts
}

// task is the work on one file.
type task struct {
	path  record.Path
	bytes int64 // of the file, as the scan saw it
	do    func(ctx context.Context) (outcome, error)
}

// secondRound returns the tasks for the deferred files and the stale ones, by path.
func (r *run) secondRound() (tasks []task) {
	isDeferred := make(map[record.Path]bool, len(r.deferred))
	for _, f := range r.deferred {
		isDeferred[f.File.Path] = true
		tasks = append(tasks, task{f.File.Path, f.File.Size, func(ctx context.Context) (outcome, error) {
			return r.p.finish(ctx, outcome{kind: written, record: f})
		}})
	}
	for _, path := range r.p.o.Enrich.Stale() {
		if !isDeferred[path] {
			tasks = append(tasks, task{path, 0, func(ctx context.Context) (outcome, error) { return r.p.enrichAgain(ctx, path) }})
		}
	}
	slices.SortFunc(tasks, func(a, b task) int { return strings.Compare(string(a.path), string(b.path)) })
	return tasks
}

// result is a task with the channel that receives its outcome, unless the task fails.
type result struct {
	task
	done chan outcome
}

// round does the tasks, several at a time, and writes their outcomes in their order. The
// last of them stay in the batch being filled.
func (r *run) round(ctx context.Context, tasks []task, from History) error {
	if from != nil {
		r.batch.History = from.Refresh()
	}
	group, ctx := errgroup.WithContext(ctx)
	results := make(chan result, aheadPerWorker*r.p.o.Workers) // in the order of the tasks
	batches := make(chan *record.Batch)
	group.Go(func() error {
		defer close(results)
		return r.p.work(ctx, tasks, results)
	})
	group.Go(func() error {
		defer close(batches)
		return r.collect(ctx, results, from, batches)
	})
	group.Go(func() error {
		for b := range batches {
			if err := r.p.write(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// work does the tasks and sends a result for each before it starts.
func (p *Pipeline) work(ctx context.Context, tasks []task, results chan<- result) error {
	workers, inner := errgroup.WithContext(ctx)
	workers.SetLimit(p.o.Workers)
	for _, t := range tasks {
		done := make(chan outcome, 1)
		select {
		case results <- result{t, done}:
		case <-inner.Done():
		}
		if inner.Err() != nil {
			break
		}
		workers.Go(func() error {
			p.o.Yield(inner)
			if inner.Err() != nil {
				return context.Cause(inner)
			}
			out, err := t.do(inner)
			if err == nil {
				done <- out
			}
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// collect puts the outcomes into batches; a history goes with the first or the last one.
func (r *run) collect(ctx context.Context, results <-chan result, from History, batches chan<- *record.Batch) error {
	for s := range results {
		var out outcome
		select {
		case out = <-s.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if out.kind == deferred {
			r.deferred = append(r.deferred, out.record)
			continue
		}
		r.add(out)
		r.progress.Done++
		r.progress.Path = s.path
		r.progress.Bytes += s.bytes
		if r.onProgress != nil {
			r.onProgress(r.progress)
		}
		if r.batchFiles() >= r.p.o.BatchFiles || r.batchBytes >= r.maxBytes {
			b := r.batch
			r.batch, r.batchBytes = record.Batch{}, 0
			select {
			case batches <- &b:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	if from != nil && r.batch.History == nil {
		r.batch.History = from.Refresh()
	}
	return nil
}

// add puts one outcome into the batch and the report.
func (r *run) add(out outcome) {
	f := &out.record.File
	switch out.kind {
	case unchanged:
		return
	case touched:
		r.report.Touched++
		r.batch.Touched = append(r.batch.Touched, *f)
		return
	case forgotten:
		r.batch.Forget = append(r.batch.Forget, f.Path)
		fallthrough
	case removed:
		r.report.Removed++
		r.batch.Removed = append(r.batch.Removed, f.Path)
		return
	}
	if out.kind == enriched { // its bytes are the same, its time may be another
		if i := slices.IndexFunc(r.batch.Touched, func(t record.File) bool { return t.Path == f.Path }); i >= 0 {
			f.Size, f.ModTime = r.batch.Touched[i].Size, r.batch.Touched[i].ModTime
			r.batch.Touched = slices.Delete(r.batch.Touched, i, i+1)
		}
	}
	r.batch.Files = append(r.batch.Files, out.record)
	r.batchBytes += len(out.record.Content)
	r.report.Kept += out.nKept
	r.report.Embedded += len(out.record.Chunks) - out.nKept
	switch {
	case f.LeftOut != "":
		r.report.LeftOut++
	case out.kind == enriched:
		r.report.Enriched++
	default:
		r.report.Indexed++
		r.report.Bytes += f.Size
		if out.record.Recalled {
			r.report.Recalled++
		}
	}
}

// batchFiles returns how many files the batch changes. A removed or touched file counts as a
// written one: a removed directory is one batch, and no batch changes rows without a bound.
func (r *run) batchFiles() int {
	return len(r.batch.Files) + len(r.batch.Removed) + len(r.batch.Touched)
}

// isEmpty reports whether the batch would change nothing.
func (r *run) isEmpty() bool { return r.batchFiles() == 0 && r.batch.History == nil }

// write hands a batch to the sink and to the index of exports and references.
func (p *Pipeline) write(ctx context.Context, b *record.Batch) error {
	if err := p.sink.Apply(ctx, b); err != nil {
		return err // it names the place of the failed write
	}
	p.o.Enrich.Apply(b)
	p.log.Info("batch applied", "generation", b.Generation,
		"files", len(b.Files), "touched", len(b.Touched), "removed", len(b.Removed))
	return nil
}
