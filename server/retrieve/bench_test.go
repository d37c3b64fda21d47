package retrieve_test

import (
	"bytes"
	"testing"

	"ambit/server/retrieve"
)

// BenchmarkContext asks at each function of one file of the ranked modules, and one
// question in words.
func BenchmarkContext(b *testing.B) {
	sources := moduleSources(b)
	ix := newWorkspace(b, sources).index()
	var cursors []retrieve.Cursor
	for _, f := range sources {
		for at := 0; f.path == "bbolt/db.go"; {
			i := bytes.Index(f.content[at:], []byte("\nfunc "))
			if i < 0 {
				break
			}
			at += i + len("\nfunc ")
			cursors = append(cursors, retrieve.Cursor{Path: "bbolt/db.go", Offset: at})
		}
	}
	b.Run("at", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			r, err := retrieve.At(b.Context(), ix, cursors[n%len(cursors)])
			if err != nil || len(r.Candidates) == 0 {
				b.Fatalf("%d candidates, %v", len(r.Candidates), err)
			}
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "answers/s")
	})
	b.Run("search", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			if _, err := retrieve.Search(b.Context(), ix, retrieve.Question{Query: "how are views saved and restored"}); err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "answers/s")
	})
}
