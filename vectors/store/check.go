package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"ambit/vectors/record"
)

// Check reads the whole index and returns [ErrCorrupt] with the first thing that
// does not hold:
//
//   - every value has its checksum and decodes,
//   - the counts of the state are right, and no key is beyond those given,
//   - no two files share a key, and their chunk ranges are disjoint,
//   - an indexed file has one content, one graph and all its chunks and vectors; a
//     left out one has none, and there is nothing that belongs to no file,
//   - spans are inside the content, hashes are those of the text, and the chunks
//     that are not Beside are in order and cover the content,
//   - symbols and edges of a graph refer to symbols that are there,
//   - all of this holds for what is on the shelf, which is found by path and hash, is
//     no state that a file has, and takes the bytes that the state says.
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
		c := checker{db: db, txn: t, state: s, files: files}
		for _, check := range []func(context.Context) error{c.checkFiles, c.checkShelf, c.checkOrphans, c.checkRows, c.checkBlobs} {
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

// checker is one run of Check.
type checker struct {
	*txn
	db    *DB
	state state
	files []record.File
	keys  map[record.Key]bool // of files, on the shelf too
}

func (c *checker) checkFiles(ctx context.Context) error {
	c.keys = make(map[record.Key]bool, len(c.files))
	bytes := uint64(0)
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
			if err := c.checkFile(f); err != nil {
				return err
			}
			e, err := c.storedOf(f, c.state.dim)
			if err != nil {
				return err
			}
			bytes += e.footprint
		}
	}
	if bytes != c.state.bytes {
		return corruptf("files take %d bytes instead of %d", bytes, c.state.bytes)
	}
	return nil
}

// checkFile checks what is stored of one indexed file.
func (c *checker) checkFile(f *record.File) error {
	text, err := c.db.content(c.txn, f)
	if err != nil {
		return err
	}
	g, err := c.graph(f, allEdges)
	if err != nil {
		return err
	}
	chunks, err := c.fileChunks(f)
	if err != nil {
		return err
	}
	return checkRecord(f, text, &g, chunks)
}

// checkRecord checks that what is stored of f fits together.
func checkRecord(f *record.File, text []byte, g *record.FileGraph, chunks []record.Chunk) error {
	if err := checkGraph(g, len(text)); err != nil {
		return corruptf("graph of %q: %v", f.Path, err)
	}
	if err := validateCrossFile(f.CrossFile, chunks); err != nil {
		return corruptf("references of %q: %v", f.Path, err)
	}
	if f.Traits != nil && len(f.Traits.Kinds) != f.Chunks.N {
		return corruptf("%q has the kinds of %d chunks instead of %d", f.Path, len(f.Traits.Kinds), f.Chunks.N)
	}
	end, covers := 0, len(text) == 0
	for i := range chunks {
		ch := &chunks[i]
		switch s := ch.Span; {
		case ch.Path != f.Path:
			return corruptf("chunk %d of %q belongs to %q", i, f.Path, ch.Path)
		case s.Start < 0 || s.End < s.Start || s.End > len(text):
			return corruptf("chunk %d of %q is at %v of %d bytes", i, f.Path, s, len(text))
		case sha256.Sum256(text[s.Start:s.End]) != ch.Hash:
			return corruptf("chunk %d of %q has another hash than its text", i, f.Path)
		case embedHash(ch, text[s.Start:s.End]) != ch.EmbedHash:
			return corruptf("chunk %d of %q has another hash than its embedding text", i, f.Path)
		case ch.Beside:
		case s.Start != end:
			return corruptf("chunk %d of %q starts at %d and not at %d", i, f.Path, s.Start, end)
		default:
			end, covers = s.End, s.End == len(text)
		}
	}
	if !covers {
		return corruptf("the chunks of %q end at %d of %d bytes", f.Path, end, len(text))
	}
	return nil
}

func embedHash(ch *record.Chunk, text []byte) (h record.Hash) {
	sum := sha256.New()
	sum.Write([]byte(ch.Prefix))
	sum.Write(text)
	sum.Write([]byte(ch.Suffix))
	sum.Sum(h[:0])
	return h
}

func checkGraph(g *record.FileGraph, size int) error {
	for i := range g.Symbols {
		s := &g.Symbols[i]
		if s.Parent < -1 || s.Parent >= len(g.Symbols) || s.Parent == i {
			return fmt.Errorf("symbol %q has parent %d", s.Qualified, s.Parent)
		}
		for _, at := range [...]record.Span{s.Span, s.Header, s.Body, s.Doc, s.NameSpan} {
			if at.Start < 0 || at.End < at.Start || at.End > size {
				return fmt.Errorf("symbol %q is at %v of %d bytes", s.Qualified, at, size)
			}
		}
	}
	for _, e := range g.Edges {
		if e.From < -1 || e.From >= len(g.Symbols) {
			return fmt.Errorf("an edge to %q comes from symbol %d", e.Name, e.From)
		}
	}
	return nil
}

// checkShelf checks each entry of the shelf as checkFile does a file.
func (c *checker) checkShelf(ctx context.Context) error {
	live := make(map[record.Path]version, len(c.files))
	for i := range c.files {
		if c.files[i].LeftOut == "" {
			live[c.files[i].Path] = versionOf(&c.files[i])
		}
	}
	n, bytes, named := uint64(0), uint64(0), uint64(0)
	err := c.scan(tableShelf, nil, func(key, value []byte) (bool, error) {
		number, ok := keyOf(key)
		e, okValue := decodeEntry(number, value)
		if !ok || !okValue || number == 0 || uint64(number) >= c.state.nextShelf {
			return false, corruptf("bad entry of the shelf")
		}
		f := e.file
		now, isLive := live[f.Path]
		if f.Key == 0 || uint64(f.Key) >= c.state.nextFile || c.keys[f.Key] || f.LeftOut != "" || isLive && now == versionOf(&f) {
			return false, corruptf("%q should not be on the shelf", f.Path)
		}
		c.keys[f.Key] = true
		n, bytes = n+1, bytes+e.footprint
		found, ok, err := c.shelved(f.Path, versionOf(&f))
		if err != nil {
			return false, err
		}
		if !ok || found.number != number {
			return false, corruptf("%q is not found on the shelf", f.Path)
		}
		if err := c.checkEntry(&e); err != nil {
			return false, err
		}
		return true, ctx.Err()
	})
	if err != nil {
		return err
	}
	err = c.scan(tableShelved, nil, func(_, _ []byte) (bool, error) {
		named++
		return true, nil
	})
	if err == nil && (n != c.state.shelved || named != n || bytes != c.state.shelfBytes) {
		err = corruptf("%d entries and %d bytes on the shelf instead of %d and %d", n, bytes, c.state.shelved, c.state.shelfBytes)
	}
	return err
}

func (c *checker) checkEntry(e *entry) error {
	text, err := c.get(tableContents, keyBytes(e.file.Key))
	if err != nil {
		return err
	}
	graph, err := c.get(tableGraphs, keyBytes(e.file.Key))
	if err != nil {
		return err
	}
	dim := len(e.rows.codes) / e.rows.rows()
	if dim != c.state.dim || e.footprint != footprint(len(text), len(graph), e.groups, e.file.Chunks.N, dim) {
		return corruptf("%q takes other room on the shelf", e.file.Path)
	}
	r, err := c.db.unfold(c.txn, e)
	if err != nil {
		return err
	}
	f := e.file
	return checkRecord(&f, r.Content, &r.Graph, r.Chunks)
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
	}{{tableContents, indexed + int(c.state.shelved)}, {tableGraphs, indexed + int(c.state.shelved)}, {tableChunks, groups}} {
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

// checkRows compares the keys of the slabs with those of the files.
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
	codes, residuals := 0, 0
	err := c.scan(tableCodes, nil, func(key, value []byte) (bool, error) {
		s, err := c.slabAt(key, value, c.state.dim)
		if err != nil {
			return false, err
		}
		if s.rows() > slabRows(c.state.dim) {
			return false, corruptf("a slab of %d rows", s.rows())
		}
		got = append(got, s.runs...)
		codes++
		return true, nil
	})
	if err != nil {
		return err
	}
	err = c.scan(tableResiduals, nil, func(_, _ []byte) (bool, error) {
		residuals++
		return true, nil
	})
	if err != nil {
		return err
	}
	sorted := slices.IsSortedFunc(got, func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) })
	if !sorted || codes != residuals || chunks != c.state.chunks || !slices.Equal(joinRanges(want), joinRanges(got)) {
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
				blobs = append(blobs, blob{tb, string(key[:n])})
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
