package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ambit/vectors/record"
)

// groupChunks is how many chunks of a file share one value. They share strings
// (path, prefix, siblings), which makes them 3 times smaller than one by one, and long
// values leave less of bbolt's pages empty: 32 in a value take 2 % more of an index. More
// than 48 save little and make reading a single chunk slower.
const groupChunks = 48

// Chunks returns the chunks of keys, in the order of keys. A key that is gone
// gives a zero Chunk. Empty lists come back nil.
func (r *Reader) Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error) {
	chunks := make([]record.Chunk, len(keys))
	order := ascending(keys)
	err := r.view(ctx, func(t *txn) error {
		gone, err := t.chunks(keys, order, chunks)
		if err != nil {
			return err
		}
		return t.checkGone(gone)
	})
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	return chunks, nil
}

// FileChunks returns the chunks of the file at path, in order. It returns
// [ErrNotFound] for a path that is not stored or left out.
func (r *Reader) FileChunks(ctx context.Context, path record.Path) (chunks []record.Chunk, err error) {
	err = r.view(ctx, func(t *txn) error {
		f, err := t.indexed(path, false)
		if err != nil {
			return err
		}
		keys := make([]record.Key, f.Chunks.N)
		for i := range keys {
			keys[i] = f.Chunks.First + record.Key(i)
		}
		chunks = make([]record.Chunk, len(keys))
		gone, err := t.chunks(keys, ascending(keys), chunks)
		if err == nil && len(gone) > 0 {
			err = corruptf("chunks of %q are missing", f.Path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("chunks of %q: %w", path, err)
	}
	return chunks, nil
}

// ascending returns the indexes of keys in the order of the keys.
func ascending(keys []record.Key) []int {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// chunks reads the chunks of keys into dst, taking keys in the given order, which
// ascends, and returns the keys without one. Keys of one group are decoded together.
func (t *txn) chunks(keys []record.Key, order []int, dst []record.Chunk) (gone []record.Key, err error) {
	var g chunkGroup
	var want [groupChunks]*record.Chunk
	flush := func() error {
		err := g.decode(want[:g.n])
		clear(want[:])
		return err
	}
	for i, at := range order {
		k := keys[at]
		if i > 0 && k == keys[order[i-1]] {
			continue
		}
		if i == 0 || g.n > 0 && k > g.last {
			if err := flush(); err != nil {
				return nil, err
			}
			if g, err = t.groupOf(k); err != nil {
				return nil, err
			}
		}
		if g.n == 0 || k < g.first() {
			gone = append(gone, k)
			continue
		}
		want[k-g.first()] = &dst[at]
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for i, at := range order[min(1, len(order)):] { // keys that were asked for twice
		if before := order[i]; keys[at] == keys[before] {
			dst[at] = dst[before]
		}
	}
	return gone, nil
}

// chunkGroup is one value of tableChunks: n chunks of one file, up to key last.
//
//	n | n times (id, hash) | packed rest
type chunkGroup struct {
	last  record.Key
	n     int
	value []byte // after n
}

func (g *chunkGroup) first() record.Key { return g.last - record.Key(g.n) + 1 }

// sumsBytes is what a chunk takes before the packed rest: its id and its hash,
// which do not compress. The hash could be computed again, but only from the
// content, which costs ten times the rest of reading a chunk.
const sumsBytes = 16 + 16

// groupOf returns the first group that ends at k or later; n is 0 without one.
func (t *txn) groupOf(k record.Key) (g chunkGroup, err error) {
	err = t.scan(tableChunks, keyBytes(k), func(key, value []byte) (bool, error) {
		var ok bool
		g, ok = openGroup(key, value)
		if !ok {
			return false, corruptf("bad chunk group")
		}
		return false, nil
	})
	return g, err
}

func openGroup(key, value []byte) (g chunkGroup, ok bool) {
	if g.last, ok = keyOf(key); !ok || len(value) == 0 {
		return chunkGroup{}, false
	}
	g.n, g.value = int(value[0]), value[1:]
	if g.n == 0 || g.n > groupChunks || len(g.value) < g.n*sumsBytes || record.Key(g.n) > g.last {
		return chunkGroup{}, false
	}
	return g, true
}

// decode fills want[i] with chunk i where that is not nil. It never panics.
func (g *chunkGroup) decode(want []*record.Chunk) error {
	if g.n == 0 || !slices.ContainsFunc(want, func(c *record.Chunk) bool { return c != nil }) {
		return nil
	}
	u := unpack(g.value[g.n*sumsBytes:])
	defer u.release()
	path := record.Path(u.str())
	for len(want) > 0 && want[len(want)-1] == nil { // what follows need not be read
		want = want[:len(want)-1]
	}
	var at place
	for i, c := range want {
		if c == nil {
			skipChunk(u, &at)
			continue
		}
		c.Key, c.Path = g.first()+record.Key(i), path
		sums := g.value[i*sumsBytes:]
		copy(c.ID[:], sums)
		copy(c.EmbedHash[:], sums[16:])
		decodeChunk(u, c, &at)
	}
	if u.bad || len(want) == g.n && !u.done() {
		return corruptf("bad chunk group")
	}
	return nil
}

// encodeGroup appends the value of a group of at most groupChunks chunks to dst.
func encodeGroup(p *packer, dst []byte, path record.Path, chunks []record.Chunk) []byte {
	dst = append(dst, byte(len(chunks)))
	p.reset()
	p.str(string(path))
	var at place
	for i := range chunks {
		c := &chunks[i]
		dst = append(dst, c.ID[:]...)
		dst = append(dst, c.EmbedHash[:]...)
		encodeChunk(p, c, &at)
	}
	return p.finish(dst)
}

// place is where the last chunk ended; the next one mostly starts there.
type place struct{ offset, line int }

func (at *place) move(c *record.Chunk) {
	if !c.IsSummary {
		at.offset, at.line = c.Span.End, c.Lines.Last
	}
}

// Bits of a chunk.
const (
	chunkIsSummary = 1 << iota
	chunkDoc
	chunkAlso
)

func encodeChunk(p *packer, c *record.Chunk, at *place) {
	p.uint(bit(c.IsSummary, chunkIsSummary) | bit(c.Doc != nil, chunkDoc) | bit(len(c.Also) > 0, chunkAlso))
	p.span(c.Span, at.offset)
	p.int(c.Lines.First - at.line)
	p.int(c.Lines.Last - c.Lines.First)
	p.int(c.Tokens)
	if len(c.Also) > 0 {
		p.places(c.Also, c.Span.End, c.Lines.Last)
	}
	at.move(c)

	p.str(c.Language)
	p.str(string(c.Kind))
	p.str(c.Name)
	p.str(c.Unit)
	p.str(c.Scope)
	p.str(c.Section)
	p.str(c.Signature)
	p.str(c.Prefix)
	p.str(c.Suffix)
	p.strs(c.Defines)
	p.strs(c.Imports)
	p.strs(c.Siblings)
	if d := c.Doc; d != nil {
		p.int(d.Level)
		p.int(d.Index)
		p.int(d.Total)
		p.str(d.Title)
		p.str(d.Layer)
		p.str(d.UpdatedAt)
		p.strs(d.Headings)
		p.strs(d.Tags)
		p.strs(d.CodeRefs)
		p.strs(d.Links)
	}
}

// decodePlace reads the numbers of c and reports whether c.Doc follows.
func decodePlace(u *unpacker, c *record.Chunk, at *place) (doc bool) {
	flags := u.uint()
	c.IsSummary = flags&chunkIsSummary != 0
	c.Span = u.span(at.offset)
	c.Lines.First = at.line + u.int()
	c.Lines.Last = c.Lines.First + u.int()
	c.Tokens = u.int()
	if flags&chunkAlso != 0 {
		c.Also = u.places(c.Span.End, c.Lines.Last)
	}
	at.move(c)
	return flags&chunkDoc != 0
}

func decodeChunk(u *unpacker, c *record.Chunk, at *place) {
	doc := decodePlace(u, c, at)
	c.Language, c.Kind = u.str(), record.Kind(u.str())
	c.Name, c.Unit, c.Scope, c.Section = u.str(), u.str(), u.str(), u.str()
	c.Signature, c.Prefix, c.Suffix = u.str(), u.str(), u.str()
	c.Defines, c.Imports, c.Siblings = u.strs(), u.strs(), u.strs()
	if doc {
		c.Doc = &record.DocMeta{
			Level: u.int(), Index: u.int(), Total: u.int(),
			Title: u.str(), Layer: u.str(), UpdatedAt: u.str(),
			Headings: u.strs(), Tags: u.strs(), CodeRefs: u.strs(), Links: u.strs(),
		}
	}
}

// places writes a list of places; offset and line are near the start of the first.
func (p *packer) places(list []record.Place, offset, line int) {
	p.uint(uint64(len(list)))
	for _, at := range list {
		p.span(at.Span, offset)
		p.int(at.Lines.First - line)
		p.int(at.Lines.Last - at.Lines.First)
		offset, line = at.Span.End, at.Lines.Last
	}
}

// places reads what packer.places wrote.
func (u *unpacker) places(offset, line int) []record.Place {
	const least = 4 // bytes of a place
	list := make([]record.Place, u.count(least))
	for i := range list {
		at := &list[i]
		at.Span = u.span(offset)
		at.Lines.First = line + u.int()
		at.Lines.Last = at.Lines.First + u.int()
		offset, line = at.Span.End, at.Lines.Last
	}
	return list
}

// skipChunk passes over what decodeChunk would read.
func skipChunk(u *unpacker, at *place) {
	var c record.Chunk
	doc := decodePlace(u, &c, at)
	for range 9 {
		u.uint()
	}
	for range 3 {
		u.skipStrs()
	}
	if doc {
		for range 6 {
			u.uint()
		}
		for range 4 {
			u.skipStrs()
		}
	}
}

// putGroups stores the groups of f, and counts their vectors in s.
func (t *txn) putGroups(s *state, f *record.File, groups []group) error {
	r := f.Chunks
	end := r.First + record.Key(r.N)
	all := make([]rows, len(groups))
	for i, g := range groups {
		key := keyBytes(min(r.First+record.Key((i+1)*groupChunks), end) - 1)
		var ok bool
		if all[i], ok = openRows(g.vectors, s.dim); !ok {
			return corruptf("the revision of %q has other vectors", f.Path)
		}
		residuals := all[i].residuals()
		residuals = append(make([]byte, 0, len(residuals)+sealBytes), residuals...)
		if err := cmp.Or(t.put(tableChunks, key, g.chunks), t.put(tableVectors, key, residuals)); err != nil {
			return err
		}
	}
	vectors, err := t.putCodes(r, all, s.dim)
	s.vectors += vectors
	return err
}

// deleteGroups removes the groups of the file that has the keys r, and their vectors from the
// count in s.
func (t *txn) deleteGroups(s *state, r record.KeyRange) error {
	end := r.First + record.Key(r.N)
	for first := r.First; first < end; first += groupChunks {
		key := keyBytes(min(first+groupChunks, end) - 1)
		err := cmp.Or(t.delete(tableChunks, key), t.delete(tableVectors, key))
		if err != nil {
			return err
		}
	}
	vectors, err := t.deleteCodes(r, s.dim)
	s.vectors -= vectors
	return err
}

// checkGone returns [ErrCorrupt] when a file claims one of keys, which a lookup
// did not find. Every save drops keys, so that a lookup may miss one; misses are rare
// enough to check each in one pass over the file table.
func (t *txn) checkGone(keys []record.Key) error {
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	files, err := t.files()
	for i := range files {
		chunks := files[i].Chunks()
		at, _ := slices.BinarySearch(keys, chunks.First)
		if at < len(keys) && chunks.Contains(keys[at]) {
			return corruptf("chunk %d of %q is missing", keys[at], files[i].Path())
		}
	}
	return err
}
