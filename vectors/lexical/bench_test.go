package lexical_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// generate returns batches of n chunks in all, of about 850 bytes, and the bytes of
// their text. Words follow Zipf's law, each file has some of its own.
func generate(n int) (batches []*record.Batch, size int) {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.2, 8, 200_000)
	word := func(w *bytes.Buffer, id uint64) {
		for id = (id + 3) * 331; id > 0; id /= 24 {
			w.WriteByte("etaoinsrhldcumfpgwybvkxj"[id%24])
		}
	}
	for key := record.Key(1); int(key) <= n; {
		if len(batches) == 0 || len(batches[len(batches)-1].Files) == 500 {
			batches = append(batches, &record.Batch{})
		}
		f := record.FileRecord{File: record.File{Path: record.Path(fmt.Sprintf("src/lib%d/file%d.go", key%97, key))}}
		var text bytes.Buffer
		own := r.Uint64N(1 << 30)
		for c := 0; c < 13 && int(key) <= n; c++ {
			start := text.Len()
			for range 110 {
				id := zipf.Uint64()
				if r.IntN(20) == 0 {
					id = own + r.Uint64N(12)
				}
				word(&text, id)
				if id%4 == 0 {
					text.WriteByte('_')
					word(&text, id*7919%200_000)
				}
				text.WriteString([]string{" ", "(", ".", ",\n\t"}[r.IntN(4)])
			}
			f.Chunks = append(f.Chunks, record.Chunk{Key: key, Path: f.File.Path, Span: record.Span{Start: start, End: text.Len()}})
			key++
		}
		f.Content = text.Bytes()
		size += len(f.Content)
		last := batches[len(batches)-1]
		last.Files = append(last.Files, f)
	}
	return batches, size
}

func build(b *testing.B, batches []*record.Batch) *lexical.View {
	v := lexical.New()
	for _, batch := range batches {
		var err error
		if v, err = v.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	return v
}

// merged returns the view as a restart gives it: in one segment.
func merged(b *testing.B, v *lexical.View) *lexical.View {
	v, err := lexical.Restore(slices.Concat(v.Encode()...), []record.KeyRange{{First: 1, N: v.Len()}})
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func BenchmarkBuild(b *testing.B) {
	b.Run("n=20000", func(b *testing.B) {
		batches, size := generate(20_000)
		b.SetBytes(int64(size))
		b.ReportAllocs()
		var blob []byte
		for b.Loop() {
			blob = slices.Concat(build(b, batches).Encode()...)
		}
		b.ReportMetric(float64(len(blob))/float64(size), "B/source-B")
	})
}

func BenchmarkSearch(b *testing.B) {
	batches, _ := generate(100_000)
	v := merged(b, build(b, batches))
	text := string(batches[0].Files[0].Content)
	for _, terms := range []int{3, 10} {
		b.Run(fmt.Sprintf("n=100000/terms=%d", terms), func(b *testing.B) {
			query, words := "", lexical.Tokens(text)
			for i := 0; len(lexical.QueryTerms(query)) < terms; i += 7 {
				query += " " + words[i]
			}
			postings := v.Postings(query)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Search(b.Context(), query, 100, lexical.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(postings)*float64(b.N)/b.Elapsed().Seconds(), "postings/s")
		})
	}
}

func BenchmarkRestore(b *testing.B) {
	batches, _ := generate(100_000)
	blob := slices.Concat(build(b, batches).Encode()...)
	live := []record.KeyRange{{First: 1, N: 100_000}}
	b.Run("n=100000", func(b *testing.B) {
		b.SetBytes(int64(len(blob)))
		for b.Loop() {
			if _, err := lexical.Restore(blob, live); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("memcpy of the same", func(b *testing.B) {
		to := make([]byte, len(blob))
		b.SetBytes(int64(len(blob)))
		for b.Loop() {
			copy(to, blob)
		}
	})
}

func BenchmarkSave(b *testing.B) {
	batches, _ := generate(100_000)
	v := merged(b, build(b, batches))
	f := batches[0].Files[0]
	next := record.Key(100_001)
	b.Run("n=100000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			batch := &record.Batch{Dropped: []record.KeyRange{{First: f.Chunks[0].Key, N: len(f.Chunks)}}}
			for i := range f.Chunks {
				f.Chunks[i].Key = next
				next++
			}
			batch.Files = []record.FileRecord{f}
			var err error
			if v, err = v.Apply(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(v.Bytes())/float64(v.Len()), "B/row")
	})
}
