package retrieve_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"ambit/server/retrieve"
)

func TestTheFirstOfAListAreThoseOfTheSortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		list := make([]int, rng.IntN(50))
		for i := range list {
			list[i] = rng.IntN(40)
		}
		n := 1 + rng.IntN(12)
		want := slices.Sorted(slices.Values(list))
		want = want[:min(n, len(want))]
		if got := retrieve.First(list, n, cmp.Compare[int]); !slices.Equal(got, want) {
			t.Fatalf("the first %d of %v are %v, want %v", n, list, got, want)
		}
	}
}
