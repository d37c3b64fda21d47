package lexical_test

import (
	"testing"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

func TestWithLeavesTheIndexAsItIs(t *testing.T) {
	batch := func(key record.Key, text string) *record.Batch {
		content := []byte(text)
		return &record.Batch{Files: []record.FileRecord{{
			File: record.File{Path: "a.txt"}, Content: content,
			Chunks: []record.Chunk{{Key: key, Path: "a.txt", Span: record.Span{End: len(content)}}},
		}}}
	}
	ix := lexical.New(lexical.Options{})
	if err := ix.Apply(t.Context(), batch(1, "saved words")); err != nil {
		t.Fatal(err)
	}
	edit := batch(1<<31, "edited words")
	edit.Dropped = []record.KeyRange{{First: 1, N: 1}}
	over, err := ix.With(t.Context(), edit, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query string
		ix          *lexical.Index
		want        record.Key
	}{
		{"the index has the saved text", "saved", ix, 1},
		{"and not the edited one", "edited", ix, 0},
		{"the overlay has the edited text", "edited", over, 1 << 31},
		{"and not the saved one", "saved", over, 0},
	} {
		hits, err := tt.ix.Search(t.Context(), tt.query, 9, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got record.Key
		if len(hits) > 0 {
			got = hits[0].Key
		}
		if got != tt.want {
			t.Errorf("%s: got key %d, want %d", tt.name, got, tt.want)
		}
	}
}
