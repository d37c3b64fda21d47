package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/revisions"
)

// cache returns the cache of earlier revisions within a transaction. The payload of a
// revision is what was stored of the file, less its text and graph: these stay where they
// are, under the key of the file, which it has again when it comes back. Its chunks get
// new keys then, as the keys of all views ascend.
func (t *txn) cache(counts *revisions.Counts) *revisions.Cache {
	return &revisions.Cache{Values: bucketTable{t, tableRevisions}, Numbers: bucketTable{t, tableNumbers}, Counts: counts}
}

// bucketTable is a table as package revisions sees it.
type bucketTable struct {
	t  *txn
	tb table
}

func (b bucketTable) Get(key []byte) ([]byte, error) { return b.t.get(b.tb, key) }
func (b bucketTable) Put(key, value []byte) error    { return b.t.put(b.tb, key, value) }
func (b bucketTable) Delete(key []byte) error        { return b.t.delete(b.tb, key) }
func (b bucketTable) Scan(from []byte, fn func(key, value []byte) (bool, error)) error {
	return b.t.scan(b.tb, from, fn)
}

// idOf returns the name of the revision that a file is.
func idOf(f *record.File) revisions.ID {
	return revisions.ID{Path: f.Path, Hash: f.Hash, Enriched: enriched(f)}
}

// stored is what the tables hold of a file, but for its text and graph.
type stored struct {
	file      record.File
	footprint uint64
	groups    [][]byte // values of tableChunks, not sealed
	rows      slab     // without runs
}

// Lookup returns the record of path when it held the bytes with a hash, without keys,
// as the index had it last: with Codes in place of Vectors, and marked as Recalled. ok
// is false when it is not kept, or is what the index holds.
func (db *DB) Lookup(ctx context.Context, path record.Path, hash record.Hash) (r record.FileRecord, ok bool, err error) {
	err = db.view(ctx, func(t *txn) error {
		return t.cache(nil).Of(path, &hash, func(rev revisions.Revision) (bool, error) {
			s, err := decodeStored(&rev)
			if err == nil {
				r, err = db.record(t, &s)
				r.Recalled, ok = true, err == nil
			}
			return false, err
		})
	})
	if err != nil {
		return record.FileRecord{}, false, fmt.Errorf("look up %q: %w", path, err)
	}
	return r, ok, nil
}

// Record returns the record that the index has of path, without keys and with Codes in
// place of Vectors; ok is false when it has none, or the file is left out.
func (db *DB) Record(ctx context.Context, path record.Path) (r record.FileRecord, ok bool, err error) {
	err = db.view(ctx, func(t *txn) error {
		f, err := t.indexed(path, true)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		st, err := t.state()
		if err != nil {
			return err
		}
		s, err := t.storedOf(&f, st.dim)
		if err != nil {
			return err
		}
		if s.rows, err = t.rowsOf(f.Chunks, st.dim); err != nil {
			return err
		}
		r, err = db.record(t, &s)
		ok = err == nil
		return err
	})
	if err != nil {
		return record.FileRecord{}, false, fmt.Errorf("read %q: %w", path, err)
	}
	return r, ok, nil
}

// record returns what is stored of a file, without keys.
func (db *DB) record(t *txn, s *stored) (r record.FileRecord, err error) {
	r = record.FileRecord{File: s.file, Chunks: make([]record.Chunk, s.file.Chunks.N)}
	r.Vectors, r.Codes = make([][]float32, len(r.Chunks)), s.rows.codesOf(s.file.Chunks.N)
	if r.Content, err = db.content(t, &s.file); err != nil {
		return r, err
	}
	if r.Graph, err = t.graph(&s.file, allEdges); err != nil {
		return r, err
	}
	at, want := 0, make([]*record.Chunk, 0, groupChunks)
	for _, value := range s.groups {
		g, ok := openGroup(keyBytes(groupChunks), value)
		if !ok || at+g.n > len(r.Chunks) {
			return r, corruptf("bad chunk group of %q", s.file.Path)
		}
		want = want[:0]
		for i := range g.n {
			want = append(want, &r.Chunks[at+i])
		}
		if err := g.decode(want); err != nil {
			return r, err
		}
		at += g.n
	}
	if at != len(r.Chunks) {
		return r, corruptf("%d chunks of %q instead of %d", at, s.file.Path, len(r.Chunks))
	}
	for i := range r.Chunks {
		r.Chunks[i].Key = 0
	}
	r.File.Key, r.File.Chunks, r.File.Generation = 0, record.KeyRange{}, 0
	return r, nil
}

// maxRevisions is how many earlier revisions of one file Codes looks at.
const maxRevisions = 8

// Codes returns, for each hash of an embedding text, the codes that a chunk of path
// has or had, now or in one of the latest revisions; where none is known,
// Code is nil.
func (db *DB) Codes(ctx context.Context, path record.Path, hashes []record.Hash) ([]record.Codes, error) {
	codes := make([]record.Codes, len(hashes))
	wanted := make(map[record.Hash]int, len(hashes)) // to the first of equal ones
	for i, h := range hashes {
		if _, twice := wanted[h]; !twice {
			wanted[h] = i
		}
	}
	err := db.view(ctx, func(t *txn) error {
		if err := t.liveCodes(path, wanted, codes); err != nil || len(wanted) == 0 {
			return err
		}
		return t.oldCodes(path, wanted, codes)
	})
	if err != nil {
		return nil, fmt.Errorf("codes of %q: %w", path, err)
	}
	first := make(map[record.Hash]int, len(hashes))
	for i, h := range hashes {
		if at, twice := first[h]; twice {
			codes[i] = codes[at]
		} else {
			first[h] = i
		}
	}
	return codes, nil
}

// liveCodes takes what it finds in the file at path out of wanted and into codes.
func (t *txn) liveCodes(path record.Path, wanted map[record.Hash]int, codes []record.Codes) error {
	f, ok, err := t.file(path)
	if err != nil || !ok || f.Chunks.N == 0 {
		return err
	}
	groups, err := t.groups(&f)
	if err != nil {
		return err
	}
	found := findCodes(groups, wanted)
	if len(found) == 0 {
		return nil
	}
	st, err := t.state()
	if err != nil {
		return err
	}
	rows, err := t.rowsOf(f.Chunks, st.dim)
	if err != nil {
		return err
	}
	rows.fill(found, f.Chunks.N, codes)
	return nil
}

// oldCodes does for the earlier revisions what liveCodes does, the latest first.
func (t *txn) oldCodes(path record.Path, wanted map[record.Hash]int, codes []record.Codes) error {
	n := 0
	return t.cache(nil).Of(path, nil, func(rev revisions.Revision) (bool, error) {
		s, err := decodeStored(&rev)
		if err != nil {
			return false, err
		}
		s.rows.fill(findCodes(s.groups, wanted), s.file.Chunks.N, codes)
		n++
		return len(wanted) > 0 && n < maxRevisions, nil
	})
}

// match says that chunk row of a file is what codes[at] is wanted for.
type match struct{ row, at int }

// findCodes takes the chunks whose embedding texts are wanted out of wanted.
func findCodes(groups [][]byte, wanted map[record.Hash]int) (found []match) {
	row := 0
	for _, value := range groups {
		g, ok := openGroup(keyBytes(groupChunks), value)
		if !ok {
			return found
		}
		for i := range g.n {
			hash := record.Hash(g.value[i*sumsBytes+48 : (i+1)*sumsBytes])
			if at, ok := wanted[hash]; ok {
				found = append(found, match{row, at})
				delete(wanted, hash)
			}
			row++
		}
	}
	return found
}

// fill copies the rows of s, which has n, to where they are wanted.
func (s *slab) fill(found []match, n int, codes []record.Codes) {
	if len(found) == 0 {
		return
	}
	all := s.codesOf(n)
	for _, m := range found {
		if m.row < len(all) {
			codes[m.at] = all[m.row]
		}
	}
}

// codesOf returns a copy of the n rows of s.
func (s *slab) codesOf(n int) []record.Codes {
	if n == 0 || s.rows() != n {
		return make([]record.Codes, n)
	}
	own := slab{scales: s.scales, residualScales: s.residualScales, codes: bytes.Clone(s.codes), residuals: bytes.Clone(s.residuals)}
	dim := len(s.codes) / n
	codes := make([]record.Codes, n)
	for i := range codes {
		codes[i] = record.Codes(own.row(i, dim))
	}
	return codes
}

// encode returns s as the payload of a revision:
//
//	row of the file table | n | n groups | scales, codes, residual scales, residuals
func (s *stored) encode() []byte {
	b := make([]byte, 0, int(s.footprint)+160)
	part := func(p []byte) {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	part(encodeFile(&s.file))
	b = binary.AppendUvarint(b, uint64(len(s.groups)))
	for _, g := range s.groups {
		part(g)
	}
	for _, p := range [...][]byte{s.rows.scales, s.rows.codes, s.rows.residualScales, s.rows.residuals} {
		b = append(b, p...)
	}
	return b
}

// decodeStored is the inverse of encode; it never panics. The result aliases the file.
func decodeStored(r *revisions.Revision) (s stored, err error) {
	u := unpacker{b: r.Value}
	s.footprint = r.Footprint
	var ok bool
	s.file, ok = decodeFile(u.bytes(u.count(1)), nil)
	s.file.Path = r.Path
	for range u.count(1) {
		s.groups = append(s.groups, u.bytes(u.count(1)))
	}
	n := s.file.Chunks.N
	if !ok || u.bad || n <= 0 || n > u.left()/8 || idOf(&s.file) != r.ID || s.file.Key != r.File {
		return stored{}, corruptf("bad revision of %q", r.Path)
	}
	dim := (u.left()/n - 8) * 2 / 3 // of what a row takes less its scales
	s.rows.scales, s.rows.codes = u.bytes(4*n), u.bytes(dim*n)
	s.rows.residualScales, s.rows.residuals = u.bytes(4*n), u.bytes(quantize.ResidualBytes(dim)*n)
	if !u.done() {
		return stored{}, corruptf("bad revision of %q", r.Path)
	}
	return s, nil
}

// footprint is what is stored of a file, in bytes, save its row of the file table.
func footprint(text, graph int, groups [][]byte, rows, dim int) uint64 {
	n := text + graph + rows*(8+dim+quantize.ResidualBytes(dim))
	for _, g := range groups {
		n += len(g)
	}
	return uint64(n)
}

// groups returns the chunk groups of f as they are stored.
func (t *txn) groups(f *record.File) ([][]byte, error) {
	var groups [][]byte
	end := f.Chunks.First + record.Key(f.Chunks.N)
	for first := f.Chunks.First; first < end; first += groupChunks {
		value, err := t.get(tableChunks, keyBytes(min(first+groupChunks, end)-1))
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, corruptf("chunks of %q are missing", f.Path)
		}
		groups = append(groups, value)
	}
	return groups, nil
}

// rowsOf returns the rows of keys that one file has, copied.
func (t *txn) rowsOf(r record.KeyRange, dim int) (rows slab, err error) {
	end := r.First + record.Key(r.N)
	for k := r.First; k < end; {
		key, s, err := t.nextSlab(k, dim)
		if err != nil {
			return slab{}, err
		}
		if key == nil {
			break
		}
		at := 0
		for _, run := range s.runs {
			from, to := max(run.First, r.First), min(run.First+record.Key(run.N), end)
			if from < to {
				rows.addRows(&s, at+int(from-run.First), record.KeyRange{First: from, N: int(to - from)})
			}
			at += run.N
		}
		last, _ := keyOf(key)
		if last == math.MaxUint32 {
			break
		}
		k = last + 1
	}
	if rows.rows() != r.N {
		return slab{}, corruptf("%d vectors of %d are missing", r.N-rows.rows(), r.N)
	}
	return rows, nil
}

// storedOf returns what is stored of a file that is indexed, without its rows.
func (t *txn) storedOf(f *record.File, dim int) (s stored, err error) {
	text, err := t.get(tableContents, keyBytes(f.Key))
	if err != nil {
		return stored{}, err
	}
	graph, err := t.get(tableGraphs, keyBytes(f.Key))
	if err != nil {
		return stored{}, err
	}
	if s.groups, err = t.groups(f); err != nil {
		return stored{}, err
	}
	s.file, s.footprint = *f, footprint(len(text), len(graph), s.groups, f.Chunks.N, dim)
	return s, nil
}

// keep adds s, whose file the index no longer has, to the cache. It reports false when
// the cache does not take it.
func (a *applier) keep(t *txn, s *stored) (kept bool, err error) {
	if s.file.Chunks.N == 0 || s.footprint > a.cacheLimit() {
		return false, nil
	}
	if s.rows, err = t.rowsOf(s.file.Chunks, a.state.dim); err != nil {
		return false, err
	}
	return t.cache(&a.state.cache).Add(&revisions.Revision{ID: idOf(&s.file), File: s.file.Key, Footprint: s.footprint, Value: s.encode()})
}

// deleteTexts deletes the text and the graph of a file.
func (t *txn) deleteTexts(file record.Key) error {
	if err := t.delete(tableContents, keyBytes(file)); err != nil {
		return err
	}
	return t.delete(tableGraphs, keyBytes(file))
}

// forget drops all earlier revisions of path.
func (a *applier) forget(t *txn, path record.Path) error {
	c := t.cache(&a.state.cache)
	return c.Of(path, nil, func(r revisions.Revision) (bool, error) {
		return true, errors.Join(c.Remove(&r), t.deleteTexts(r.File))
	})
}

// cacheLimit is how many bytes the cache may take.
func (a *applier) cacheLimit() uint64 {
	switch limit := a.db.cacheBytes; {
	case limit < 0 || a.noCache:
		return 0
	case limit > 0:
		return uint64(limit)
	}
	return min(max(a.state.bytes, MinCacheBytes), MaxCacheBytes)
}

// clearCache drops all revisions. The caller holds db.write.
func (db *DB) clearCache(ctx context.Context) error {
	a := applier{db: db, noCache: true}
	return db.update(ctx, func(t *txn) (err error) {
		if a.state, err = t.state(); err != nil {
			return err
		}
		if err := a.trimCache(t); err != nil {
			return err
		}
		return t.putState(&a.state)
	})
}

// trimCache drops the oldest revisions when the cache is over its limit.
func (a *applier) trimCache(t *txn) error {
	return t.cache(&a.state.cache).Trim(a.cacheLimit(), func(r *revisions.Revision) error { return t.deleteTexts(r.File) })
}
