package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"go.etcd.io/bbolt"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// The shelf keeps what files held before: a record that is replaced or removed stays
// in the file under its path, its hash and the sum of what enriched it, until a
// batch brings it back or newer entries need its room. So a branch that was left and an edit that was undone are not parsed
// and not embedded again.
//
// An entry is one value of tableShelf, under numbers that ascend: what the file table
// had, the groups of its chunks and its rows of codes, as they are stored. Its text
// and graph stay where they are, under the key of the file, which it has again when
// it comes back; its chunks get new keys, as those of all views ascend.
type entry struct {
	number    record.Key
	file      record.File
	footprint uint64
	groups    [][]byte // values of tableChunks, not sealed
	rows      slab     // without runs
}

// Recall returns the record of path when it held the bytes with a hash, without keys,
// as the index had it last: with Codes in place of Vectors, and marked as Recalled. ok
// is false when it is not kept, or is what the index holds.
func (db *DB) Recall(ctx context.Context, path record.Path, hash record.Hash) (r record.FileRecord, ok bool, err error) {
	err = db.view(ctx, func(t *txn) error {
		e, found, err := t.latest(path, hash)
		if err != nil || !found {
			return err
		}
		ok = true
		r, err = db.unfold(t, &e)
		return err
	})
	if err != nil {
		return record.FileRecord{}, false, fmt.Errorf("recall %q: %w", path, err)
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
		e, err := t.storedOf(&f, st.dim)
		if err != nil {
			return err
		}
		if e.rows, err = t.rowsOf(f.Chunks, st.dim); err != nil {
			return err
		}
		ok = true
		r, err = db.unfold(t, &e)
		r.Recalled = false
		return err
	})
	if err != nil {
		return record.FileRecord{}, false, fmt.Errorf("read %q: %w", path, err)
	}
	return r, ok, nil
}

// unfold makes a record of an entry.
func (db *DB) unfold(t *txn, e *entry) (r record.FileRecord, err error) {
	r = record.FileRecord{File: e.file, Recalled: true, Chunks: make([]record.Chunk, e.file.Chunks.N)}
	r.Vectors, r.Codes = make([][]float32, len(r.Chunks)), e.rows.codesOf(e.file.Chunks.N)
	if r.Content, err = db.content(t, &e.file); err != nil {
		return r, err
	}
	if r.Graph, err = t.graph(&e.file, allEdges); err != nil {
		return r, err
	}
	at, want := 0, make([]*record.Chunk, 0, groupChunks)
	for _, value := range e.groups {
		g, ok := openGroup(keyBytes(groupChunks), value)
		if !ok || at+g.n > len(r.Chunks) {
			return r, corruptf("bad chunk group on the shelf")
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
		return r, corruptf("%d chunks on the shelf instead of %d", at, len(r.Chunks))
	}
	for i := range r.Chunks {
		r.Chunks[i].Key = 0
	}
	r.File.Key, r.File.Chunks, r.File.Generation = 0, record.KeyRange{}, 0
	return r, nil
}

// maxVersions is how many earlier states of one file Codes looks at.
const maxVersions = 8

// Codes returns, for each hash of an embedding text, the codes that a chunk of path
// has or had, now or in one of the latest states on the shelf; where none is known,
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

// oldCodes does for the states on the shelf what liveCodes does, the latest first.
func (t *txn) oldCodes(path record.Path, wanted map[record.Hash]int, codes []record.Codes) error {
	numbers, err := t.numbersOf(path)
	if err != nil {
		return err
	}
	for i, number := range slices.Backward(numbers) {
		if len(wanted) == 0 || len(numbers)-i > maxVersions {
			return nil
		}
		e, err := t.entry(number)
		if err != nil {
			return err
		}
		e.rows.fill(findCodes(e.groups, wanted), e.file.Chunks.N, codes)
	}
	return nil
}

// numbersOf returns the numbers that the states of path have on the shelf, ascending.
func (t *txn) numbersOf(path record.Path) (numbers []record.Key, err error) {
	prefix := append([]byte(path), 0)
	err = t.scan(tableShelved, prefix, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		number, ok := keyOf(value)
		if !ok {
			return false, corruptf("bad number on the shelf")
		}
		numbers = append(numbers, number)
		return true, nil
	})
	slices.Sort(numbers)
	return numbers, err
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

// version tells apart the states of one path that are kept.
type version struct{ hash, enriched record.Hash }

func versionOf(f *record.File) version { return version{f.Hash, enriched(f)} }

// shelvedKey is the key of tableShelved, nil when it would be too long: a path, 0, a
// hash and, unless it is zero, the sum of what enriched it.
func shelvedKey(path record.Path, v version) []byte {
	n := len(path) + 1 + len(v.hash) + len(v.enriched)
	if n > bbolt.MaxKeySize {
		return nil
	}
	key := append(make([]byte, 0, n), path...)
	key = append(append(key, 0), v.hash[:]...)
	if v.enriched != (record.Hash{}) {
		key = append(key, v.enriched[:]...)
	}
	return key
}

// latest returns the entry of a path and a hash that was shelved last; its slices
// alias the file.
func (t *txn) latest(path record.Path, hash record.Hash) (e entry, ok bool, err error) {
	prefix := shelvedKey(path, version{hash: hash})
	if prefix == nil {
		return entry{}, false, nil
	}
	last := record.Key(0)
	err = t.scan(tableShelved, prefix, func(key, value []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		number, ok := keyOf(value)
		if !ok {
			return false, corruptf("bad number on the shelf")
		}
		last = max(last, number)
		return true, nil
	})
	if err != nil || last == 0 {
		return entry{}, false, err
	}
	e, err = t.entry(last)
	if err == nil && (e.file.Path != path || e.file.Hash != hash) {
		err = corruptf("%q is at the wrong place of the shelf", path)
	}
	return e, err == nil, err
}

// shelved returns the entry of a path and a version; its slices alias the file.
func (t *txn) shelved(path record.Path, v version) (e entry, ok bool, err error) {
	key := shelvedKey(path, v)
	if key == nil {
		return entry{}, false, nil
	}
	value, err := t.get(tableShelved, key)
	if err != nil || value == nil {
		return entry{}, false, err
	}
	number, ok := keyOf(value)
	if !ok {
		return entry{}, false, corruptf("bad number on the shelf")
	}
	e, err = t.entry(number)
	if err == nil && (e.file.Path != path || versionOf(&e.file) != v) {
		err = corruptf("%q is at the wrong place of the shelf", path)
	}
	return e, err == nil, err
}

// entry returns the entry with a number; its slices alias the file.
func (t *txn) entry(number record.Key) (entry, error) {
	value, err := t.get(tableShelf, keyBytes(number))
	if err != nil {
		return entry{}, err
	}
	e, ok := decodeEntry(number, value)
	if !ok {
		return entry{}, corruptf("bad entry %d of the shelf", number)
	}
	return e, nil
}

// encodeEntry returns the value of e:
//
//	path | row of the file table | footprint | groups | scales, codes, residual scales, residuals
func encodeEntry(e *entry) []byte {
	b := make([]byte, 0, int(e.footprint)+len(e.file.Path)+160)
	part := func(p []byte) {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	part([]byte(e.file.Path))
	part(encodeFile(&e.file))
	b = binary.AppendUvarint(b, e.footprint)
	b = binary.AppendUvarint(b, uint64(len(e.groups)))
	for _, g := range e.groups {
		part(g)
	}
	for _, p := range [...][]byte{e.rows.scales, e.rows.codes, e.rows.residualScales, e.rows.residuals} {
		b = append(b, p...)
	}
	return b
}

// decodeEntry is the inverse of encodeEntry; it never panics.
func decodeEntry(number record.Key, b []byte) (e entry, ok bool) {
	u := unpacker{b: b}
	path := u.bytes(u.count(1))
	e.number = number
	if e.file, ok = decodeFile(u.bytes(u.count(1)), nil); !ok {
		return entry{}, false
	}
	e.file.Path = record.Path(path)
	e.footprint = u.uint()
	for range u.count(1) {
		e.groups = append(e.groups, u.bytes(u.count(1)))
	}
	n := e.file.Chunks.N
	if u.bad || n <= 0 || n > u.left()/8 {
		return entry{}, false
	}
	dim := (u.left()/n - 8) * 2 / 3 // of what a row takes less its scales
	e.rows.scales, e.rows.codes = u.bytes(4*n), u.bytes(dim*n)
	e.rows.residualScales, e.rows.residuals = u.bytes(4*n), u.bytes(quantize.ResidualBytes(dim)*n)
	return e, u.done()
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

// storedOf returns what is stored of a file that is indexed, as an entry of the shelf.
func (t *txn) storedOf(f *record.File, dim int) (e entry, err error) {
	text, err := t.get(tableContents, keyBytes(f.Key))
	if err != nil {
		return entry{}, err
	}
	graph, err := t.get(tableGraphs, keyBytes(f.Key))
	if err != nil {
		return entry{}, err
	}
	if e.groups, err = t.groups(f); err != nil {
		return entry{}, err
	}
	e.file, e.footprint = *f, footprint(len(text), len(graph), e.groups, f.Chunks.N, dim)
	return e, nil
}

// shelve puts e, whose file the index no longer has, on the shelf.
func (a *applier) shelve(t *txn, e *entry) (err error) {
	if e.rows, err = t.rowsOf(e.file.Chunks, a.state.dim); err != nil {
		return err
	}
	s := &a.state
	e.number = record.Key(s.nextShelf)
	s.nextShelf++
	s.shelved++
	s.shelfBytes += e.footprint
	if err := t.put(tableShelf, keyBytes(e.number), encodeEntry(e)); err != nil {
		return err
	}
	return t.put(tableShelved, shelvedKey(e.file.Path, versionOf(&e.file)), keyBytes(e.number))
}

// unshelve takes e from the shelf; what is stored under its file's key stays.
func (a *applier) unshelve(t *txn, e *entry) error {
	a.state.shelved--
	a.state.shelfBytes -= e.footprint
	if err := t.delete(tableShelf, keyBytes(e.number)); err != nil {
		return err
	}
	return t.delete(tableShelved, shelvedKey(e.file.Path, versionOf(&e.file)))
}

// forget deletes the text and the graph of a file.
func (t *txn) forget(f *record.File) error {
	if err := t.delete(tableContents, keyBytes(f.Key)); err != nil {
		return err
	}
	return t.delete(tableGraphs, keyBytes(f.Key))
}

// forgetPast forgets all states of path on the shelf.
func (a *applier) forgetPast(t *txn, path record.Path) error {
	numbers, err := t.numbersOf(path)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		e, err := t.entry(number)
		if err != nil {
			return err
		}
		if err := a.unshelve(t, &e); err != nil {
			return err
		}
		if err := t.forget(&e.file); err != nil {
			return err
		}
	}
	return nil
}

// shelfLimit is how many bytes the shelf may take.
func (a *applier) shelfLimit() uint64 {
	switch limit := a.db.shelfBytes; {
	case limit < 0 || a.noShelf:
		return 0
	case limit > 0:
		return uint64(limit)
	}
	return min(max(a.state.bytes, DefaultShelfLeast), DefaultShelfMost)
}

// clearShelf forgets all that is on the shelf. The caller holds db.write.
func (db *DB) clearShelf(ctx context.Context) error {
	a := applier{db: db, noShelf: true}
	return db.update(ctx, func(t *txn) (err error) {
		if a.state, err = t.state(); err != nil {
			return err
		}
		if err := a.trimShelf(t); err != nil {
			return err
		}
		return t.putState(&a.state)
	})
}

// shelfSlack is the part of its limit that a shelf is cut back by when it is over it,
// so that most saves need not cut anything: forgetting touches four more pages.
const shelfSlack = 16

// trimShelf forgets the oldest entries when the shelf is over its limit.
func (a *applier) trimShelf(t *txn) error {
	excess := a.state.shelfBytes
	limit := a.shelfLimit()
	var doomed []entry
	if excess > limit {
		limit -= limit / shelfSlack
		err := t.scan(tableShelf, nil, func(key, value []byte) (bool, error) {
			number, ok := keyOf(key)
			e, okValue := decodeEntry(number, value)
			if !ok || !okValue || e.footprint > excess {
				return false, corruptf("bad entry of the shelf")
			}
			e.groups, e.rows = nil, slab{}
			doomed = append(doomed, e)
			excess -= e.footprint
			return excess > limit, nil
		})
		if err != nil {
			return err
		}
	}
	for i := range doomed {
		if err := a.unshelve(t, &doomed[i]); err != nil {
			return err
		}
		if err := t.forget(&doomed[i].file); err != nil {
			return err
		}
	}
	return nil
}
