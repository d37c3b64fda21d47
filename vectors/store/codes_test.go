package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// fewDim and oneDim are dimensions of which few vectors and one vector make a block.
const (
	fewDim = 1024
	oneDim = 5000
)

// wideRecord returns a file of n chunks with vectors of dim components, which are 0 without
// words.
func wideRecord(path record.Path, dim, seed, n int, words bool) record.FileRecord {
	r := widen(storetest.Record(path, storetest.Text(seed, n), n), dim)
	if !words {
		for i := range r.Codes {
			r.Codes[i] = storetest.Codes(make([]float32, dim))[0]
		}
	}
	return r
}

func TestBlocksOfVectorsFollowTheFilesThatShareThem(t *testing.T) {
	for _, dim := range []int{fewDim, oneDim} {
		db := storetest.Open(t)
		m := model{files: map[record.Path]record.FileRecord{}}
		apply := func(b *record.Batch) {
			t.Helper()
			m.apply(t, db, b)
			m.check(t, db)
			if err := db.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		rng := rand.New(rand.NewPCG(1, 1))
		path := func(i int) record.Path { return record.Path(fmt.Sprintf("f%d.go", i)) }
		for i := range 40 { // files of 1 to 30 chunks, every fifth without words
			b := &record.Batch{Files: []record.FileRecord{wideRecord(path(rng.IntN(12)), dim, i, 1+rng.IntN(30), i%5 > 0)}}
			gone := path(rng.IntN(12))
			if _, ok := m.files[gone]; ok && i%3 == 0 && gone != b.Files[0].File.Path {
				b.Removed = append(b.Removed, gone)
			}
			apply(b)
		}
		if blocks, _, err := db.Blocks(); blocks == 0 || err != nil {
			t.Errorf("%d blocks, %v", blocks, err)
		}
		apply(&record.Batch{Removed: slices.Sorted(maps.Keys(m.files))})
		if blocks, _, err := db.Blocks(); blocks != 0 || err != nil {
			t.Errorf("%d blocks without a file, %v", blocks, err)
		}
		apply(&record.Batch{Files: []record.FileRecord{wideRecord("a.go", dim, 1, 20, true)}})
		if blocks, rows, err := db.Blocks(); blocks < 20/rows || blocks > 20/rows+2 || err != nil {
			t.Errorf("%d blocks of %d rows for 20 vectors, %v", blocks, rows, err)
		}
	}
}

// Parts of the index that have no vectors any more are passed over: a long life leaves many.
func TestThreadsReadAllPartsOfTheVectors(t *testing.T) {
	const files, chunks = 60, 30
	db := storetest.Open(t)
	kept := map[record.Key]bool{}
	for i := range files { // 1,800 blocks
		b := &record.Batch{Files: []record.FileRecord{wideRecord(record.Path(fmt.Sprintf("f%d.go", i%50)), oneDim, i, chunks, true)}}
		if err := db.Apply(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
		for j := range chunks {
			kept[b.Files[0].Chunks[j].Key] = true
		}
		for _, r := range b.Dropped {
			for j := range r.N {
				delete(kept, r.First+record.Key(j))
			}
		}
		if i == 29 { // the middle goes
			gone := &record.Batch{}
			for j := 5; j < 29; j++ {
				gone.Removed = append(gone.Removed, record.Path(fmt.Sprintf("f%d.go", j)))
			}
			if err := db.Apply(t.Context(), gone, nil); err != nil {
				t.Fatal(err)
			}
			for _, r := range gone.Dropped {
				for j := range r.N {
					delete(kept, r.First+record.Key(j))
				}
			}
		}
	}
	for _, threads := range []int{1, 2, 5} {
		last, seen := make([]record.Key, threads), make([]map[record.Key]bool, threads)
		for i := range seen {
			seen[i] = map[record.Key]bool{}
		}
		err := begin(t, db).EachCodesBy(t.Context(), threads, func(thread int, first record.Key, _ []byte, scales []float32) error {
			if first < last[thread] {
				t.Errorf("thread %d got key %d after %d", thread, first, last[thread])
			}
			last[thread] = first
			for i, scale := range scales {
				if scale != 0 {
					seen[thread][first+record.Key(i)] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all, n := map[record.Key]bool{}, 0
		for _, keys := range seen {
			n += len(keys)
			maps.Copy(all, keys)
		}
		if n != len(kept) || !maps.Equal(all, kept) {
			t.Errorf("%d threads saw %d vectors of %d", threads, n, len(kept))
		}
	}
	if blocks, rows, err := db.Blocks(); rows != 1 || blocks != len(kept) || err != nil {
		t.Errorf("%d blocks of %d rows, %v; want %d of one", blocks, rows, err, len(kept))
	}
}

func TestALostBlockOfVectorsIsErrCorrupt(t *testing.T) {
	db, err := store.Open(filepath.Join(t.TempDir(), "index.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, r := range map[string]record.FileRecord{
		"a.go": wideRecord("a.go", fewDim, 1, 20, true),
		"b.go": exactRecord("b.go", 20),
	} {
		if err := db.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{r}}, nil); err != nil {
			t.Fatal(err)
		}
		stored, ok, err := db.Record(t.Context(), r.File.Path)
		if !ok || err != nil || len(stored.Chunks) != 20 {
			t.Fatalf("%s: %t, %v", name, ok, err)
		}
	}
	reader := begin(t, db)
	rows, err := reader.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range storetest.Decode(rows) {
		key := f.Chunks.First + 10
		if err := db.DeleteBlock(key); err != nil {
			t.Fatal(err)
		}
		reader := begin(t, db)
		if _, err := reader.Vectors(t.Context(), []record.Key{key}); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("Vectors of %s: %v, want ErrCorrupt", f.Path, err)
		}
		if _, _, err := db.Record(t.Context(), f.Path); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("Record of %s: %v, want ErrCorrupt", f.Path, err)
		}
		err := reader.EachCodes(t.Context(), func(record.Key, []byte, []float32) error { return nil })
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("EachCodes: %v, want ErrCorrupt", err)
		}
	}
}

// exactRecord returns a file whose vectors are what their first level says.
func exactRecord(path record.Path, n int) record.FileRecord {
	r := wideRecord(path, fewDim, 2, n, true)
	for i := range r.Codes {
		v := make([]float32, fewDim)
		v[i], v[i+1] = 1, -1
		r.Codes[i] = storetest.Codes(v)[0]
	}
	return r
}
