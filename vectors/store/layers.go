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

// layeredAllocBytes is allocBytes of an index on layers, which mostly stays small.
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

// cursor goes through one table in several files, the uppermost first.
type cursor struct {
	of []*bbolt.Cursor
	at []pair // of each; a nil key at its end
}

type pair struct{ key, value []byte }

// seek goes to the first key >= from.
func seek(buckets []*bbolt.Bucket, from []byte) *cursor {
	c := &cursor{make([]*bbolt.Cursor, len(buckets)), make([]pair, len(buckets))}
	for i, b := range buckets {
		c.of[i] = b.Cursor()
		c.at[i].key, c.at[i].value = c.of[i].Seek(from)
	}
	return c
}

// next returns the uppermost value of the least key, as it is stored, and goes on. The
// key is nil at the end.
func (c *cursor) next() pair {
	var least pair
	for _, p := range c.at {
		if p.key != nil && (least.key == nil || bytes.Compare(p.key, least.key) < 0) {
			least = p
		}
	}
	for i := range c.at {
		if p := &c.at[i]; p.key != nil && bytes.Equal(p.key, least.key) {
			p.key, p.value = c.of[i].Next()
		}
	}
	return least
}
