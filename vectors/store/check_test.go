package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"ambit/vectors/record"
	"ambit/vectors/revisions"
)

// Check returns [ErrCorrupt] with the first thing that does not hold of the tables, beside
// what storetest.Check sees through a Reader:
//
//   - every value has its checksum,
//   - the counts of the state are right, and no key is beyond those given,
//   - no two files share a key, and their chunk ranges are disjoint,
//   - there is nothing that belongs to no file and no revision,
//   - an earlier revision is found by its name, is not what a file is now, and takes the
//     bytes that the state says.
func (db *DB) Check(ctx context.Context) error {
	err := db.view(ctx, func(t *txn) error {
		s, err := t.state()
		if err != nil {
			return err
		}
		files, err := t.files()
		if err != nil {
			return err
		}
		c := checker{db: db, txn: t, state: s, files: decoded(files)}
		for _, check := range []func(context.Context) error{c.checkFiles, c.checkRevisions, c.checkOrphans, c.checkRows, c.checkBlobs} {
			if err := check(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("check index: %w", err)
	}
	return nil
}

func decoded(rows []record.Row) (files []record.File) {
	for _, r := range rows {
		files = append(files, r.File())
	}
	return files
}

// checker is one run of Check.
type checker struct {
	*txn
	db    *DB
	state state
	files []record.File
	keys  map[record.Key]bool // of files, earlier revisions included
}

func (c *checker) checkFiles(ctx context.Context) error {
	c.keys = make(map[record.Key]bool, len(c.files))
	total := uint64(0)
	for i := range c.files {
		f := &c.files[i]
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case f.Key == 0 || uint64(f.Key) >= c.state.nextFile || c.keys[f.Key]:
			return corruptf("%q has key %d", f.Path, f.Key)
		case f.Generation == 0 || f.Generation > c.state.generation:
			return corruptf("%q has generation %d", f.Path, f.Generation)
		case f.LeftOut != "" && f.Chunks.N > 0:
			return corruptf("%q is left out and has chunks", f.Path)
		}
		c.keys[f.Key] = true
		if f.LeftOut == "" {
			e, err := c.storedOf(f)
			if err != nil {
				return err
			}
			total += e.footprint
		}
	}
	if total != c.state.bytes {
		return corruptf("files take %d bytes instead of %d", total, c.state.bytes)
	}
	return nil
}

// checkRevisions checks that each earlier revision is whole and found by its name.
func (c *checker) checkRevisions(ctx context.Context) error {
	live := make(map[record.Path]revisions.ID, len(c.files))
	for i := range c.files {
		if c.files[i].LeftOut == "" {
			live[c.files[i].Path] = idOf(&c.files[i])
		}
	}
	var counts revisions.Counts
	cache := c.cache(&counts)
	var ids []revisions.ID
	err := c.scan(tableRevisions, nil, func(_, value []byte) (bool, error) {
		u := unpacker{b: value}
		path, sums, _ := bytes.Cut(u.bytes(u.count(1)), []byte{0})
		id := revisions.ID{Path: record.Path(path)}
		copy(id.Enriched[:], sums[copy(id.Hash[:], sums):])
		ids = append(ids, id)
		return true, ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		r, ok, err := cache.Get(id)
		if err != nil || !ok {
			return corruptf("%q is not found among the revisions: %v", id.Path, err)
		}
		s, err := decodeStored(&r)
		if err != nil {
			return err
		}
		f := s.file
		now, isLive := live[f.Path]
		if f.Key == 0 || uint64(f.Key) >= c.state.nextFile || c.keys[f.Key] || f.LeftOut != "" || isLive && now == idOf(&f) {
			return corruptf("%q should not be among the revisions", f.Path)
		}
		c.keys[f.Key] = true
		counts.N, counts.Bytes = counts.N+1, counts.Bytes+r.Footprint
		if err := c.checkRevision(&s); err != nil {
			return err
		}
	}
	named := uint64(0)
	err = c.scan(tableNumbers, nil, func(_, _ []byte) (bool, error) {
		named++
		return true, nil
	})
	counts.Next = c.state.cache.Next
	if err == nil && (counts != c.state.cache || named != counts.N) {
		err = corruptf("the revisions are %+v, %d of them named, instead of %+v", counts, named, c.state.cache)
	}
	return err
}

func (c *checker) checkRevision(s *stored) error {
	text, err := c.get(tableContents, keyBytes(s.file.Key))
	if err != nil {
		return err
	}
	graph, err := c.get(tableGraphs, keyBytes(s.file.Key))
	if err != nil {
		return err
	}
	if s.footprint != footprint(len(text), len(graph), s.groups) {
		return corruptf("the revision of %q takes other room", s.file.Path)
	}
	_, err = c.db.record(c.txn, s)
	return err
}

// checkOrphans counts what belongs to no file; checkFiles has found the rest.
func (c *checker) checkOrphans(context.Context) error {
	indexed, groups := 0, 0
	for i := range c.files {
		if c.files[i].LeftOut == "" {
			indexed++
			groups += (c.files[i].Chunks.N + groupChunks - 1) / groupChunks
		}
	}
	for _, want := range []struct {
		table table
		n     int
	}{{tableContents, indexed + int(c.state.cache.N)}, {tableGraphs, indexed + int(c.state.cache.N)}, {tableChunks, groups}, {tableVectors, groups}} {
		n := 0
		err := c.scan(want.table, nil, func(_, _ []byte) (bool, error) {
			n++
			return true, nil
		})
		if err != nil {
			return err
		}
		if n != want.n {
			return corruptf("table %s has %d values instead of %d", tableNames[want.table], n, want.n)
		}
	}
	return nil
}

// checkRows compares the keys of the vectors with those of the files.
func (c *checker) checkRows(context.Context) error {
	var want, got []record.KeyRange
	chunks := uint64(0)
	for i := range c.files {
		if r := c.files[i].Chunks; r.N > 0 {
			want = append(want, r)
			chunks += uint64(r.N)
		}
	}
	slices.SortFunc(want, func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) })
	for i, r := range want {
		end := uint64(r.First) + uint64(r.N)
		if r.First == 0 || end > c.state.nextChunk || i+1 < len(want) && end > uint64(want[i+1].First) {
			return corruptf("chunk keys %v are given twice or not at all", r)
		}
	}
	err := c.scan(tableVectors, nil, func(key, value []byte) (bool, error) {
		last, n, err := residualsAt(key, value, c.state.dim)
		got = append(got, record.KeyRange{First: last - record.Key(n) + 1, N: n})
		return true, err
	})
	if err != nil {
		return err
	}
	vectors := uint64(0)
	err = c.scan(tableCodes, nil, func(key, value []byte) (bool, error) {
		b, err := openBlock(value, c.state.dim)
		if err != nil {
			return false, err
		}
		n, _ := keyOf(key)
		for i := range b.rows {
			k := n*record.Key(b.rows) + record.Key(i)
			after := sort.Search(len(want), func(i int) bool { return want[i].First > k })
			if b.count(i, 1) > 0 && (after == 0 || !want[after-1].Contains(k)) {
				return false, corruptf("a vector without chunk %d", k)
			}
		}
		of := b.count(0, b.rows)
		vectors += of
		if of == 0 {
			err = corruptf("an empty block of vectors")
		}
		return true, err
	})
	if err != nil {
		return err
	}
	if vectors != c.state.vectors {
		return corruptf("%d vectors instead of %d", vectors, c.state.vectors)
	}
	sorted := slices.IsSortedFunc(got, func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) })
	if !sorted || chunks != c.state.chunks || !slices.Equal(joinRanges(want), joinRanges(got)) {
		return corruptf("vectors and chunks have other keys")
	}
	return nil
}

// checkBlobs reads the history and every view that has a head.
func (c *checker) checkBlobs(context.Context) error {
	blobs := []blob{historyBlob()}
	for _, tb := range []table{tableHistory, tableViews} {
		err := c.scan(tb, nil, func(key, _ []byte) (bool, error) {
			if n := len(key) - 4; n >= 0 && tb == tableViews && string(key[n:]) == "\x00\x00\x00\x00" {
				blobs = append(blobs, blob{tb, string(key[:n]), true})
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	for _, b := range blobs {
		data, _, err := c.blob(b)
		if err != nil {
			return err
		}
		if b.table != tableHistory || data == nil {
			continue
		}
		raw, err := c.db.unzip.DecodeAll(data, nil)
		if err != nil {
			return corruptf("history: %v", err)
		}
		if _, ok := decodeHistory(raw); !ok {
			return corruptf("bad history")
		}
	}
	return nil
}
