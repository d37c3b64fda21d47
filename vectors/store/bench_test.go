package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// The mean of a file of the Go standard library, and the dimension of the built-in
// embedder.
const (
	benchFiles  = 1000
	benchUnits  = 60 // 12 KB of text
	benchChunks = 10
	benchDim    = 256
	benchBatch  = 500
)

func benchRecords() (list []record.FileRecord, sourceBytes int) {
	for i := range benchFiles {
		r := storetest.Record(record.Path(fmt.Sprintf("src/pkg%d/file%04d.go", i/20, i)), storetest.Text(i, benchUnits), benchChunks)
		list = append(list, widen(r, benchDim))
		sourceBytes += len(r.Content)
	}
	return list, sourceBytes
}

// benchIndex returns an index of benchRecords and the keys of its chunks.
func benchIndex(b *testing.B) (*store.DB, []record.Key) {
	b.Helper()
	db := storetest.Open(b)
	list, _ := benchRecords()
	var all []record.Key
	for files := range slices.Chunk(list, benchBatch) {
		if err := db.Apply(b.Context(), &record.Batch{Files: files}, nil); err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			all = append(all, keys(f.File.Chunks)...)
		}
	}
	return db, all
}

func BenchmarkApply(b *testing.B) {
	list, source := benchRecords()
	b.Run(fmt.Sprintf("files=%d/chunks=%d", benchFiles, benchFiles*benchChunks), func(b *testing.B) {
		b.ReportAllocs()
		var stats store.Stats
		n := 0
		for b.Loop() {
			n++
			db, err := store.Open(filepath.Join(b.TempDir(), fmt.Sprint(n)), store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			for files := range slices.Chunk(list, benchBatch) {
				if err := db.Apply(b.Context(), &record.Batch{Files: files}, nil); err != nil {
					b.Fatal(err)
				}
			}
			if stats, err = storetest.Stats(b.Context(), db); err != nil {
				b.Fatal(err)
			}
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(benchFiles*b.N)/b.Elapsed().Seconds(), "files/s")
		b.ReportMetric(float64(stats.Bytes)/float64(source), "B/sourceB")
	})
	b.Run("save of 5 chunks", func(b *testing.B) {
		db, _ := benchIndex(b)
		r := widen(storetest.Record("src/pkg3/file0061.go", storetest.Text(61, 10), 5), benchDim)
		for b.Loop() {
			if err := db.Apply(b.Context(), &record.Batch{Files: []record.FileRecord{r}}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkLoadCodes compares reading the codes with copying as many bytes.
func BenchmarkLoadCodes(b *testing.B) {
	db, all := benchIndex(b)
	r := begin(b, db)
	codes := make([]byte, 0, len(all)*quantize.CodeBytes(benchDim))
	b.Run(fmt.Sprintf("rows=%d/d=%d", len(all), benchDim), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			codes = codes[:0]
			err := r.EachCodes(b.Context(), func(_ record.Key, c []byte, _ []float32) error {
				codes = append(codes, c...)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("memcpy", func(b *testing.B) {
		from := make([]byte, len(all)*quantize.CodeBytes(benchDim))
		for b.Loop() {
			codes = append(codes[:0], from...)
		}
		b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

func BenchmarkRead(b *testing.B) {
	db, all := benchIndex(b)
	r := begin(b, db)
	var some []record.Key // each from another file
	for i := 0; len(some) < 200; i += len(all) / 200 {
		some = append(some, all[i])
	}
	b.Run("chunks=200", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Chunks(b.Context(), some); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("vectors=200", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Vectors(b.Context(), some); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(fmt.Sprintf("files=%d", benchFiles), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Files(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("content", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Content(b.Context(), "src/pkg3/file0061.go"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecodeGraph(b *testing.B) {
	g := storetest.Record("a.go", storetest.Text(1, benchUnits), 10).Graph
	for i := range 15 { // to 150 edges with a few names each
		for j := range 10 {
			g.Edges = append(g.Edges, record.Edge{From: j, Name: fmt.Sprintf("name%d", i*j%40), Receiver: fmt.Sprintf("c.part%d", j),
				Kind: record.EdgeCalls, Count: 2, Lines: []int{i * j, i*j + 3}})
		}
	}
	data := store.EncodeGraph(&g)
	decode := map[string]func() (record.FileGraph, bool){
		"all": func() (record.FileGraph, bool) { return store.DecodeGraph(data) },
		"one": func() (record.FileGraph, bool) { return store.DecodeGraphTo(data, "name7") },
	}
	for name, decode := range decode {
		b.Run(fmt.Sprintf("symbols=%d/edges=%d/%s", len(g.Symbols), len(g.Edges), name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := decode(); !ok {
					b.Fatal("not decoded")
				}
			}
			b.ReportMetric(float64(len(data)), "B/graph")
		})
	}
}
