package retrieve_test

import (
	"cmp"
	"context"
	"io/fs"
	"iter"
	"slices"
	"testing"

	"ambit/indexer/chunk"
	"ambit/indexer/enrich"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/retrieve"
	"ambit/vectors/embed"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

// workspace is an index in memory; it implements the interfaces of retrieve.Index.
type workspace struct {
	files   map[record.Path]record.FileRecord
	chunks  []record.Chunk // by key - 1
	vectors [][]float32    // by key - 1
	text    *lexical.View
	near    *flat.View
	embed   *embed.Builtin
	history record.History
	view    *graph.View // of the names, unsaved text included
}

// file is one file of a workspace.
type file struct {
	path    string
	content []byte
}

// newWorkspace indexes files, in one batch.
func newWorkspace(t testing.TB, files []file) *workspace {
	t.Helper()
	w, err := openWorkspace(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func openWorkspace(ctx context.Context, files []file) (*workspace, error) {
	w := &workspace{files: map[record.Path]record.FileRecord{}, embed: embed.NewBuiltin()}
	var b record.Batch
	for _, f := range files {
		r, err := w.record(ctx, f)
		if err != nil {
			return nil, err
		}
		for i := range r.Chunks {
			r.Chunks[i].Key = record.Key(len(w.chunks) + 1)
			w.chunks = append(w.chunks, r.Chunks[i])
		}
		for _, c := range r.Codes {
			v := make([]float32, len(c.Residual))
			quantize.Row(c).Float(v)
			w.vectors = append(w.vectors, v)
		}
		w.files[r.File.Path] = r
		b.Files = append(b.Files, r)
	}
	var err error
	if w.text, err = lexical.New().Apply(ctx, &b); err != nil {
		return nil, err
	}
	w.view = new(graph.View).Apply(&b)
	w.near, err = flat.New(w.embed.Dim()).Apply(&b)
	return w, err
}

// words and vectors search a workspace.
type (
	words   struct{ *workspace }
	vectors struct{ *workspace }
)

func (w words) Search(ctx context.Context, query []record.Word, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	return w.text.SearchWords(ctx, query, k, lexical.Options{Keep: keep})
}

func (w words) Files(ctx context.Context, query []record.Word) (iter.Seq[retrieve.FileScore], error) {
	var groups []record.KeyRange
	var paths []record.Path
	for i, c := range w.chunks {
		if n := len(paths); n > 0 && paths[n-1] == c.Path {
			groups[n-1].N++
			continue
		}
		groups, paths = append(groups, record.KeyRange{First: record.Key(i + 1), N: 1}), append(paths, c.Path)
	}
	scores, err := w.text.SearchGroups(ctx, query, groups)
	return func(yield func(retrieve.FileScore) bool) {
		for i, score := range scores {
			if score > 0 && !yield(retrieve.FileScore{Path: paths[i], Score: score}) {
				return
			}
		}
	}, err
}

func (w vectors) Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	return w.near.Search(ctx, w, query, k, flat.Options{Keep: keep})
}

func (w *workspace) record(ctx context.Context, f file) (record.FileRecord, error) {
	o := languages.Parse(record.Path(f.path), f.content)
	r := record.FileRecord{File: record.File{Path: o.Path, Language: o.Language, Size: int64(len(f.content))}, Content: f.content, Graph: graph.Extract(&o), Chunks: chunk.Split(&o, chunk.Options{})}
	r.File.CrossFile = enrich.Collect(&o, r.Chunks, chunk.Options{})
	texts := make([][]byte, len(r.Chunks))
	for i := range r.Chunks {
		texts[i] = r.Chunks[i].AppendEmbeddingText(nil, f.content)
	}
	rows := make([]float32, len(texts)*w.embed.Dim())
	err := w.embed.Embed(ctx, texts, rows)
	r.Codes = storetest.Codes(slices.Collect(slices.Chunk(rows, w.embed.Dim()))...)
	return r, err
}

// edit replaces the text of a file without saving it: the words and the vectors of the
// index stay.
func (w *workspace) edit(t testing.TB, f file) {
	r, err := w.record(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	w.files[r.File.Path] = r
	w.view = w.view.With(r)
}

// index returns the workspace as a retrieve.Index.
func (w *workspace) index() retrieve.Index {
	return retrieve.Index{Files: w, Names: w.view, Text: words{w}, Vectors: vectors{w}, Embed: w.embed, History: w}
}

func (w *workspace) Graph(_ context.Context, p record.Path) (record.FileGraph, error) {
	if r, ok := w.files[p]; ok {
		return r.Graph, nil
	}
	return record.FileGraph{}, fs.ErrNotExist
}

// GraphTo returns only the edges that its contract demands.
func (w *workspace) GraphTo(ctx context.Context, p record.Path, name string) (record.FileGraph, error) {
	g, err := w.Graph(ctx, p)
	g.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e record.Edge) bool { return e.Name != name })
	return g, err
}

func (w *workspace) Content(_ context.Context, p record.Path) ([]byte, error) {
	if r, ok := w.files[p]; ok {
		return r.Content, nil
	}
	return nil, fs.ErrNotExist
}

func (w *workspace) Outline(_ context.Context, p record.Path) (*languages.Outline, error) {
	o := languages.Parse(p, w.files[p].Content)
	return &o, nil
}

func (w *workspace) Chunks(_ context.Context, keys []record.Key) ([]record.Chunk, error) {
	out := make([]record.Chunk, len(keys))
	for i, k := range keys {
		if k > 0 && int(k) <= len(w.chunks) {
			out[i] = w.chunks[k-1]
		}
	}
	return out, nil
}

func (w *workspace) FileChunks(_ context.Context, p record.Path) ([]record.Chunk, error) {
	return w.files[p].Chunks, nil
}

func (w *workspace) Files() iter.Seq[record.Row] {
	return func(yield func(record.Row) bool) {
		for _, r := range w.files {
			if !yield(record.RowOf(&r.File)) {
				return
			}
		}
	}
}

func (w *workspace) Generated() iter.Seq[record.Path] { return func(func(record.Path) bool) {} }

func (w *workspace) Keys(_ context.Context, keep retrieve.Filter) (func(record.Key) bool, error) {
	return func(k record.Key) bool {
		c := &w.chunks[k-1]
		var t record.Traits
		if c.Doc != nil {
			t.Doc = &record.DocTraits{Layer: c.Doc.Layer, Tags: c.Doc.Tags}
		}
		return keep.File(record.RowOf(&record.File{Path: c.Path, Language: c.Language, Traits: &t})) && (keep.Kind == "" || keep.Kind == c.Kind ||
			slices.ContainsFunc(w.files[c.Path].Graph.Symbols, func(s record.Symbol) bool {
				return s.Is(keep.Kind) && c.Covers(s.NameSpan.Start)
			}))
	}, nil
}

func (w *workspace) Vectors(_ context.Context, keys []record.Key) ([][]float32, error) {
	out := make([][]float32, len(keys))
	for i, k := range keys {
		out[i] = w.vectors[k-1]
	}
	return out, nil
}

func (w *workspace) Frequency(p record.Path) record.Frequency {
	for _, f := range w.history.Files {
		if f.Path == p {
			return f.Frequency
		}
	}
	return record.Unknown
}

func (w *workspace) Subjects() []record.Subject { return w.history.Subjects }

func (w *workspace) CoChanged(p record.Path) []record.CoChange {
	var out []record.CoChange
	for _, c := range w.history.Pairs {
		if c.A == p || c.B == p {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b record.CoChange) int { return cmp.Compare(b.Weight, a.Weight) })
	return out
}

// silent finds nothing: with it the answer comes from the graph alone.
type silent struct{}

func (silent) Search(context.Context, []float32, int, func(record.Key) bool) ([]record.Hit, error) {
	return nil, nil
}

type mute struct{}

func (mute) Search(context.Context, []record.Word, int, func(record.Key) bool) ([]record.Hit, error) {
	return nil, nil
}

func (mute) Files(context.Context, []record.Word) (iter.Seq[retrieve.FileScore], error) {
	return nil, nil
}
