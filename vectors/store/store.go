// Package store keeps the index of one workspace in one file.
//
// A batch is one transaction: after a crash a file of the workspace is wholly old
// or wholly new. Every value carries a checksum, so that a read returns what was
// written or ErrCorrupt, and nothing that is returned refers to the file's memory.
// A damaged file never panics; the caller rebuilds it from the workspace.
//
// The package computes nothing from code or text, resolves no names and never runs in
// the background. Package revisions keeps what files held before, package pages checks
// a file before bbolt opens it.
//
// The file is private (mode 0600 in a folder of mode 0700) and opened by one
// process at a time.
package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"ambit/vectors/pages"
	"ambit/vectors/revisions"
)

// FormatVersion numbers the layout of the file. Its history:
//
//	1: first version
//	2: the cache of earlier revisions, and counters in the state
//	3: half a byte a component for the second level of vectors, views compressed
//	4: files have exports and references, and revisions of one file that differ in
//	   what enriched them are kept apart
//	5: the traits of files in the file table
//	6: the kinds of exports and references are numbers
//	7: revisions in the layout of package revisions
//	8: vectors in the groups of their chunks
//	9: both levels of vectors in one value
//	10: grammars for more languages, other cuts, names and prefixes, files that are
//	   read in part; chunks have half a hash of the embedding text alone
//	11: the history says how many commits it has and which it lacks; chunks of several
//	   places; the roles of symbols; grammars for Swift and Scala; the arguments of calls
//	12: the filters of classes
//	13: SQL and Dockerfiles by readers of their own, with columns and variables
//	14: more declarations of C and C++
//	15: layers
//	16: the state tells indexes apart
//	17: the subjects of commits
//	18: the parts of a view are compressed one by one
//	19: the two slots of a view
//	20: smaller parts of views, the names in several segments, with the ranks of files
//	21: rows of files that are read where they lie
//	22: the first level of vectors has half a byte a component and lies apart
const FormatVersion = 22

// DefaultLockTimeout is how long Open waits for another process: longer than a command
// runs or an editor takes to restart.
const DefaultLockTimeout = 10 * time.Second

// mmapBytes is the address space that is reserved for the file, so that a file
// that grows need not wait until all reads end. It takes no memory.
const mmapBytes = 1 << 30

// allocBytes is the step in which the file grows; an index of a small workspace
// should be a small file.
const allocBytes = 1 << 20

// fileMode and dirMode keep the index from other users.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// maxOpens bounds how often Open starts again because another process moved the
// file aside while this one waited for its lock.
const maxOpens = 3

// Options tunes [Open]. The zero value is ready for use.
type Options struct {
	LockTimeout time.Duration // wait for the file lock; 0 means DefaultLockTimeout
	Logger      *slog.Logger  // nil discards
	// Model, Dim and Recipe say what the vectors and chunks are made with. A new
	// file notes them, another one must agree. "" and 0 take what the file says, and
	// a new file then takes Dim from its first vectors.
	Model  string
	Dim    int
	Recipe string
	// CacheBytes bounds the cache of earlier revisions of files; 0 means
	// as much as the files take, but from MinCacheBytes to MaxCacheBytes, and less than
	// 0 nothing.
	CacheBytes int64
}

// The bounds of the size of the revision cache unless Options.CacheBytes says otherwise.
// An index of 100,000 chunks takes 150 MB without it.
const (
	MinCacheBytes = 16 << 20
	MaxCacheBytes = 256 << 20
)

// DB is an open index file. Its methods are safe for concurrent use; a [Reader] does not
// wait for Apply, and calls of Apply wait for one another.
type DB struct {
	path       string
	bolt       *bbolt.DB
	broken     atomic.Bool   // set by a panic inside bbolt: the file is not written any more
	open       bool          // start has returned: from now on damage makes giveUp move the file aside
	damage     sync.Once     // guards the closing of damaged
	damaged    chan struct{} // see Damaged
	log        *slog.Logger
	unzip      *zstd.Decoder
	id         uint64 // see state; set by Open
	generation atomic.Uint64
	readers    readers
	cacheBytes int64       // Options.CacheBytes
	layers     []layer     // that the index lies on, the uppermost first; set by Open
	below      []openLayer // the layers
	views      openViews

	file *os.File // of bolt

	write     sync.Mutex // held while writing; guards all fields below
	abandoned bool       // file, by Close
	zip       *zstd.Encoder
	packer    *packer
}

// Open opens the index at path, creating it and its folder if absent. It returns
// [ErrInUse] when another process holds the file, [ErrFormat] when another version
// wrote it, [ErrModel] and [ErrRecipe] when it was made with another model or
// recipe, and [ErrCorrupt] when it is damaged; the file is then left as it was.
func Open(path string, o Options) (*DB, error) {
	db, err := open(path, o)
	for i := 1; errors.Is(err, errMoved) && i < maxOpens; i++ {
		db, err = open(path, o)
	}
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	return db, nil
}

// errMoved means that path names another file than the one that was locked.
var errMoved = errors.New("the file was replaced while waiting for it")

func open(path string, o Options) (*DB, error) {
	if o.LockTimeout <= 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, Explain(err)
	}
	if err := inspect(path, o.LockTimeout); err != nil {
		return nil, Explain(err)
	}
	b, file, err := openBolt(path, o.LockTimeout)
	if err != nil {
		return nil, Explain(err)
	}
	unzip, err := newUnzip()
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	zip, err := newZip()
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	db := &DB{path: path, bolt: b, file: file, log: o.Logger.With("system", "store"), unzip: unzip, zip: zip, packer: newPacker(),
		cacheBytes: o.CacheBytes, damaged: make(chan struct{})}
	if err := db.start(o); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.open = true
	return db, nil
}

// Damaged is closed when a call finds that the file is damaged, before it returns
// [ErrCorrupt]. The file has been moved aside by then, as [OpenOrRebuild] does, so that
// the next Open of the path begins a new index; the caller closes this one.
func (db *DB) Damaged() <-chan struct{} { return db.damaged }

// giveUp moves the file aside, once, unless its path names another file by now.
func (db *DB) giveUp(why error) {
	db.damage.Do(func() {
		kept := "left where it is"
		if err := checkPlace(db.path, db.file); err == nil && moveAside(db.path) == nil {
			kept = "kept as " + filepath.Base(badName(db.path, 1))
		}
		db.log.Warn("the index file was damaged; "+kept+", building a new index", "path", db.path, "reason", why.Error())
		close(db.damaged)
	})
}

// inspect returns [ErrCorrupt] for a file whose pages would lead bbolt astray, see
// package pages. Leaves are not read, as every value has a checksum. A file that is
// absent or empty is fine.
func inspect(path string, timeout time.Duration) (err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file; remove it")
	case info.Size() == 0:
		return nil
	}
	// Opened for reading, bbolt locks writers out and follows no page numbers.
	var file *os.File
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: timeout, ReadOnly: true, NoStatistics: true, OpenFile: openInto(&file),
	})
	if err != nil {
		if _, system := errors.AsType[syscall.Errno](err); system || errors.Is(err, bolterrors.ErrTimeout) {
			return err
		}
		return corruptf("%v", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	s, err := pages.Latest(file)
	if err != nil {
		return err
	}
	return s.Check()
}

// openInto returns os.OpenFile that sets file too.
func openInto(file **os.File) func(string, int, os.FileMode) (*os.File, error) {
	return func(name string, flag int, perm os.FileMode) (f *os.File, err error) {
		f, err = os.OpenFile(name, flag, perm)
		*file = f
		return f, err
	}
}

// openBolt opens and locks the file.
func openBolt(path string, timeout time.Duration) (b *bbolt.DB, file *os.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, errors.Join(corruptf("%v", r), abandon(file))
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	bo := &bbolt.Options{
		Timeout:      timeout,
		FreelistType: bbolt.FreelistMapType,
		NoStatistics: true,
		OpenFile:     openInto(&file),
	}
	if runtime.GOOS != "windows" { // where it would be the size of the file
		bo.InitialMmapSize = mmapBytes
	}
	if b, err = bbolt.Open(path, fileMode, bo); err != nil {
		return nil, nil, err
	}
	b.AllocSize = allocBytes
	if err := checkPlace(path, file); err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	return b, file, nil
}

// checkPlace returns [errMoved] when path does not name the locked file any more,
// and makes the file private.
func checkPlace(path string, locked *os.File) error {
	info, err := locked.Stat()
	if err != nil {
		return err
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(info, named) {
		return errMoved
	}
	if info.Mode().Perm() != fileMode {
		return locked.Chmod(fileMode)
	}
	return nil
}

// start reads the state of the file, or writes that of a new one.
func (db *DB) start(o Options) error {
	fresh := false
	err := db.view(context.Background(), func(t *txn) error {
		if fresh = t.empty(); fresh {
			return nil
		}
		if err := t.checkVersion(); err != nil {
			return err
		}
		s, err := t.state()
		if err != nil {
			return err
		}
		db.id = s.id
		db.generation.Store(s.generation)
		if err := s.suits(o); err != nil {
			return err
		}
		return db.openLayers(t, o.LockTimeout)
	})
	if err != nil || !fresh {
		return err
	}
	var random [8]byte
	rand.Read(random[:]) // never fails
	id := binary.LittleEndian.Uint64(random[:])
	db.bolt.AllocSize = layeredAllocBytes
	defer func() { db.bolt.AllocSize = allocBytes }()
	err = db.update(context.Background(), func(t *txn) error {
		return t.begin(&state{id: id, model: o.Model, dim: o.Dim, recipe: o.Recipe, nextFile: 1, nextChunk: 1, cache: revisions.Counts{Next: 1}})
	})
	db.id = id
	return err
}

// begin writes what every index has into a file that is empty.
func (t *txn) begin(s *state) error {
	for _, name := range tableNames {
		if _, err := t.bolt.CreateBucket(name); err != nil {
			return err
		}
	}
	version := binary.AppendUvarint(nil, FormatVersion)
	if err := t.put(tableMeta, []byte(keyVersion), version); err != nil {
		return err
	}
	return t.putState(s)
}

// Close waits until all Readers are closed, and closes the file. Closing twice is no error.
func (db *DB) Close() error {
	db.write.Lock()
	defer db.write.Unlock()
	var err error
	switch {
	case !db.broken.Load():
		err = db.bolt.Close() // after the last read
	case !db.abandoned:
		err = abandon(db.file)
		db.abandoned = true
	}
	for i := range db.below {
		err = errors.Join(err, db.below[i].close(db.broken.Load()))
	}
	db.below = nil
	db.unzip.Close()
	if err != nil {
		return fmt.Errorf("close index %s: %w", db.path, err)
	}
	return nil
}

// Path returns the path that the index was opened with.
func (db *DB) Path() string { return db.path }

// Generation returns the number of the last batch, 0 for a new index.
func (db *DB) Generation() uint64 { return db.generation.Load() }

// Stats holds the settings and the counts of an index.
type Stats struct {
	Files      int // those left out included
	LeftOut    int
	Chunks     int
	Generation uint64
	Model      string
	Dim        int
	Recipe     string
	Bytes      int64 // of the file, room for later batches included
	Readers    int   // that are open, the one that counts included

	Revisions     int   // earlier states of files that are kept, see [DB.Lookup]
	RevisionBytes int64 // that they take

	// Totals over the life of the file.
	Embedded   int    // chunks whose vectors were computed
	Kept       int    // chunks whose vectors were remembered
	Recalled   int    // files that came back from the revision cache, their chunks counted in Kept
	ClonedFrom string // the index that this one began as a copy of, "" for none
}

// Stats counts what the index holds.
func (r *Reader) Stats(ctx context.Context) (st Stats, err error) {
	err = r.view(ctx, func(t *txn) error {
		s, err := t.state()
		if err != nil {
			return err
		}
		st = Stats{Files: int(s.files), Chunks: int(s.chunks), Generation: s.generation, Model: s.model, Dim: s.dim,
			Recipe: s.recipe, Bytes: t.bolt.Size(), Readers: r.db.readers.len(), Revisions: int(s.cache.N), RevisionBytes: int64(s.cache.Bytes),
			Embedded: int(s.embedded), Kept: int(s.kept), Recalled: int(s.recalled), ClonedFrom: s.clonedFrom}
		files, err := t.files()
		for i := range files {
			if !files[i].Indexed() {
				st.LeftOut++
			}
		}
		return err
	})
	if err != nil {
		return Stats{}, fmt.Errorf("count the index: %w", err)
	}
	return st, nil
}
