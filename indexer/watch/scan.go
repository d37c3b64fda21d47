package watch

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ambit/indexer/gitignore"
)

// maxReaders bounds the directories that are read at a time. On a warm cache two
// cores are busy with four; a cold disk gains from more in flight.
const maxReaders = 16

// Scan lists the files of the workspace, sorted by path in bytes. A file that vanishes
// meanwhile is missing. A directory that cannot be read is one entry with its own path,
// left out as [Unreadable].
//
// It returns [ErrRoot] when the root cannot be read, and the cause of ctx when it
// ends first.
func Scan(ctx context.Context, f *Filter) ([]Entry, error) {
	t, err := Look(ctx, f)
	if err != nil {
		return nil, err
	}
	return t.top.entries(), nil
}

// Look is Scan for a caller that needs the files once, in their order: those of each directory
// stay where they were listed.
func Look(ctx context.Context, f *Filter) (*Tree, error) {
	top, err := newScan(ctx, f).root(ctx)
	if err != nil {
		return nil, err
	}
	return &Tree{top}, nil
}

// Tree is what a scan found. It takes less memory than the entries.
type Tree struct{ top *folder }

// Len returns the number of files.
func (t *Tree) Len() int { return t.top.count() }

// All yields the files, sorted by path in bytes.
func (t *Tree) All() iter.Seq[Entry] { return func(yield func(Entry) bool) { t.top.each(yield) } }

// scan is one walk.
type scan struct {
	f       *Filter
	done    <-chan struct{}
	slots   chan struct{} // one per reader beside the caller
	readers sync.WaitGroup
	known   memory    // of former scans
	on      device    // of the root
	settled time.Time // see [directory.identity]
	// A [Watcher] sets these; nil otherwise. Several goroutines call them at a time:
	// visit with each directory before it is listed, found with each repository before
	// anything in it is read.
	visit func(*place)
	found func(*gitignore.Repo)
	// [ScanIgnored] sets refused, which several goroutines call with each file and directory
	// that is left out of the walk; nil otherwise.
	refused func(d *place, name string, isDir bool)
}

func newScan(ctx context.Context, f *Filter) *scan {
	s := &scan{f: f, done: ctx.Done(), slots: make(chan struct{}, min(maxReaders, 4*runtime.GOMAXPROCS(0)))}
	if f.memory != "" {
		s.known, s.on, s.settled = readMemory(f.memory), deviceOf(f.root), time.Now().Add(-f.settledAfter)
	}
	return s
}

// root walks the workspace.
func (s *scan) root(ctx context.Context) (*folder, error) {
	top := &folder{place: s.f.open(s.found)}
	if s.visit != nil {
		s.visit(top.place)
	}
	if err := s.list(top); err != nil {
		return nil, fmt.Errorf("%w %s: %w; check that it still exists and can be read", ErrRoot, s.f.root, plain(err))
	}
	s.walk(top)
	s.readers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s.remember(top)
	return top, nil
}

// folder is one directory of the walk. One reader writes it, and others read it after all
// readers have ended.
type folder struct {
	place      *place
	paths      string // of the files, and others
	files      []file // by path
	folders    []*folder
	unreadable bool   // and so listed like a file
	record     []byte // what a later scan may know of it, see [remembered]; nil for nothing
	listed     bool   // by this scan, not by a former one
}

// file is one file of a folder. A large tree has many, so it is small.
type file struct {
	size, modTime int64
	path          span  // of the paths of the folder
	leftOut       uint8 // index into scanReasons
}

// scanReasons are those for which a scan leaves a file out.
var scanReasons = [...]string{"", Secret, LockFile, Binary, TooLarge, Unreadable}

func (f *file) leaveOut(why string) {
	if why != "" {
		f.leftOut = uint8(slices.Index(scanReasons[:], why))
	}
}

// span is a part of a string.
type span struct{ start, end uint32 }

func (s span) of(text string) string { return text[s.start:s.end] }

// read lists a directory and walks the directories below it.
func (s *scan) read(d *folder) {
	select {
	case <-s.done:
		return
	default:
	}
	if s.visit != nil {
		s.visit(d.place)
	}
	switch err := s.list(d); {
	case os.IsNotExist(err):
		return
	case err != nil:
		s.f.log.Debug("directory left out", "path", d.path(), "err", err)
		d.unreadable = true
		return
	}
	s.walk(d)
}

// list sorts the entries of a directory into files and folders. The directory is open
// only meanwhile: a walk may be deep.
func (s *scan) list(d *folder) error {
	dir, err := openDirectory(filepath.Join(s.f.root, filepath.FromSlash(d.place.path)))
	if err != nil {
		return err
	}
	defer dir.Close()
	l := listings.Get().(*listing)
	defer listings.Put(l)
	if err := s.entries(d, dir, l); err != nil {
		return err
	}
	var m marks
	for i := range l.entries {
		m.note(l.nameIn(d.place.path, i))
	}
	s.f.enter(d.place, m, s.found)
	d.paths, d.files = l.paths, make([]file, 0, len(l.entries))
	for i := range l.entries {
		e := &l.entries[i]
		name := l.nameIn(d.place.path, i)
		switch {
		case e.isDir:
			if sub, ok := s.f.descend(d.place, name); ok {
				d.folders = append(d.folders, &folder{place: sub})
				continue
			}
		case !e.isRegular:
			continue
		case s.f.takes(d.place, name):
			s.add(d, dir, e, name)
			continue
		}
		if s.refused != nil {
			s.refused(d.place, name, e.isDir)
		}
	}
	return nil
}

// entries fills l with what a directory holds: as a former scan has seen it, if it has not changed
// since.
func (s *scan) entries(d *folder, dir directory, l *listing) error {
	path := d.place.path
	is, settled := dir.identity(s.on, s.settled)
	if r, ok := s.known[path]; ok && settled && r.is == is && l.recall(r.entries, path) {
		d.record = r.record
		return nil
	}
	if err := l.read(dir, path); err != nil {
		return err
	}
	if d.listed = true; settled {
		d.record = l.record(path, is)
	}
	return nil
}

// listing is what a directory holds, by name. Its memory is used for one directory after
// another, but for the paths.
type listing struct {
	paths   string // a zero follows each, as the system wants it
	entries []listed
	memory  []byte // for the paths
	buffer  listingBuffer
}

var listings = sync.Pool{New: func() any { return &listing{} }}

// listed is an entry of a directory. Listing a large tree sorts many, so it is small.
type listed struct {
	info      entryInfo
	path      span   // of the paths of the listing
	begin     uint64 // the first bytes of the name, which order most entries
	isDir     bool
	isRegular bool
}

// nameIn returns the name of the entry of index i of a directory whose path is "" or ends in "/".
func (l *listing) nameIn(dir string, i int) string { return l.entries[i].path.of(l.paths)[len(dir):] }

// read lists a directory whose path is "" or ends in "/".
func (l *listing) read(dir directory, path string) error {
	l.reset()
	if err := l.fill(dir, path); err != nil {
		return err
	}
	if uint64(len(l.memory)) > math.MaxUint32 { // a million names of 4 kB with their directory
		return errors.New("its paths take more than 4 GB")
	}
	l.paths = string(l.memory)
	slices.SortFunc(l.entries, func(a, b listed) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		return strings.Compare(a.path.of(l.paths), b.path.of(l.paths))
	})
	return nil
}

// reset empties l but for its memory.
func (l *listing) reset() {
	clear(l.entries)
	l.entries, l.memory = l.entries[:0], l.memory[:0]
}

// add adds the entry called name of the directory at path.
func (l *listing) add(path string, name []byte, e listed) {
	var begin [8]byte
	copy(begin[:], name)
	e.begin = binary.BigEndian.Uint64(begin[:])
	e.path.start = uint32(len(l.memory))
	l.memory = append(append(l.memory, path...), name...)
	e.path.end = uint32(len(l.memory))
	l.memory = append(l.memory, 0)
	l.entries = append(l.entries, e)
}

// readDir lists a directory by the standard library.
func (l *listing) readDir(dir directory, path string) error {
	list, err := dir.ReadDir(-1)
	for _, e := range list {
		l.add(path, []byte(e.Name()), listed{info: infoOf(e), isDir: e.IsDir(), isRegular: e.Type().IsRegular()})
	}
	return err
}

// walk reads the folders of a directory.
func (s *scan) walk(d *folder) {
	slices.SortFunc(d.folders, func(a, b *folder) int { return cmp.Compare(a.place.path, b.place.path) })
	for _, sub := range d.folders {
		select {
		case s.slots <- struct{}{}:
			s.readers.Go(func() {
				s.read(sub)
				<-s.slots
			})
		default:
			s.read(sub)
		}
	}
}

// add appends one file with its size and time.
func (s *scan) add(d *folder, dir directory, e *listed, name string) {
	f := file{path: e.path}
	switch st, err := dir.stamp(e, name); {
	case err == nil && st.regular:
		f.size, f.modTime = st.size, st.modTime
		f.leaveOut(s.f.leftOut(d.place, name, st.size))
	case err == nil, os.IsNotExist(err):
		return
	default:
		f.leaveOut(Unreadable)
	}
	d.files = append(d.files, f)
}

// stamp is what tells whether a file has changed.
type stamp struct {
	regular       bool
	size, modTime int64
}

func stampOf(fi os.FileInfo) stamp {
	return stamp{fi.Mode().IsRegular(), fi.Size(), fi.ModTime().UnixNano()}
}

// path returns the path of d without the "/" at its end.
func (d *folder) path() string { return strings.TrimSuffix(d.place.path, "/") }

// key is what d is sorted by among files: the first bytes of the paths below it.
func (d *folder) key() string {
	if d.unreadable {
		return d.path()
	}
	return d.place.path
}

// count returns the number of entries of d and of all below it.
func (d *folder) count() int {
	n := len(d.files)
	if d.unreadable {
		n++
	}
	for _, sub := range d.folders {
		n += sub.count()
	}
	return n
}

// entries returns the entries of d and of all below it in the order of their paths.
func (d *folder) entries() []Entry {
	out := slices.Grow([]Entry(nil), d.count())
	d.each(func(e Entry) bool {
		out = append(out, e)
		return true
	})
	return out
}

// each yields the entries of d and of all below it in the order of their paths. It returns false
// when yield does.
func (d *folder) each(yield func(Entry) bool) bool {
	if d.unreadable {
		return yield(Entry{Path: d.path(), LeftOut: Unreadable})
	}
	folders := d.folders
	if slices.ContainsFunc(folders, func(sub *folder) bool { return sub.unreadable }) {
		folders = slices.SortedFunc(slices.Values(folders), func(a, b *folder) int { return cmp.Compare(a.key(), b.key()) })
	}
	files := d.files
	some := func(n int) bool {
		for i := range files[:n] {
			f := &files[i]
			if !yield(Entry{f.path.of(d.paths), f.size, f.modTime, scanReasons[f.leftOut]}) {
				return false
			}
		}
		files = files[n:]
		return true
	}
	for _, sub := range folders {
		n, _ := slices.BinarySearchFunc(files, sub.key(), func(f file, p string) int { return cmp.Compare(f.path.of(d.paths), p) })
		if !some(n) || !sub.each(yield) {
			return false
		}
	}
	return some(len(files))
}
