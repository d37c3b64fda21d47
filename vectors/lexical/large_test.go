package lexical_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// TestLargeSegmentsStayAsTheyAre guards the peak of a cold index: a merge takes as much memory
// as its result, for a moment, and so did Encode.
func TestLargeSegmentsStayAsTheyAre(t *testing.T) {
	const rows = 200_000
	v, next := lexical.New(), record.Key(1)
	add := func(n int, text string) {
		f := file(next, record.Path(text+".go"), "", text)
		f.Chunks = slices.Repeat(f.Chunks, n)
		for i := range f.Chunks {
			f.Chunks[i].Key = next
			next++
		}
		v = apply(t, v, &record.Batch{Files: []record.FileRecord{f}})
	}
	add(rows, "alpha")
	add(rows, "beta")
	large := v.Encode()
	for i := range 20 { // so many that they are merged again and again
		add(1, fmt.Sprintf("small%d", i))
	}
	pieces := v.Encode()
	if len(large) != 2 || len(pieces) != 3 {
		t.Fatalf("%d segments, then %d, want 2 and 3", len(large), len(pieces))
	}
	for i, blob := range large {
		if &pieces[i][0] != &blob[0] {
			t.Errorf("large segment %d is another one", i)
		}
	}
	restored, err := lexical.Restore(slices.Concat(pieces...), []record.KeyRange{{First: 1, N: int(next)}})
	if err != nil || restored.Len() != 2*rows+20 {
		t.Fatalf("Restore: %d rows, %v", restored.Len(), err)
	}
	for _, query := range []string{"alpha", "beta small3", "small19"} {
		if diff := gocmp.Diff(search(t, v, query, 9), search(t, restored, query, 9)); diff != "" {
			t.Errorf("Search(%q) (-before +restored):\n%s", query, diff)
		}
	}
}
