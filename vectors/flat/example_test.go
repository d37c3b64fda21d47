package flat_test

import (
	"context"
	"fmt"

	"ambit/vectors/flat"
	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

// stored is a FloatReader; an index reads them from a store.
type stored map[record.Key][]float32

func (s stored) Vectors(_ context.Context, keys []record.Key) ([][]float32, error) {
	vectors := make([][]float32, len(keys))
	for i, k := range keys {
		vectors[i] = s[k]
	}
	return vectors, nil
}

func ExampleView_Search() {
	vectors := stored{1: {1, 0}, 2: {0, 1}, 3: {1, 1}}
	file := record.FileRecord{
		Chunks: []record.Chunk{{Key: 1}, {Key: 2}, {Key: 3}},
		Codes:  storetest.Codes(vectors[1], vectors[2], vectors[3]),
	}
	view, err := flat.New(2).Apply(&record.Batch{Files: []record.FileRecord{file}})
	if err != nil {
		fmt.Println(err)
		return
	}
	hits, err := view.Search(context.Background(), vectors, []float32{1, 0.1}, 2, flat.Options{})
	for _, h := range hits {
		fmt.Printf("%d %.2f\n", h.Key, h.Score)
	}
	fmt.Println(err)
	// Output:
	// 1 1.00
	// 3 0.77
	// <nil>
}

// An overlay leaves the view that it is made of as it is.
func ExampleView_With() {
	vectors := stored{1: {1, 0}, 2: {0, 1}}
	file := func(key record.Key) record.FileRecord {
		return record.FileRecord{Chunks: []record.Chunk{{Key: key}}, Codes: storetest.Codes(vectors[key])}
	}
	saved, _ := flat.New(2).Apply(&record.Batch{Files: []record.FileRecord{file(1)}})
	edited, _ := saved.With(&record.Batch{Files: []record.FileRecord{file(2)}, Dropped: []record.KeyRange{{First: 1, N: 1}}})
	for _, view := range []*flat.View{saved, edited} {
		hits, err := view.Search(context.Background(), vectors, []float32{1, 1}, 5, flat.Options{})
		fmt.Println(len(hits), hits[0].Key, err)
	}
	// Output:
	// 1 1 <nil>
	// 1 2 <nil>
}
