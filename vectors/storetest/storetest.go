// Package storetest gives tests an index that is thrown away, and files to fill it
// with. It is imported by tests only.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// Dim is the dimension of the vectors that Record makes.
const Dim = 32

// Open returns a new index in a folder of the test. When the test ends the index
// is checked and closed.
func Open(t testing.TB) *store.DB {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "index.db"))
}

// OpenAt is [Open] for a file that may exist.
func OpenAt(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Close(t, db) })
	return db
}

// Close checks the index and closes it. A Reader that is still open is an error, as the
// index would wait for it. An index that is closed already is fine.
func Close(t testing.TB, db *store.DB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // which is done when cleanups run
	if st, err := Stats(ctx, db); err == nil && st.Readers > 1 {
		t.Fatalf("%d readers are still open", st.Readers-1)
	}
	if err := Check(ctx, db); err != nil && !errors.Is(err, store.ErrClosed) {
		t.Errorf("the index does not hold together: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Stats returns the counts of the latest state.
func Stats(ctx context.Context, db *store.DB) (store.Stats, error) {
	r, err := db.Begin(ctx)
	if err != nil {
		return store.Stats{}, err
	}
	defer r.Close()
	return r.Stats(ctx)
}

// Files returns the files of the latest state.
func Files(ctx context.Context, db *store.DB) ([]record.File, error) {
	r, err := db.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rows, err := r.Files(ctx)
	return Decode(rows), err
}

// Decode returns the files of rows.
func Decode(rows []record.Row) []record.File {
	var files []record.File
	for _, r := range rows {
		files = append(files, r.File())
	}
	return files
}

// Rows is the inverse of [Decode].
func Rows(files []record.File) []record.Row {
	var rows []record.Row
	for i := range files {
		rows = append(rows, record.RowOf(&files[i]))
	}
	return rows
}

// Text returns n functions of Go, content for [Record] where the content does not
// matter. It is the same for the same arguments.
func Text(seed, n int) []byte {
	words := strings.Fields("parse token cache index reader writer buffer chunk vector graph query result open close state batch")
	rng := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
	var b strings.Builder
	fmt.Fprintf(&b, "package p%d\n", seed)
	for i := range n {
		word := func() string { return words[rng.IntN(len(words))] }
		fmt.Fprintf(&b, "\n// %s%d %ss the %s of a %s.\nfunc %s%d(%s int) int {\n", word(), i, word(), word(), word(), word(), i, word())
		for range 1 + rng.IntN(8) {
			fmt.Fprintf(&b, "\t%s := %s(%s, %d)\n", word(), word(), word(), rng.IntN(1000))
		}
		b.WriteString("\treturn 0\n}\n")
	}
	return []byte(b.String())
}

// Record returns a file that holds together: content in n chunks with hashes, unit
// vectors of Dim components that depend on the text, a symbol per chunk and some
// edges. It is the same for the same arguments. An n of 0 gives one chunk, unless
// content is empty.
func Record(path record.Path, content []byte, n int) record.FileRecord {
	r := record.FileRecord{
		File: record.File{
			Path: path, Size: int64(len(content)), ModTime: 1_700_000_000_000_000_000 + int64(len(content)),
			Hash: sha256.Sum256(content), Language: "go",
		},
		Content: content,
		Graph:   record.FileGraph{Path: path, Language: "go", Package: "p", Imports: []record.Import{{Path: "fmt", Local: "fmt", Line: 3}}},
	}
	n = min(max(n, 1), len(content))
	line := 1
	for i := range n {
		span := record.Span{Start: i * len(content) / n, End: (i + 1) * len(content) / n}
		text := string(content[span.Start:span.End])
		last := line + strings.Count(text, "\n")
		c := chunk(path, i, span, text)
		c.Lines = record.Lines{First: line, Last: last}
		r.Chunks = append(r.Chunks, c)
		r.Codes = append(r.Codes, Codes(Vector(text))...)
		r.Embedded++
		r.Graph.Symbols = append(r.Graph.Symbols, symbol(&c))
		for j := range 5 {
			r.Graph.Edges = append(r.Graph.Edges, record.Edge{From: i, Name: fmt.Sprintf("unit%d", (i+j)%n), Receiver: "p",
				Kind: record.EdgeCalls, Count: 1 + j, Lines: []int{line}})
		}
		line = last
	}
	return r
}

func chunk(path record.Path, i int, span record.Span, text string) record.Chunk {
	name := fmt.Sprintf("unit%d", i)
	c := record.Chunk{
		Path: path, Language: "go", Kind: record.KindFunction, Name: name, Unit: name, Scope: "p",
		Signature: "func " + name + "() int", Span: span,
		Prefix: fmt.Sprintf("# Unit: %s (function)\n# File: %s\n", name, path), Tokens: len(text) / 4,
		Defines: []string{name}, Imports: []string{"fmt"}, Siblings: []string{fmt.Sprintf("func unit%d() int", i+1)},
	}
	id := sha256.Sum256([]byte(string(path) + "\x00" + name))
	copy(c.ID[:], id[:])
	c.EmbedHash = record.HashText([]byte(c.Prefix + text + c.Suffix))
	return c
}

func symbol(c *record.Chunk) record.Symbol {
	return record.Symbol{
		Name: c.Name, Qualified: c.Unit, Kind: c.Kind, Parent: -1, Span: c.Span,
		Header: record.Span{Start: c.Span.Start, End: c.Span.End}, NameSpan: c.Span,
		Lines: c.Lines, NameLine: c.Lines.First, Signature: c.Signature, Type: "int", Exported: true,
	}
}

// Vector returns a unit vector of Dim components that depends on text alone.
func Vector(text string) []float32 {
	sum := sha256.Sum256([]byte(text))
	v, norm := make([]float32, Dim), 0.0
	for i := range v {
		v[i] = float32(int8(sum[i%len(sum)])) + 0.5
		norm += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(norm))
	}
	return v
}

// Codes returns the codes of vectors, one each, as a record holds them.
func Codes(vectors ...[]float32) []record.Codes {
	codes := make([]record.Codes, len(vectors))
	for i, v := range vectors {
		var row quantize.Row
		quantize.Quantize(v, &row)
		codes[i] = record.Codes(row)
	}
	return codes
}
