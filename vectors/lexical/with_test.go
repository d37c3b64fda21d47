package lexical_test

import (
	"testing"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

func TestWithLeavesTheViewAsItIs(t *testing.T) {
	batch := func(key record.Key, text string) *record.Batch {
		content := []byte(text)
		return &record.Batch{Files: []record.FileRecord{{
			File: record.File{Path: "a.txt"}, Content: content,
			Chunks: []record.Chunk{{Key: key, Path: "a.txt", Span: record.Span{End: len(content)}}},
		}}}
	}
	saved := apply(t, lexical.New(), batch(1, "saved words"))
	edit := batch(1<<31, "edited words")
	edit.Dropped = []record.KeyRange{{First: 1, N: 1}}
	over, err := saved.With(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query string
		view        *lexical.View
		want        record.Key
	}{
		{"the view has the saved text", "saved", saved, 1},
		{"and not the edited one", "edited", saved, 0},
		{"the overlay has the edited text", "edited", over, 1 << 31},
		{"and not the saved one", "saved", over, 0},
	} {
		hits, err := tt.view.Search(t.Context(), tt.query, 9, lexical.Options{})
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
