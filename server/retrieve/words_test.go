package retrieve_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ambit/server/retrieve"
	"ambit/vectors/record"
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

// TestFewOfTheFilesThatOnlyTheirPathsNameAreKept asks about a word that the paths of many files
// have. Those are kept that are named by it alone.
func TestFewOfTheFilesThatOnlyTheirPathsNameAreKept(t *testing.T) {
	const many, named = 800, 3
	var files []file
	for i := range many {
		files = append(files, file{path: fmt.Sprintf("a/cart_%d.go", i), content: []byte("package a\n")})
	}
	for i := range named {
		files = append(files, file{path: fmt.Sprintf("z%d/cart.go", i), content: []byte("package z\n")})
	}
	ix := newWorkspace(t, files).index()
	ix.Text, ix.Vectors = mute{}, silent{}
	found, err := retrieve.Search(t.Context(), ix, retrieve.Question{Query: "where is the cart", Limit: 2 * many})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 50 || len(found) > many/2 {
		t.Errorf("%d of %d files are found, want a few hundred", len(found), many)
	}
	for i := range min(named, len(found)) {
		if want := record.Path(fmt.Sprintf("z%d/cart.go", i)); found[i].Path != want {
			t.Errorf("match %d is %s, want %s", i, found[i].Path, want)
		}
	}
}
