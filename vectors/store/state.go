package store

import (
	"encoding/binary"
	"fmt"

	"ambit/vectors/revisions"
)

// Keys of tableMeta.
const (
	keyVersion = "version"
	keyState   = "state"
	keyLayers  = "layers"
)

// state holds the settings and the counts of the index; every batch writes it.
type state struct {
	id         uint64 // random; tells the index from every other one that was begun
	model      string
	dim        int // 0 before the first vectors, unless Options.Dim says it
	recipe     string
	generation uint64
	nextFile   uint64 // the key that the next file gets
	nextChunk  uint64
	files      uint64 // rows of tableFiles
	chunks     uint64 // chunks of all files
	vectors    uint64 // those whose vectors are not 0
	bytes      uint64 // stored of all files, see footprint
	cache      revisions.Counts
	embedded   uint64 // chunks whose vectors came with a batch, ever
	kept       uint64 // chunks whose codes were kept, ever
	recalled   uint64 // files that came back from the cache, ever
	clonedFrom string // the index that this one began as a copy of, ""
}

// empty reports whether the file is new: it has no table at all.
func (t *txn) empty() bool {
	k, _ := t.bolt.Cursor().First()
	return k == nil
}

// checkVersion returns [ErrFormat] unless this package wrote the file.
func (t *txn) checkVersion() error {
	v, err := t.get(tableMeta, []byte(keyVersion))
	if err != nil {
		return err
	}
	return checkVersion(v)
}

func checkVersion(v []byte) error {
	version, n := binary.Uvarint(v)
	if n <= 0 {
		return corruptf("no format version")
	}
	if version != FormatVersion {
		return fmt.Errorf("%w: %d instead of %d", ErrFormat, version, FormatVersion)
	}
	return nil
}

func (t *txn) state() (state, error) {
	v, err := t.get(tableMeta, []byte(keyState))
	if err != nil {
		return state{}, err
	}
	s, ok := decodeState(v)
	if !ok {
		return state{}, corruptf("bad state")
	}
	return s, nil
}

// decodeState is the inverse of what putState writes; it never panics.
func decodeState(v []byte) (s state, ok bool) {
	u := unpack(v)
	defer u.release()
	s = state{
		id: u.uint(), model: u.str(), dim: u.int(), recipe: u.str(), generation: u.uint(),
		nextFile: u.uint(), nextChunk: u.uint(), files: u.uint(), chunks: u.uint(), vectors: u.uint(), bytes: u.uint(),
		cache:    revisions.Counts{Next: u.uint(), N: u.uint(), Bytes: u.uint()},
		embedded: u.uint(), kept: u.uint(), recalled: u.uint(), clonedFrom: u.str(),
	}
	return s, u.done()
}

// suits returns [ErrModel] or [ErrRecipe] when the index was made with another model
// or recipe than o asks for.
func (s *state) suits(o Options) error {
	switch {
	case o.Model != "" && o.Model != s.model:
		return fmt.Errorf("%w: %q instead of %q", ErrModel, s.model, o.Model)
	case o.Dim != 0 && s.dim != 0 && o.Dim != s.dim:
		return fmt.Errorf("%w: %d dimensions instead of %d", ErrModel, s.dim, o.Dim)
	case o.Recipe != "" && o.Recipe != s.recipe:
		return fmt.Errorf("%w: %q instead of %q", ErrRecipe, s.recipe, o.Recipe)
	}
	return nil
}

func (t *txn) putState(s *state) error {
	p := newPacker()
	p.uint(s.id)
	p.str(s.model)
	p.int(s.dim)
	p.str(s.recipe)
	for _, n := range [...]uint64{s.generation, s.nextFile, s.nextChunk, s.files, s.chunks, s.vectors, s.bytes,
		s.cache.Next, s.cache.N, s.cache.Bytes, s.embedded, s.kept, s.recalled} {
		p.uint(n)
	}
	p.str(s.clonedFrom)
	return t.put(tableMeta, []byte(keyState), p.finish(nil))
}
