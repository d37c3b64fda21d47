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

// fewDim is a dimension of which few vectors make a block.
const fewDim = 1024

// recordOfFew returns a file of n chunks with vectors of fewDim components, which are 0
// without words.
func recordOfFew(path record.Path, seed, n int, words bool) record.FileRecord {
	r := widen(storetest.Record(path, storetest.Text(seed, n), n), fewDim)
	if !words {
		for i := range r.Codes {
			r.Codes[i] = storetest.Codes(make([]float32, fewDim))[0]
		}
	}
	return r
}

func TestBlocksOfVectorsFollowTheFilesThatShareThem(t *testing.T) {
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
		b := &record.Batch{Files: []record.FileRecord{recordOfFew(path(rng.IntN(12)), i, 1+rng.IntN(30), i%5 > 0)}}
		gone := path(rng.IntN(12))
		if _, ok := m.files[gone]; ok && i%3 == 0 && gone != b.Files[0].File.Path {
			b.Removed = append(b.Removed, gone)
		}
		apply(b)
	}
	apply(&record.Batch{Removed: slices.Sorted(maps.Keys(m.files))})
	if blocks, _, err := db.Blocks(); blocks != 0 || err != nil {
		t.Errorf("%d blocks without a file, %v", blocks, err)
	}
	apply(&record.Batch{Files: []record.FileRecord{recordOfFew("a.go", 1, 20, true)}})
	if blocks, rows, err := db.Blocks(); blocks < 20/rows || blocks > 20/rows+2 || err != nil {
		t.Errorf("%d blocks of %d rows for 20 vectors, %v", blocks, rows, err)
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
	r := recordOfFew("a.go", 1, 20, true)
	if err := db.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{r}}, nil); err != nil {
		t.Fatal(err)
	}
	key := record.Key(10)
	if err := db.DeleteBlock(key); err != nil {
		t.Fatal(err)
	}
	reader := begin(t, db)
	if _, err := reader.Vectors(t.Context(), []record.Key{key}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Vectors: %v, want ErrCorrupt", err)
	}
	err = reader.EachCodes(t.Context(), func(record.Key, []byte, []float32) error { return nil })
	if !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("EachCodes: %v, want ErrCorrupt", err)
	}
	if _, _, err := db.Record(t.Context(), "a.go"); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Record: %v, want ErrCorrupt", err)
	}
}
