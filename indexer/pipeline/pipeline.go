// Package pipeline turns changed paths into batches and hands them to the sinks.
//
// It owns the order of work: read, hash, skip what is the same, leave out what is
// not for the index, mask, parse, split, extract, weave in what other files offer,
// embed what is new, and hand one [record.Batch] after the other to each [Sink]. It
// knows no concrete store, view or embedder.
//
// Batches hold the files in the order of the changes, those that quote others last,
// whatever the number of workers, so the same tree gives the same index. Memory is bounded by a few
// batches. A file that cannot be read or that breaks a parser costs that file, and
// the index says why it is left out.
package pipeline

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ambit/indexer/chunk"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// Bounds of one batch. A transaction costs one sync of the disk, so small batches
// are slow; a batch and the one being filled are in memory with their vectors and
// graphs, about five times their text.
const (
	DefaultBatchFiles = 500
	DefaultBatchBytes = 8 << 20
)

// aheadPerWorker is how many files may wait, read and parsed, for an earlier one to
// be finished. It bounds what one slow file (1 MB of JSON) holds up.
const aheadPerWorker = 16

// A Sink takes what changed. *store.DB and the views satisfy it.
type Sink interface {
	// Apply takes one batch, wholly or not at all.
	Apply(ctx context.Context, b *record.Batch) error
}

// An Embedder turns texts into vectors of unit length. It is called from several
// goroutines. The embedders of package embed satisfy it.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Known is what the index holds already and remembers. *store.DB satisfies it.
type Known interface {
	// Recall returns the record that path had when its bytes had a hash, with Codes in
	// place of Vectors; ok is false when that is not remembered.
	Recall(ctx context.Context, path record.Path, hash record.Hash) (r record.FileRecord, ok bool, err error)
	// Codes returns what is known of chunks of path with embedding texts of these
	// hashes, in their order; Code is nil where nothing is.
	Codes(ctx context.Context, path record.Path, embedHashes []record.Hash) ([]record.Codes, error)
	// Record returns the record that the index has of path, with Codes in place of
	// Vectors; ok is false when it has none.
	Record(ctx context.Context, path record.Path) (r record.FileRecord, ok bool, err error)
}

// History tells the history of the workspace, from git.
type History interface {
	// Refresh returns nil when the repository stands where the index left it.
	Refresh(ctx context.Context) (*record.History, error)
}

// Root opens the files of the workspace, and none outside of it. *os.Root satisfies it.
type Root interface {
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Lstat(name string) (os.FileInfo, error)
}

// Filter leaves out files by what they hold. *watch.Filter satisfies it.
type Filter interface {
	LeftOut(path string, content []byte) string
}

// Options tunes a [Pipeline]. The zero value is ready for use.
type Options struct {
	Chunk        chunk.Options
	Known        Known   // nil embeds every chunk of a changed file
	History      History // nil reads none
	Ties         *Ties   // one of the sinks; nil weaves nothing
	Workers      int     // 0 means GOMAXPROCS
	BatchFiles   int     // 0 means DefaultBatchFiles
	BatchBytes   int     // 0 means DefaultBatchBytes
	MaxFileBytes int64   // 0 means watch.DefaultMaxBytes
	// Yield is called before each file, from several goroutines, and may wait until
	// the processors are not needed for something more urgent; nil for none.
	Yield  func(ctx context.Context)
	Logger *slog.Logger
}

// Progress says how far [Pipeline.Apply] is.
type Progress struct {
	Done, Total int         // files
	Bytes       int64       // of the files done
	TotalBytes  int64       // of all files, as the scan saw them
	Path        record.Path // the file just done
}

// Report counts what [Pipeline.Apply] did.
type Report struct {
	Indexed  int   // files stored with what is in them
	LeftOut  int   // files stored without chunks
	Touched  int   // files with the same bytes under another time
	Removed  int   // files that are gone
	Embedded int   // chunks whose vector was computed
	Kept     int   // chunks that kept the vector of the same text
	Woven    int   // files written anew as they quote others that have changed
	Recalled int   // files among Indexed that were not even parsed: all of it was remembered
	Bytes    int64 // of the files indexed
}

// Changed reports whether anything was written.
func (r Report) Changed() bool { return r.Indexed+r.LeftOut+r.Touched+r.Removed+r.Woven > 0 }

// Pipeline brings an index up to date. It is safe for concurrent use as far as its
// sinks are.
type Pipeline struct {
	root   Root
	filter Filter
	embed  Embedder
	sinks  []Sink
	o      Options
	log    *slog.Logger
}

// New returns a Pipeline that reads below root, which the caller keeps open, and
// writes to the sinks in their order; the first is the one that gives keys.
func New(root Root, filter Filter, embed Embedder, sinks []Sink, o Options) *Pipeline {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.BatchFiles <= 0 {
		o.BatchFiles = DefaultBatchFiles
	}
	if o.BatchBytes <= 0 {
		o.BatchBytes = DefaultBatchBytes
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = watch.DefaultMaxBytes
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Pipeline{root, filter, embed, sinks, o, o.Logger.With("system", "pipeline")}
}

// slot is one task on its way; done gets its outcome, once.
type slot struct {
	task
	done chan outcome
}

// Apply brings the sinks up to the changes and reports what it did. It calls
// progress, unless nil, from one goroutine after each file. When it returns an
// error (of a sink, of the embedder, or [context.Cause]) the batches before it are
// stored and the rest is not: calling it again with a new plan goes on from there.
//
// Files that quote others come last, when it is known what all offer, and with them
// those of the index into which something else is woven by now. What a file offers
// depends on its own bytes alone, so that once is enough.
func (p *Pipeline) Apply(ctx context.Context, changes []Change, progress func(Progress)) (Report, error) {
	r := round{tasks: make([]task, len(changes)), history: p.o.History, progress: progress, holds: p.o.Ties != nil && p.o.Known != nil}
	r.now.Total = len(changes)
	for i, c := range changes {
		r.tasks[i].Change = c
		r.now.TotalBytes += c.Entry.Size
	}
	if err := p.apply(ctx, &r); err != nil || !r.holds {
		return r.report, err
	}
	defer p.o.Ties.foresee(r.held)()
	r.tasks, r.holds, r.history = p.weaves(r.held), false, nil
	r.now.Total += len(r.tasks) - len(r.held)
	if len(r.tasks) == 0 {
		return r.report, nil
	}
	err := p.apply(ctx, &r)
	return r.report, err
}

// weaves returns what is to be done, by path, when the files that are held back are all
// that the sinks lack.
func (p *Pipeline) weaves(held []task) []task {
	tasks := slices.Clone(held)
	seen := make(map[record.Path]bool, len(held))
	for i := range held {
		seen[held[i].Path] = true
	}
	for _, path := range p.o.Ties.Stale() {
		if !seen[path] {
			tasks = append(tasks, task{Change: Change{Path: path}, weave: true})
		}
	}
	slices.SortFunc(tasks, func(a, b task) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return tasks
}

// task is a change, or what else is to be done to a file.
type task struct {
	Change
	held  *record.FileRecord // what the change comes to, not woven and embedded yet; nil for not known
	weave bool               // only what the file quotes has changed
}

// round is one way through all changes.
type round struct {
	tasks    []task
	history  History // nil asks none
	progress func(Progress)
	now      Progress
	report   Report
	// holds says that files that quote others are held back, up to DefaultBatchBytes.
	holds     bool
	held      []task
	heldBytes atomic.Int64
}

// apply does the changes of a round.
func (p *Pipeline) apply(ctx context.Context, r *round) error {
	group, ctx := errgroup.WithContext(ctx)
	var (
		queue   = make(chan slot, aheadPerWorker*p.o.Workers) // in the order of changes
		jobs    = make(chan slot)                             // the same, to whichever worker is free
		batches = make(chan *record.Batch)
		history = make(chan *record.History, 1)
	)
	group.Go(func() error { return feed(ctx, r.tasks, queue, jobs) })
	for range p.o.Workers {
		group.Go(func() error { return p.work(ctx, r, jobs) })
	}
	group.Go(func() error {
		history <- p.history(ctx, r.history)
		return context.Cause(ctx) // that none was read says nothing then
	})
	group.Go(func() error {
		defer close(batches)
		g := gatherer{p: p, batches: batches, round: r}
		return g.run(ctx, queue, history)
	})
	group.Go(func() error { return p.write(ctx, batches) })
	return group.Wait()
}

// feed puts each task into the queue and then before the workers.
func feed(ctx context.Context, tasks []task, queue, jobs chan<- slot) error {
	defer close(queue)
	defer close(jobs)
	for _, t := range tasks {
		s := slot{t, make(chan outcome, 1)}
		for _, to := range []chan<- slot{queue, jobs} {
			select {
			case to <- s:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// work takes one task after the other until there is none.
func (p *Pipeline) work(ctx context.Context, r *round, jobs <-chan slot) error {
	for s := range jobs {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if p.o.Yield != nil {
			p.o.Yield(ctx)
		}
		out, err := p.process(ctx, r, &s.task)
		if err != nil {
			return err
		}
		s.done <- out
	}
	return nil
}

// write hands each batch to each sink. What the first has, the others get even when
// ctx is done: the next batch would not say any more what this one has dropped.
func (p *Pipeline) write(ctx context.Context, batches <-chan *record.Batch) error {
	for b := range batches {
		ctx := ctx
		for _, sink := range p.sinks {
			if err := sink.Apply(ctx, b); err != nil {
				return err // which says where it could not be written
			}
			ctx = context.WithoutCancel(ctx)
		}
		p.log.Info("batch applied", "generation", b.Generation,
			"files", len(b.Files), "touched", len(b.Touched), "removed", len(b.Removed))
	}
	return nil
}

// history asks for a new history; without one the index keeps what it has, which
// costs the answers their change frequency and no more.
func (p *Pipeline) history(ctx context.Context, from History) *record.History {
	if from == nil {
		return nil
	}
	h, err := from.Refresh(ctx)
	if err != nil {
		p.log.Warn("history not read", "error", err)
		return nil
	}
	return h
}

// gatherer collects outcomes, in the order of the changes, into batches.
type gatherer struct {
	*round
	p       *Pipeline
	batches chan<- *record.Batch
	batch   record.Batch
	bytes   int // of the texts in batch
}

// run collects until the queue ends; the history goes with the last batch.
func (g *gatherer) run(ctx context.Context, queue <-chan slot, history <-chan *record.History) error {
	for s := range queue {
		select {
		case out := <-s.done:
			if out.what == held {
				s.held = &out.record
				g.held = append(g.held, s.task)
				continue
			}
			g.add(out)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		g.now.Done++
		g.now.Path = s.Path
		g.now.Bytes += s.Entry.Size
		if g.progress != nil {
			g.progress(g.now)
		}
		if g.count() >= g.p.o.BatchFiles || g.bytes >= g.p.o.BatchBytes {
			if err := g.flush(ctx); err != nil {
				return err
			}
		}
	}
	select {
	case g.batch.History = <-history:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return g.flush(ctx)
}

// add puts one outcome into the batch and the report.
func (g *gatherer) add(out outcome) {
	switch out.what {
	case same:
	case touched:
		g.report.Touched++
		g.batch.Touched = append(g.batch.Touched, out.record.File)
	case removed, ignored:
		g.report.Removed++
		if out.what == ignored {
			g.batch.Forget = append(g.batch.Forget, out.record.File.Path)
		}
		g.batch.Removed = append(g.batch.Removed, out.record.File.Path)
	case woven:
		g.batch.Files = append(g.batch.Files, out.record)
		g.bytes += len(out.record.Content)
		g.report.Woven++
		g.report.Kept += out.nKept
		g.report.Embedded += len(out.record.Chunks) - out.nKept
	case changed:
		g.batch.Files = append(g.batch.Files, out.record)
		g.bytes += len(out.record.Content)
		if out.record.File.LeftOut != "" {
			g.report.LeftOut++
			break
		}
		g.report.Indexed++
		if out.record.Recalled {
			g.report.Recalled++
		}
		g.report.Bytes += out.record.File.Size
		g.report.Kept += out.nKept
		g.report.Embedded += len(out.record.Chunks) - out.nKept
	}
}

// touchedPerFile is how many files with a new time are as much work as one that is
// written: for them one row of the file table is.
const touchedPerFile = 16

// count returns how many files the batch is worth, 0 when it is empty.
func (g *gatherer) count() int {
	return len(g.batch.Files) + len(g.batch.Removed) + (len(g.batch.Touched)+touchedPerFile-1)/touchedPerFile
}

// flush sends the batch on, unless there is nothing in it.
func (g *gatherer) flush(ctx context.Context) error {
	if g.count() == 0 && g.batch.History == nil {
		return nil
	}
	b := g.batch
	g.batch, g.bytes = record.Batch{}, 0
	select {
	case g.batches <- &b:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
