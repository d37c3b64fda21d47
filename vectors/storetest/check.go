package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ambit/vectors/record"
	"ambit/vectors/store"
)

// CheckTables, unless nil, checks the tables behind a Reader. The tests of package store
// set it.
var CheckTables func(context.Context, *store.DB) error

// Check reads the whole index and returns the first thing that does not hold:
//
//   - every record can be read, and the counts are right,
//   - a left out file has no chunks, and every other one has its text and graph,
//   - spans are inside the text, hashes are those of the text, and the chunks that are no
//     summaries are in order and cover the text,
//   - symbols and edges of a graph refer to symbols that are there,
//   - the vectors have the keys of the chunks.
func Check(ctx context.Context, db *store.DB) error {
	if CheckTables != nil {
		if err := CheckTables(ctx, db); err != nil {
			return err
		}
	}
	r, err := db.Begin(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	rows, err := r.Files(ctx)
	if err != nil {
		return err
	}
	files := Decode(rows)
	var keys []record.Key
	for i := range files {
		f := &files[i]
		if f.LeftOut != "" && f.Chunks.N > 0 {
			return fmt.Errorf("%q is left out and has chunks", f.Path)
		}
		if f.LeftOut == "" {
			if err := checkFile(ctx, r, f); err != nil {
				return fmt.Errorf("%q: %w", f.Path, err)
			}
		}
		for j := range f.Chunks.N {
			keys = append(keys, f.Chunks.First+record.Key(j))
		}
	}
	return checkKeys(ctx, r, files, keys)
}

// checkKeys compares the keys of the vectors, and the counts, with those of the files.
func checkKeys(ctx context.Context, r *store.Reader, files []record.File, keys []record.Key) error {
	slices.SortFunc(keys, cmp.Compare)
	var coded []record.Key
	err := r.EachCodes(ctx, func(first record.Key, _ []byte, scales []float32) error {
		for i, scale := range scales {
			if scale != 0 {
				coded = append(coded, first+record.Key(i))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	vectors, err := r.Vectors(ctx, keys)
	if err != nil || slices.ContainsFunc(vectors, func(v []float32) bool { return v == nil }) {
		return fmt.Errorf("a vector is missing: %v", err)
	}
	var want []record.Key
	for i, v := range vectors {
		if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			want = append(want, keys[i])
		}
	}
	if !slices.Equal(want, coded) {
		return fmt.Errorf("%d vectors and %d chunks with words have other keys", len(coded), len(want))
	}
	if st, err := r.Stats(ctx); err != nil || st.Files != len(files) || st.Chunks != len(keys) || st.Generation != r.Generation() {
		return fmt.Errorf("%d files with %d chunks are counted as %+v: %v", len(files), len(keys), st, err)
	}
	_, err = r.History(ctx)
	return err
}

// checkFile checks that the text, the graph and the chunks of an indexed file fit
// together.
func checkFile(ctx context.Context, r *store.Reader, f *record.File) error {
	text, err := r.Content(ctx, f.Path)
	if err != nil {
		return err
	}
	g, err := r.Graph(ctx, f.Path)
	if err != nil {
		return err
	}
	chunks, err := r.FileChunks(ctx, f.Path)
	if err != nil {
		return err
	}
	if err := checkGraph(&g, len(text)); err != nil {
		return err
	}
	if f.Traits != nil && len(f.Traits.Kinds) != len(chunks) {
		return fmt.Errorf("it has the kinds of %d chunks instead of %d", len(f.Traits.Kinds), len(chunks))
	}
	for i := range chunks {
		ch := &chunks[i]
		if ch.Path != f.Path {
			return fmt.Errorf("chunk %d belongs to %q", i, ch.Path)
		}
		for p := range ch.Places() {
			if s := p.Span; s.Start < 0 || s.End < s.Start || s.End > len(text) {
				return fmt.Errorf("chunk %d is at %v of %d bytes", i, s, len(text))
			}
		}
		if record.HashText(ch.AppendEmbeddingText(nil, text)) != ch.EmbedHash {
			return fmt.Errorf("chunk %d has another hash than its embedding text", i)
		}
	}
	return CheckCover(chunks, len(text))
}

// CheckCover checks that the chunks of a file of size bytes, without the summaries, are in
// order and cover each byte once.
func CheckCover(chunks []record.Chunk, size int) error {
	var spans []record.Span
	last := -1
	for i := range chunks {
		if chunks[i].IsSummary {
			continue
		}
		if chunks[i].Span.Start <= last {
			return fmt.Errorf("chunk %d starts at %d, before the one in front of it", i, chunks[i].Span.Start)
		}
		last = chunks[i].Span.Start
		for p := range chunks[i].Places() {
			spans = append(spans, p.Span)
		}
	}
	slices.SortFunc(spans, func(a, b record.Span) int { return a.Start - b.Start })
	end := 0
	for _, s := range spans {
		if s.Start != end || s.End <= s.Start {
			return fmt.Errorf("the span %v does not continue at byte %d", s, end)
		}
		end = s.End
	}
	if end != size {
		return fmt.Errorf("the chunks end at %d of %d bytes", end, size)
	}
	return nil
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
