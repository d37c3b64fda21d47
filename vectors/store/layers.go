package store

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"ambit/vectors/pages"
)

// An index may lie on layers: files of the same layout that nobody writes to again. The
// indexes of several worktrees share a layer by hard links, each in its own folder, so
// that the system frees it with the last of them. A value is that of the uppermost file
// that has its key; the index itself is above all its layers, and holds only what differs
// from them. A sealed mark, see [gone], takes the place of what it no longer has.
//
// The meta table of the index names its layers and says what they hold. A layer that is
// absent or holds something else makes the index [ErrCorrupt].

// maxLayers bounds the layers of an index: each makes every read a little slower.
const maxLayers = 8

// layeredAllocBytes is allocBytes of an index on layers, which mostly stays small, and of one
// that has nothing yet, which may become one.
const layeredAllocBytes = 64 << 10

// layerPrefix begins the names of layers.
const layerPrefix = "layer-"

// layer names a layer of an index.
type layer struct {
	name string // of the file, beside the index
	mark []byte // of the state that it holds, see [pages.State.Mark]
}

func (l *layer) path(index string) string { return filepath.Join(filepath.Dir(index), l.name) }

// newLayer returns a layer with a name that no other has, in the state s.
func newLayer(s *pages.State) layer {
	id := make([]byte, 8)
	rand.Read(id) // never fails
	return layer{layerPrefix + hex.EncodeToString(id) + ".db", s.Mark()}
}

// encodeLayers returns the value of keyLayers.
func encodeLayers(layers []layer) []byte {
	p := newPacker()
	p.uint(uint64(len(layers)))
	for _, l := range layers {
		p.str(l.name)
		p.str(string(l.mark))
	}
	return p.finish(nil)
}

// decodeLayers is the inverse of encodeLayers; nil stands for no layers. It never panics.
func decodeLayers(v []byte) ([]layer, error) {
	if v == nil {
		return nil, nil
	}
	u := unpack(v)
	defer u.release()
	layers := make([]layer, u.count(2))
	for i := range layers {
		l := &layers[i]
		l.name, l.mark = u.str(), []byte(u.str())
		if !strings.HasPrefix(l.name, layerPrefix) || filepath.Base(l.name) != l.name {
			u.fail()
		}
	}
	if !u.done() {
		return nil, corruptf("bad list of layers")
	}
	return layers, nil
}

// check returns the state of the file of a layer, whose pages it checks. It returns
// [ErrCorrupt] unless that is the state that the index was made for.
func (l *layer) check(file *os.File) (*pages.State, error) {
	s, err := pages.Latest(file)
	if err == nil && !bytes.Equal(s.Mark(), l.mark) {
		err = corruptf("%s holds something else", l.name)
	}
	if err == nil {
		err = s.Check()
	}
	return s, Explain(err)
}

// openFile opens the file of a layer of an index. It returns [ErrCorrupt] for one that is
// absent.
func (l *layer) openFile(index string) (*os.File, error) {
	info, err := os.Lstat(l.path(index))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, corruptf("%s is missing", l.name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, corruptf("%s is not a regular file", l.name)
	}
	return os.Open(l.path(index))
}

// openLayer is a layer that is open for reading.
type openLayer struct {
	bolt *bbolt.DB
	file *os.File // of bolt
}

// open opens a layer of an index. Several processes may have it open, none to write.
func (l *layer) open(index string, timeout time.Duration) (o openLayer, err error) {
	file, err := l.openFile(index)
	if err != nil {
		return openLayer{}, err
	}
	_, err = l.check(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return openLayer{}, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(corruptf("%v", r), abandon(o.file))
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	o.bolt, err = bbolt.Open(l.path(index), fileMode, &bbolt.Options{
		Timeout: timeout, ReadOnly: true, NoStatistics: true, OpenFile: openInto(&o.file),
	})
	return o, Explain(err)
}

// close closes a layer; after a panic of bbolt it is not called again.
func (o *openLayer) close(broken bool) error {
	if broken {
		return abandon(o.file)
	}
	return o.bolt.Close()
}

// openLayers opens the layers that the index names.
func (db *DB) openLayers(t *txn, timeout time.Duration) error {
	v, err := t.get(tableMeta, []byte(keyLayers))
	if err != nil {
		return err
	}
	db.layers, err = decodeLayers(v)
	for i := range db.layers {
		var o openLayer
		if o, err = db.layers[i].open(db.path, timeout); err != nil {
			return err
		}
		db.below = append(db.below, o)
	}
	if len(db.below) > 0 {
		db.bolt.AllocSize = layeredAllocBytes
	}
	return err
}

// beginBelow begins a transaction in each layer. The caller ends them with rollback.
func (db *DB) beginBelow() (below []*bbolt.Tx, err error) {
	done := false
	defer func() {
		if !done {
			rollback(below)
		}
	}()
	for i := range db.below {
		tx, err := beginBolt(db.below[i].bolt)
		if err != nil {
			return below, err
		}
		below = append(below, tx)
	}
	done = true
	return below, nil
}

// openFiles returns the file of the index and those of its layers.
func (db *DB) openFiles() []*os.File {
	files := []*os.File{db.file}
	for i := range db.below {
		files = append(files, db.below[i].file)
	}
	return files
}

func rollback(txs []*bbolt.Tx) {
	for _, tx := range txs {
		_ = tx.Rollback() // fails only when called twice
	}
}

// bytesBelow returns the size of the layers.
func (t *txn) bytesBelow() (n int64) {
	for _, tx := range t.below {
		n += tx.Size()
	}
	return n
}

// removeStrays removes the layers beside the index that it does not lie on: those of an
// index that was moved aside, and of one that a killed process was about to begin.
func (db *DB) removeStrays() {
	entries, err := os.ReadDir(filepath.Dir(db.path))
	if err != nil {
		return
	}
	for _, e := range entries {
		used := slices.ContainsFunc(db.layers, func(l layer) bool { return l.name == e.Name() })
		if strings.HasPrefix(e.Name(), layerPrefix) && !used {
			os.Remove(filepath.Join(filepath.Dir(db.path), e.Name()))
		}
	}
}

// A walk goes through the pairs of one table in one file, in the order of their keys, as
// *bbolt.Cursor and *pages.Cursor do. The key is nil at the end.
type walk interface {
	Seek(from []byte) (key, value []byte)
	Next() (key, value []byte)
}

// mapped returns a walk through the mapping of each file.
func mapped(buckets []*bbolt.Bucket) []walk {
	of := make([]walk, len(buckets))
	for i, b := range buckets {
		of[i] = b.Cursor()
	}
	return of
}

// cursor goes through one table in several files, the uppermost first.
type cursor struct {
	of []walk
	at []pair // of each
}

type pair struct {
	key, value []byte // a nil key at the end
	given      bool   // by next
}

// seek goes to the first key >= from.
func seek(of []walk, from []byte) *cursor {
	c := &cursor{of, make([]pair, len(of))}
	for i := range of {
		c.at[i].key, c.at[i].value = of[i].Seek(from)
	}
	return c
}

// next goes on, and returns the uppermost value of the least key, as it is stored.
func (c *cursor) next() (key, value []byte) {
	if p := &c.at[0]; len(c.at) == 1 { // as most indexes have no layers
		if p.given {
			return c.of[0].Next()
		}
		p.given = true
		return p.key, p.value
	}
	for i := range c.at {
		if p := &c.at[i]; p.given {
			p.key, p.value = c.of[i].Next()
			p.given = false
		}
	}
	for i := range c.at {
		if p := &c.at[i]; p.key != nil && (key == nil || bytes.Compare(p.key, key) < 0) {
			key, value = p.key, p.value
		}
	}
	for i := range c.at {
		if p := &c.at[i]; p.key != nil && bytes.Equal(p.key, key) {
			p.given = true
		}
	}
	return key, value
}

// each calls fn with the pairs from here on, the values without their seals, until fn returns
// false or an error.
func (c *cursor) each(tb table, fn func(key, value []byte) (bool, error)) error {
	for key, value := c.next(); key != nil; key, value = c.next() {
		v, err := unseal(tb, key, value)
		if err != nil {
			return err
		}
		if v == nil { // gone
			continue
		}
		if more, err := fn(key, v); err != nil {
			return err
		} else if !more {
			break
		}
	}
	for _, w := range c.of {
		if w, ok := w.(*pages.Cursor); ok && w.Err() != nil {
			return w.Err()
		}
	}
	return nil
}
