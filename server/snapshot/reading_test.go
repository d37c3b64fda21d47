package snapshot_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"unsafe"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// TestAQuestionReadsUpToALimit asks about a function that is used in files of so many
// symbols that the question would hold 200 MB of them.
func TestAQuestionReadsUpToALimit(t *testing.T) {
	const nFiles, limit = 14, 128 << 20
	nSymbols := 15 << 20 / int(unsafe.Sizeof(record.Symbol{}))
	p := newPlace(t)
	text := []byte("package shop\n\nfunc shared() {}\n")
	var b record.Batch
	for i := range nFiles {
		path := record.Path(fmt.Sprintf("%02d.go", i))
		g := record.FileGraph{Path: path, Language: "go", Package: "shop"}
		if i == 0 {
			at := record.Span{Start: 14, End: len(text) - 1}
			g.Symbols = []record.Symbol{{Name: "shared", Qualified: "shared", Kind: record.KindFunction, Parent: -1, Span: at, Header: at, NameSpan: record.Span{Start: 19, End: 25}, Lines: record.Lines{First: 3, Last: 3}, NameLine: 3}}
		} else {
			user := record.Symbol{Name: "user", Qualified: "user", Kind: record.KindFunction, Parent: -1, Span: record.Span{Start: 14, End: len(text) - 1}, Lines: record.Lines{First: 3, Last: 3}}
			g.Symbols = append(make([]record.Symbol, 0, nSymbols), user)
			for range nSymbols - 1 {
				g.Symbols = append(g.Symbols, record.Symbol{Name: "a", Kind: record.KindVariable, Parent: -1})
			}
			g.Edges = []record.Edge{{From: 0, Name: "shared", Kind: record.EdgeCalls, Count: 1, Lines: []int{3}}}
		}
		b.Files = append(b.Files, record.FileRecord{File: record.File{Path: path, Language: "go", Hash: record.Hash{byte(i)}}, Content: text, Graph: g})
	}
	p.must(p.index.Apply(t.Context(), &b))
	v := p.take()
	defer v.Release()
	r, err := retrieve.At(t.Context(), v.Index(p.embed), retrieve.Cursor{Path: "00.go", Offset: 20})
	p.must(err)
	users := 0
	for _, c := range r.Candidates {
		if c.Role == retrieve.RoleUsedBy {
			users++
		}
	}
	if most := limit>>20/15 + 1; users == 0 || users > most {
		t.Errorf("the answer has %d of %d users, want 1 to %d", users, nFiles-1, most)
	}
	if _, err := v.Reading().Content(t.Context(), "13.go"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file beyond the limit: %v, want %v", err, fs.ErrNotExist)
	}
	if got, err := v.Reading().Content(t.Context(), "00.go"); string(got) != string(text) {
		t.Errorf("a file read before the limit: %q, %v", got, err)
	}
	if chunks, err := v.Reading().FileChunks(t.Context(), "13.go"); len(chunks) > 0 || err != nil {
		t.Errorf("the chunks of a file beyond the limit: %d, %v", len(chunks), err)
	}
	other := p.take()
	defer other.Release()
	if got, err := other.Reading().Content(t.Context(), "13.go"); string(got) != string(text) {
		t.Errorf("the next question reads %q, %v", got, err)
	}
}
