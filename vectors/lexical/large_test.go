package lexical_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// repeated returns a file that has a text in n chunks, with keys from first on.
func repeated(first record.Key, text string, n int) record.FileRecord {
	f := file(first, record.Path(text+".go"), "", text)
	f.Chunks = slices.Repeat(f.Chunks, n)
	for i := range f.Chunks {
		f.Chunks[i].Key = first + record.Key(i)
	}
	return f
}

// TestLargeSegmentsStayAsTheyAre guards the peak of a cold index: a merge takes as much memory
// as its result, for a moment, and so did Encode.
func TestLargeSegmentsStayAsTheyAre(t *testing.T) {
	const rows = 200_000
	v, next := lexical.New(), record.Key(1)
	add := func(n int, text string) {
		f := repeated(next, text, n)
		next += record.Key(n)
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

// TestALargeSegmentWithFewDeadRowsStaysAsItIs guards the cost of saving the view after a
// checkout.
func TestALargeSegmentWithFewDeadRowsStaysAsItIs(t *testing.T) {
	const rows = 300_000
	f := repeated(1, "alpha", rows)
	other := file(rows+1, "beta.go", "", "beta alpha")
	v := apply(t, lexical.New(), &record.Batch{Files: []record.FileRecord{f, other}})
	large := v.Encode()[0]
	for _, tt := range []struct {
		dead int
		same bool
	}{{10, true}, {rows/4 + 1, false}} {
		next, err := v.With(t.Context(), &record.Batch{Dropped: []record.KeyRange{{First: 5, N: tt.dead}}})
		if err != nil {
			t.Fatal(err)
		}
		pieces := next.Encode()
		if same := &pieces[0][0] == &large[0]; same != tt.same {
			t.Errorf("%d dead rows: the segment is the same: %t, want %t", tt.dead, same, tt.same)
		}
		live := []record.KeyRange{{First: 1, N: 4}, {First: record.Key(5 + tt.dead), N: rows - 4 - tt.dead}, {First: rows + 1, N: 1}}
		restored, err := lexical.Restore(slices.Concat(pieces...), live)
		if err != nil || restored.Len() != next.Len() {
			t.Fatalf("Restore: %d rows, %v, want %d", restored.Len(), err, next.Len())
		}
		for _, query := range []string{"alpha", "beta"} {
			if diff := gocmp.Diff(search(t, next, query, 9), search(t, restored, query, 9)); diff != "" {
				t.Errorf("%d dead rows: Search(%q) (-before +restored):\n%s", tt.dead, query, diff)
			}
		}
	}
}

// TestAReplacedRowOfALargeSegmentStaysDead saves a view whose large segment has a row that a
// later segment replaces.
func TestAReplacedRowOfALargeSegmentStaysDead(t *testing.T) {
	const rows = 300_000
	f := repeated(1, "alpha", rows)
	v := apply(t, lexical.New(), &record.Batch{Files: []record.FileRecord{f}})
	v = apply(t, v, &record.Batch{Files: []record.FileRecord{file(5, "beta.go", "", "beta"), file(rows, "gamma.go", "", "beta")}})
	live := []record.KeyRange{{First: 1, N: rows}}
	restored, err := lexical.Restore(slices.Concat(v.Encode()...), live)
	if err != nil || restored.Len() != rows || v.Len() != rows {
		t.Fatalf("Restore: %d of %d rows, %v, want %d", restored.Len(), v.Len(), err, rows)
	}
	for _, query := range []string{"alpha", "beta"} {
		if diff := gocmp.Diff(search(t, v, query, 9), search(t, restored, query, 9)); diff != "" {
			t.Errorf("Search(%q) (-before +restored):\n%s", query, diff)
		}
	}
}
