package session

import (
	"context"
	"maps"
	"slices"
	"sync"

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

// current returns the workspace as one request sees it that came now: what other
// programs have done before is in it, indexed or not. See [watch.Watcher.Sync] for
// what is heard.
func (s *Session) current(ctx context.Context, b *Buffer) *snapshot {
	o := s.overlaid(b, s.unindexed(ctx))
	return &snapshot{s: s, over: o, names: o.names, fresh: o.fresh}
}

// unindexed returns the backlog, nil for none.
func (s *Session) unindexed(ctx context.Context) *backlog {
	w := s.watcher.Load()
	if w == nil {
		return nil // whoever asks has brought the index up to the tree
	}
	inOrder := w.Sync(ctx) || w.Message() != "" // then it hears of nothing, and says so
	paths, all := s.work.dirty()
	unsure := all || !inOrder
	if len(paths) == 0 && !unsure {
		return nil
	}
	s.backlogs.mu.Lock()
	defer s.backlogs.mu.Unlock()
	before := s.backlogs.last
	var read map[record.Path]*Buffer
	if before != nil {
		read = before.files
	}
	next := s.gather(paths, read)
	next.unsure = unsure
	switch {
	case len(next.files) == 0 && next.pending == 0 && !unsure:
		next = nil
	case before != nil && next.pending == before.pending && next.unsure == before.unsure && maps.Equal(next.files, before.files):
		next = before // so that what was made of it serves again
	}
	s.backlogs.last = next
	return next
}

// dirty returns the paths that wait or are being worked on, and whether everything
// does. Those that came last are first, and are there also when everything waits: who
// has just written a file asks about it. The others are sorted.
func (w *work) dirty() (paths []record.Path, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all = w.all
	paths = slices.Collect(maps.Keys(w.paths))
	if w.job != nil {
		all = all || w.job.all
		for p := range w.job.paths {
			if !w.paths[p] {
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	if len(paths) == 0 && !all {
		return nil, false
	}
	latest := slices.Clone(w.latest)
	slices.Reverse(latest)
	return append(latest, paths...), all
}

// gather looks at paths and at what the index has below them. Buffers of before that
// are as the files are serve again.
func (s *Session) gather(paths []record.Path, before map[record.Path]*Buffer) *backlog {
	b := &backlog{files: map[record.Path]*Buffer{}}
	files := s.files.all()
	looked, read, bytes, seen := 0, 0, int64(0), map[record.Path]bool{}
	look := func(p record.Path) {
		if seen[p] {
			return
		}
		seen[p] = true
		switch {
		case looked == maxLooked, read == maxBacklog, bytes > maxBacklogBytes:
			b.pending++
			return
		}
		looked++
		buffer := s.onDisk(p, before[p])
		if buffer == nil {
			return
		}
		b.files[p] = buffer
		if buffer.record.File.LeftOut == gone {
			return
		}
		read++
		if buffer != before[p] {
			bytes += buffer.record.File.Size
		}
	}
	for _, p := range paths {
		look(p)
		for _, f := range below(files, p) {
			look(f.Path)
		}
	}
	return b
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
	st := v.s.state.Load()
	if st == nil {
		if now, refused := v.s.refused(); refused {
			f.State, f.Pending = now.Name, now.Pending
		}
		return f
	}
	f.State = st.Name
	if b := v.over.backlog; b != nil {
		f.Pending = b.pending
		if b.unsure {
			f.Pending = max(f.Pending, st.Pending)
		}
		if f.State == Ready && (b.unsure || b.pending > 0) {
			f.State = Indexing
		}
		if f.State == Indexing && !b.unsure && b.pending == 0 {
			f.State = Ready
		}
		return f
	}
	if f.State == Indexing {
		f.State = Ready // what was being indexed has been since
	}
	return f
}
