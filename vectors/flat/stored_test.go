package flat_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/flat"
	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

// codes is a CodeReader over vectors with the keys 1, 2, …, in groups of some.
type codes struct {
	vectors [][]float32
	some    int
}

// EachCodesBy implements [flat.CodeReader].
func (s codes) EachCodesBy(_ context.Context, threads int, fn func(int, record.Key, []byte, []float32) error) error {
	var running sync.WaitGroup
	defer running.Wait()
	for thread := range threads {
		running.Go(func() {
			var row quantize.Row
			for from := s.some * thread; from < len(s.vectors); from += s.some * threads {
				var list []byte
				var scales []float32
				for _, v := range s.vectors[from:min(from+s.some, len(s.vectors))] {
					quantize.Quantize(v, &row)
					list, scales = append(list, row.Code...), append(scales, row.Scale)
				}
				if err := fn(thread, record.Key(from+1), list, scales); err != nil {
					panic(err)
				}
			}
		})
	}
	return nil
}

func TestStoredRowsAreFoundAsLoadedOnes(t *testing.T) {
	const n, dim = 10_000, 70
	rng := rand.New(rand.NewPCG(3, 3))
	vectors := randomVectors(rng, n, dim)
	vectors[17] = make([]float32, dim) // without words
	m := newModel(dim)
	m.apply(t, vectors)
	onDisk := flat.NewStored(dim)
	if next, err := onDisk.Apply(&record.Batch{Dropped: []record.KeyRange{{First: 1, N: n}}}); err != nil || next != onDisk {
		t.Fatalf("Apply = %p, %v; want %p: the store has the batch", next, err, onDisk)
	}

	// An overlay takes the place of three files, one of them twice.
	over := record.FileRecord{}
	for i, v := range randomVectors(rng, 5, dim) {
		key := record.Key(1<<31 + i)
		over.Chunks, over.Codes = append(over.Chunks, record.Chunk{Key: key}), append(over.Codes, storetest.Codes(v)...)
		m.floats.rows[key] = v
	}
	b := &record.Batch{Files: []record.FileRecord{over}, Dropped: []record.KeyRange{{First: 9000, N: 1001}, {First: 40, N: 2000}}}
	views := map[string][2]*flat.View{"no overlay": {m.view.Load(), onDisk}}
	loadedOver, err := m.view.Load().With(b)
	if err != nil {
		t.Fatal(err)
	}
	storedOver, err := onDisk.With(b)
	if err != nil {
		t.Fatal(err)
	}
	views["overlay"] = [2]*flat.View{loadedOver, storedOver}

	odd := func(k record.Key) bool { return k%2 == 1 }
	queries := append(randomVectors(rng, 5, dim), m.floats.rows[1<<31+3], vectors[100])
	for name, v := range views {
		for _, keep := range []func(record.Key) bool{nil, odd} {
			for i, q := range queries {
				want, err := v[0].Search(t.Context(), m.floats, q, 20, flat.Options{Keep: keep})
				if err != nil {
					t.Fatal(err)
				}
				for _, some := range []int{3, 4500} { // the second is more than a call of the kernel takes
					got, err := v[1].Search(t.Context(), m.floats, q, 20, flat.Options{Keep: keep, Stored: codes{vectors, some}})
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s, query %d, keep %t, %d at once (-loaded +stored):\n%s", name, i, keep != nil, some, diff)
					}
				}
			}
		}
	}
	if onDisk.Len() != 0 {
		t.Errorf("the view of stored rows keeps %d", onDisk.Len())
	}
}
