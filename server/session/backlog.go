package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// An answer is made of the files that have changed and are not indexed yet as they
// are on disk, up to maxBacklog of them and maxBacklogBytes (a tenth of a second of
// parsing), found among maxLooked paths, which take some 3 µs each; those that are gone
// take no more and do not count. Beyond that the answer says how many wait.
const (
	maxBacklog      = 32
	maxBacklogBytes = 512 << 10
	maxLooked       = 1024
)

// backlog is what the index lacks of the tree, as it was heard of. It is immutable.
type backlog struct {
	files   map[record.Path]*Buffer // as they are on disk
	pending int                     // files that wait and are not in files
	unsure  bool                    // more may have changed than is known
}

// backlogs keeps the latest backlog: what was read for one answer is there for the
// next.
type backlogs struct {
	mu   sync.Mutex // held while the next is made; guards all fields below
	last *backlog
}

// patience is how long a question waits for what other programs have done before it to
// be heard: no time at all while the workspace is quiet, and after a storm as long as it
// takes to hear some ten thousand events or to scan the tree, 0.3 s for 20,000 files.
const patience = 500 * time.Millisecond

// current returns the workspace as one request sees it that came now: what other
// programs have done before is in it, indexed or not. See [watch.Watcher.Sync] for
// what is heard.
func (s *Session) current(ctx context.Context, b *Buffer) *snapshot {
	o := s.overlaid(b, s.unindexed(ctx))
	return &snapshot{s: s, over: o, names: o.names, fresh: o.fresh}
}

// unindexed returns the backlog, nil for none.
func (s *Session) unindexed(ctx context.Context) *backlog {
	w, err := s.awaken(ctx)
	switch {
	case err != nil:
		return &backlog{files: map[record.Path]*Buffer{}, unsure: true}
	case w == nil:
		return nil
	}
	latest, heard := s.heard(ctx, w)
	d := s.work.dirty()
	unsure := d.all || !heard
	if !unsure && len(d.paths) == 0 && d.left() == 0 {
		return nil
	}
	s.backlogs.mu.Lock()
	defer s.backlogs.mu.Unlock()
	before := s.backlogs.last
	g := gathering{s: s, now: &backlog{files: map[record.Path]*Buffer{}, unsure: unsure}, seen: map[record.Path]bool{}}
	if before != nil {
		g.before = before.files
	}
	next := g.gather(latest, d)
	switch {
	case len(next.files) == 0 && next.pending == 0 && !unsure:
		next = nil
	case before != nil && next.pending == before.pending && next.unsure == before.unsure && maps.Equal(next.files, before.files):
		next = before // so that what was made of it serves again
	}
	s.backlogs.last = next
	return next
}

// awaken returns the watcher, nil when the index has been brought up to the tree
// without one. The first question of a session that lives long may come before either.
func (s *Session) awaken(ctx context.Context) (*watch.Watcher, error) {
	if s.longLived {
		ctx, cancel := context.WithTimeout(ctx, s.patience)
		defer cancel()
		select {
		case <-s.begun:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return s.watcher.Load(), nil
}

// heard waits until everything that happened before the call has been told, and returns
// the paths that were told last before that, the newest first, and whether it has. It
// has too where nothing can be heard, which the state says.
func (s *Session) heard(ctx context.Context, w *watch.Watcher) (latest recent, all bool) {
	hears := w.Live()
	paused := s.work.ask(!hears)
	defer s.work.asked()
	if hears || !paused {
		ctx, cancel := context.WithTimeout(ctx, s.patience)
		defer cancel()
		if w.Sync(ctx, func() { latest = s.work.recent() }) {
			s.work.known(ctx)
			return latest, true
		}
	}
	return s.work.recent(), w.Message() != ""
}

// dirty is what waits or is being worked on.
type dirty struct {
	paths []record.Path // sorted
	plan                // of the job in progress
	since int           // which paths the plan does not know yet, see [recent.since]; 0 for all
	all   bool          // more than that may wait
}

// plan is the files that wait for one job.
type plan struct {
	paths  []record.Path // sorted; they are worked on in this order
	newest []record.Path // of those that are there, the last to be written, the newest first
	done   record.Path   // this one and all before it are indexed
}

// newPlan returns the plan to make changes, which are sorted by path.
func newPlan(changes []pipeline.Change) *plan {
	p := &plan{paths: make([]record.Path, 0, len(changes))}
	there := make([]*pipeline.Change, 0, len(changes))
	for i := range changes {
		p.paths = append(p.paths, changes[i].Path)
		if !changes[i].Gone && changes[i].Entry.LeftOut == "" {
			there = append(there, &changes[i])
		}
	}
	slices.SortStableFunc(there, func(a, b *pipeline.Change) int { return cmp.Compare(b.Entry.ModTime, a.Entry.ModTime) })
	for _, c := range there[:min(len(there), maxLooked)] {
		p.newest = append(p.newest, c.Path)
	}
	return p
}

// indexed notes that a batch is done.
func (p *plan) indexed(b *record.Batch) {
	for i := range b.Files {
		p.done = max(p.done, b.Files[i].File.Path)
	}
	for i := range b.Touched {
		p.done = max(p.done, b.Touched[i].Path)
	}
	for _, path := range b.Removed {
		p.done = max(p.done, path)
	}
}

// left returns how many files wait.
func (p *plan) left() int {
	n, found := slices.BinarySearch(p.paths, p.done)
	if found {
		n++
	}
	return len(p.paths) - n
}

// dirty returns what waits or is being worked on.
func (w *work) dirty() dirty {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := dirty{paths: slices.Collect(maps.Keys(w.paths)), all: w.all}
	switch {
	case w.job == nil:
	case w.job.plan != nil:
		d.plan, d.since = *w.job.plan, w.job.n
	default:
		d.all = d.all || w.job.all
		for p := range w.job.paths {
			if !w.paths[p] {
				d.paths = append(d.paths, p)
			}
		}
	}
	slices.Sort(d.paths)
	return d
}

// gathering is a backlog in the making.
type gathering struct {
	s      *Session
	before map[record.Path]*Buffer // what was read for the last one
	now    *backlog
	looked int                  // at paths
	read   int                  // files
	bytes  int64                // of those that were not read before
	seen   map[record.Path]bool // paths
}

// gather looks first at what came last, which need not wait any more, then at what was
// written last and at the rest of what waits.
func (g *gathering) gather(latest recent, d dirty) *backlog {
	files := g.s.files.all()
	look := func(paths []record.Path, waits bool) {
		for _, p := range paths {
			g.look(p, waits)
			for _, f := range below(files, p) {
				g.look(f.Path, waits)
			}
		}
	}
	look(latest.since(d.since), false)
	for _, p := range d.newest {
		if p > d.done {
			g.look(p, false) // is counted with all that is left
		}
	}
	look(d.paths, true)
	g.now.pending += d.left()
	for p := range g.seen {
		if _, planned := slices.BinarySearch(d.plan.paths, p); planned && p > d.done {
			g.now.pending--
		}
	}
	return g.now
}

// look looks at a path, or counts it as one that waits when enough has been looked at.
func (g *gathering) look(p record.Path, waits bool) {
	full := g.looked == maxLooked || g.read == maxBacklog || g.bytes > maxBacklogBytes
	switch {
	case g.seen[p], full && !waits:
		return
	case full:
		g.now.pending++
	}
	if g.seen[p] = true; full {
		return
	}
	g.looked++
	before := g.before[p]
	buffer := g.s.onDisk(p, before)
	if buffer == nil {
		return
	}
	g.now.files[p] = buffer
	if buffer.record.File.LeftOut == gone {
		return
	}
	g.read++
	if buffer != before {
		g.bytes += buffer.record.File.Size
	}
}

// onDisk returns what stands on disk in the place of a file, nil when the index has it
// so. It returns before, unless nil, when that is what stands there.
func (s *Session) onDisk(path record.Path, before *Buffer) *Buffer {
	indexed, known := s.files.find(path)
	info, err := s.dir.Lstat(string(path))
	if err != nil || !info.Mode().IsRegular() {
		return s.lacking(known && indexed.LeftOut == "", path, before)
	}
	if known && indexed.LeftOut == "" && indexed.Size == info.Size() && indexed.ModTime == info.ModTime().UnixNano() {
		return nil
	}
	if !known || indexed.LeftOut != "" { // one that is indexed is none that is left out by its name
		if e, ok := s.filter.Entry(string(path)); !ok || e.LeftOut != "" {
			return nil
		}
	}
	old := record.File{Path: path}
	if before != nil {
		old = before.record.File
	}
	r, differs, err := s.pipe.Fresh(old)
	switch {
	case err != nil:
		return s.lacking(known && indexed.LeftOut == "", path, before)
	case !differs:
		r = before.record
	default:
		before = newDiskBuffer(r)
	}
	switch {
	case r.File.LeftOut != "" && indexed.LeftOut == "" && !known, known && indexed.Hash == r.File.Hash && indexed.LeftOut == r.File.LeftOut:
		return nil
	}
	return before
}

// lacking returns what stands in the place of a file that is gone or cannot be read:
// nothing, unless the index has it.
func (s *Session) lacking(indexed bool, path record.Path, before *Buffer) *Buffer {
	switch {
	case !indexed || !s.dir.stands():
		return nil
	case before != nil && before.record.File.LeftOut == gone:
		return before
	}
	return newDiskBuffer(record.FileRecord{File: record.File{Path: path, LeftOut: gone}})
}

// gone is why an answer has no file that the index has and the disk has not.
const gone = "gone"

// newDiskBuffer returns what the answers take in the place of a file: r, which was
// read from disk.
func newDiskBuffer(r record.FileRecord) *Buffer {
	b := &Buffer{path: r.File.Path, text: r.Content, hash: r.File.Hash, record: r}
	b.hashed.Do(func() {})
	b.analyzed.Do(func() {})
	return b
}

// freshness says how new an answer is. It is ready when all that is known to have
// changed is in it, whether it is indexed already or not.
func (v *snapshot) freshness() assemble.Freshness {
	f := assemble.Freshness{Generation: v.s.db.Generation(), State: Ready}
	b := v.over.backlog
	st := v.s.state.Load()
	switch now, refused := v.s.refused(); {
	case st == nil && refused:
		f.State, f.Pending = now.Name, now.Pending
		return f
	case st == nil && b == nil:
		return f
	case st == nil:
		st = &State{Name: Starting}
	}
	f.State = st.Name
	if b != nil {
		f.Pending = b.pending
		if b.unsure {
			f.Pending = max(f.Pending, st.Pending, 1)
		}
	}
	switch busy := f.State == Indexing || f.State == Starting; {
	case f.Pending > 0 && f.State == Ready:
		f.State = Indexing
	case f.Pending == 0 && busy: // all has been heard, and what is not indexed was read
		f.State = Ready
	}
	return f
}
