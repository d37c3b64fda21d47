package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// word draws strings that repeat, some of them common to all files.
func word(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom([]string{"", "a", "Execute", "function", "calls", "?"}), rapid.String()).Draw(t, "word")
}

func words(t *rapid.T) []string {
	var list []string
	for range rapid.IntRange(0, 4).Draw(t, "words") {
		list = append(list, word(t))
	}
	return list
}

// number draws small numbers and all others.
func number(t *rapid.T) int {
	return rapid.OneOf(rapid.IntRange(-1, 300), rapid.Int()).Draw(t, "number")
}

func span(t *rapid.T) record.Span { return record.Span{Start: number(t), End: number(t)} }

func lines(t *rapid.T) record.Lines { return record.Lines{First: number(t), Last: number(t)} }

func TestGraphsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := record.FileGraph{Language: word(t), Package: word(t), Test: rapid.Bool().Draw(t, "test")}
		for range rapid.IntRange(0, 6).Draw(t, "symbols") {
			g.Symbols = append(g.Symbols, record.Symbol{
				Name: word(t), Qualified: word(t), Kind: record.Kind(word(t)), Role: record.Kind(word(t)), Parent: number(t), Container: word(t),
				Span: span(t), Header: span(t), Body: span(t), Doc: span(t), NameSpan: span(t), Lines: lines(t), NameLine: number(t),
				Signature: word(t), Type: word(t), Bases: words(t), Exported: rapid.Bool().Draw(t, "exported"), Test: rapid.Bool().Draw(t, "test"),
			})
		}
		for range rapid.IntRange(0, 6).Draw(t, "edges") {
			e := record.Edge{From: number(t), Name: word(t), Receiver: word(t), Kind: record.EdgeKind(word(t)), Arguments: word(t), Count: number(t)}
			for range rapid.IntRange(0, 3).Draw(t, "lines") {
				e.Lines = append(e.Lines, number(t))
			}
			g.Edges = append(g.Edges, e)
		}
		for range rapid.IntRange(0, 3).Draw(t, "imports") {
			g.Imports = append(g.Imports, record.Import{Path: word(t), Name: word(t), Local: word(t), Line: number(t), Exported: rapid.Bool().Draw(t, "exported")})
		}
		for range rapid.IntRange(0, 3).Draw(t, "filters") {
			g.Filters = append(g.Filters, record.Filter{Class: rapid.IntRange(0, 300).Draw(t, "class"), Skip: rapid.Bool().Draw(t, "skip"),
				Names: words(t), Methods: words(t), Only: words(t), Except: words(t)})
		}
		got, ok := store.DecodeGraph(store.EncodeGraph(&g))
		if diff := cmp.Diff(g, got); diff != "" || !ok {
			t.Fatalf("ok %v (-want +got):\n%s", ok, diff)
		}
		name := word(t)
		part, ok := store.DecodeGraphTo(store.EncodeGraph(&g), name)
		g.Edges = slices.DeleteFunc(g.Edges, func(e record.Edge) bool { return e.Name != name })
		if diff := cmp.Diff(g, part, cmpopts.EquateEmpty()); diff != "" || !ok {
			t.Fatalf("the edges to %q: ok %v (-want +got):\n%s", name, ok, diff)
		}
	})
}

func TestChunksComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := record.Path(word(t))
		var chunks []record.Chunk
		for i := range rapid.IntRange(1, 48).Draw(t, "chunks") {
			c := record.Chunk{
				Key: record.Key(i + 1), Path: path, Language: word(t), Kind: record.Kind(word(t)), Name: word(t), Unit: word(t), Scope: word(t),
				Section: word(t), Signature: word(t), IsSummary: rapid.Bool().Draw(t, "summary"), Span: span(t), Lines: lines(t),
				Prefix: word(t), Suffix: word(t), Tokens: number(t), Defines: words(t), Imports: words(t), Siblings: words(t),
			}
			for range rapid.IntRange(0, 3).Draw(t, "also") {
				c.Also = append(c.Also, record.Place{Span: span(t), Lines: lines(t)})
			}
			c.ID[3], c.EmbedHash[0] = byte(i), byte(i+2)
			if rapid.Bool().Draw(t, "doc") {
				c.Doc = &record.DocMeta{Title: word(t), Headings: words(t), Level: number(t), Tags: words(t), Layer: word(t),
					UpdatedAt: word(t), CodeRefs: words(t), Links: words(t), Index: number(t), Total: number(t)}
			}
			chunks = append(chunks, c)
		}
		skip := rapid.Uint64().Draw(t, "skip")
		got, ok := store.DecodeChunks(store.EncodeChunks(path, chunks), func(i int) bool { return skip>>i&1 == 1 })
		for i := range chunks {
			if skip>>i&1 == 1 {
				chunks[i] = record.Chunk{}
			}
		}
		if diff := cmp.Diff(chunks, got); diff != "" || !ok {
			t.Fatalf("ok %v (-want +got):\n%s", ok, diff)
		}
	})
}

// FuzzDecode holds the promise that arbitrary bytes never make a codec panic, and
// that what does decode can be encoded again.
func FuzzDecode(f *testing.F) {
	r := storetest.Record("dir/a.go", storetest.Text(1, 5), 5)
	f.Add(store.EncodeGraph(&r.Graph))
	f.Add(store.EncodeChunks("dir/a.go", r.Chunks))
	f.Add(store.EncodeHistory(&record.History{Head: "x", Pairs: []record.CoChange{{A: "a", B: "b", Weight: 0.5}}}))
	f.Add([]byte{})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})
	f.Add([]byte{0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if g, ok := store.DecodeGraph(b); ok {
			again, ok := store.DecodeGraph(store.EncodeGraph(&g))
			if diff := cmp.Diff(g, again); diff != "" || !ok {
				t.Errorf("graph: ok %v (-want +got):\n%s", ok, diff)
			}
		}
		store.DecodeGraphTo(b, "name")
		if chunks, ok := store.DecodeChunks(b, func(int) bool { return false }); ok {
			again, ok := store.DecodeChunks(store.EncodeChunks(chunks[0].Path, chunks), func(int) bool { return false })
			if diff := cmp.Diff(chunks, again); diff != "" || !ok {
				t.Errorf("chunks: ok %v (-want +got):\n%s", ok, diff)
			}
		}
		store.DecodeChunks(b, func(i int) bool { return i%2 == 0 })
		store.DecodeHistory(b)
		store.OpenRows(b, 2)
	})
}
