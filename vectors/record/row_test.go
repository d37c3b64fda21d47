package record_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/vectors/record"
)

// word draws strings that repeat, and any others.
func word(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom([]string{"", "a", "go", "generated"}), rapid.String()).Draw(t, "word")
}

// number draws small numbers and all others.
func number(t *rapid.T) int {
	return rapid.OneOf(rapid.IntRange(-1, 300), rapid.Int()).Draw(t, "number")
}

func TestRowsSayWhatTheirFilesDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFile(t)
		var all record.Rows
		for range rapid.IntRange(0, 2).Draw(t, "rows before") {
			if _, ok := all.Add([]byte("other"), record.AppendRow(nil, &record.File{Language: "go"})); !ok {
				t.Fatal("a plain row is refused")
			}
		}
		r, ok := all.Add([]byte(f.Path), record.AppendRow(nil, &f))
		if diff := cmp.Diff(f, r.File()); diff != "" || !ok {
			t.Fatalf("ok %v (-want +got):\n%s", ok, diff)
		}
		if diff := cmp.Diff(f, record.RowOf(&f).File()); diff != "" {
			t.Fatalf("a row alone (-want +got):\n%s", diff)
		}
		checkParts(t, r, &f)
	})
}

// checkParts compares what each method says with the file.
func checkParts(t *rapid.T, r record.Row, f *record.File) {
	bare := *f
	bare.CrossFile, bare.Traits = nil, nil
	same := map[string]bool{
		"bare": cmp.Equal(bare, r.Bare()), "path": r.Path() == f.Path, "size": r.Size() == f.Size, "time": r.ModTime() == f.ModTime, "key": r.Key() == f.Key,
		"chunks": r.Chunks() == f.Chunks, "hash": r.Hash() == f.Hash, "indexed": r.Indexed() == (f.LeftOut == ""), "left out": r.LeftOut() == f.LeftOut,
		"generation": r.Generation() == f.Generation, "language": r.Language() == f.Language, "masked": r.Masked() == f.Masked,
		"cross-file": cmp.Equal(r.CrossFile(), f.CrossFile), "traits": r.HasTraits() == (f.Traits != nil),
	}
	traits := f.Traits
	if traits == nil {
		traits = &record.Traits{}
	}
	same["document"] = cmp.Equal(r.Doc(), traits.Doc)
	for i := -1; i <= len(traits.Kinds); i++ {
		k, ok := r.Kinds(i)
		within := i >= 0 && i < len(traits.Kinds)
		same[fmt.Sprint("kind ", i)] = ok == within && (!within || k == traits.Kinds[i])
	}
	for _, id := range append(traits.IDs, 0, 1) {
		same[fmt.Sprint("id ", id)] = r.HasID(id) == slices.Contains(traits.IDs, id)
	}
	for what, ok := range same {
		if !ok {
			t.Errorf("the row says another %s", what)
		}
	}
}

// drawFile draws a file with any parts.
func drawFile(t *rapid.T) record.File {
	f := record.File{
		Path: record.Path(word(t)), Key: record.Key(rapid.Uint32().Draw(t, "key")), Size: rapid.Int64().Draw(t, "size"), ModTime: rapid.Int64().Draw(t, "time"),
		Language: word(t), LeftOut: word(t), Partial: word(t), Generation: rapid.Uint64().Draw(t, "generation"), Masked: number(t),
		Chunks: record.KeyRange{First: record.Key(rapid.Uint32().Draw(t, "first")), N: rapid.IntRange(0, math.MaxInt32).Draw(t, "n")},
	}
	f.Hash[7] = 7
	if rapid.Bool().Draw(t, "cross-file") {
		f.CrossFile = &record.CrossFile{Enriched: record.Hash{3}}
		kind := func() record.ExportKind { return record.ExportKind(rapid.Byte().Draw(t, "kind")) }
		for range rapid.IntRange(0, 3).Draw(t, "exports") {
			f.CrossFile.Exports = append(f.CrossFile.Exports, record.Export{Kind: kind(), Path: word(t), From: word(t), Brief: word(t), Text: word(t)})
		}
		for range rapid.IntRange(0, 3).Draw(t, "references") {
			f.CrossFile.References = append(f.CrossFile.References, record.Reference{Kind: kind(), Path: word(t), From: word(t), Chunk: number(t), Prefix: number(t), Suffix: number(t), TextBytes: number(t)})
		}
	}
	if rapid.Bool().Draw(t, "traits") {
		f.Traits = &record.Traits{}
		for range rapid.IntRange(0, 4).Draw(t, "kinds") {
			f.Traits.Kinds = append(f.Traits.Kinds, record.KindSet(rapid.Uint32().Draw(t, "kind")))
		}
		for range rapid.IntRange(0, 4).Draw(t, "ids") {
			f.Traits.IDs = append(f.Traits.IDs, rapid.Uint16().Draw(t, "id"))
		}
		doc := record.DocTraits{Layer: word(t)}
		for range rapid.IntRange(0, 3).Draw(t, "tags") {
			doc.Tags = append(doc.Tags, word(t))
		}
		if doc.Layer != "" || doc.Tags != nil {
			f.Traits.Doc = &doc
		}
	}
	return f
}

// FuzzRows holds the promise that a row of arbitrary bytes is refused, or is that of a file.
func FuzzRows(f *testing.F) {
	file := record.File{Path: "dir/a.go", Language: "go", Size: 7, Traits: &record.Traits{Kinds: []record.KindSet{3}, IDs: []uint16{4}, Doc: &record.DocTraits{Layer: "l", Tags: []string{"t"}}}}
	f.Add([]byte("dir/a.go"), record.AppendRow(nil, &file))
	file.CrossFile = &record.CrossFile{Exports: []record.Export{{Kind: record.ExportMixin, Path: "A"}}, References: []record.Reference{{Path: "B", Chunk: 1}}}
	f.Add([]byte("dir/a.go"), record.AppendRow(nil, &file))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, path, value []byte) {
		r, ok := new(record.Rows).Add(path, value)
		if !ok {
			return
		}
		file := r.File()
		if diff := cmp.Diff(file, record.RowOf(&file).File()); diff != "" {
			t.Errorf("the row of its file is that of another (-want +got):\n%s", diff)
		}
	})
}
