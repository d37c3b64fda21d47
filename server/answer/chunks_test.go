package answer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/vectors/record"
)

// Each file has one chunk, so that the test does not depend on where files are cut.
func TestChunkStatsCountsByLanguageAndSize(t *testing.T) {
	w := open(t, map[string]string{
		"a/short.go":    "package a\n",
		"a/long.txt":    strings.Repeat("word ", 100), // 125 tokens, at four characters each
		"a/marks.txt":   "*** --- ***\n",
		"a/closing.lua": "}\n",
		"ab.txt":        "a word\n",
	})
	stats := func(path record.Path) *api.ChunkStats {
		t.Helper()
		got, err := w.ChunkStats(t.Context(), api.ChunkStatsQuestion{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if n := got.Total.Chunks; slices.Max(got.Total.Sizes) > n || len(got.Total.Sizes) != len(got.SizeLimits)+1 {
			t.Errorf("%d chunks have sizes %v with the limits %v", n, got.Total.Sizes, got.SizeLimits)
		}
		return got
	}
	got := stats("a")
	want := api.ChunkCounts{Files: 2, Bytes: 512, Chunks: 2, Tokens: got.Languages["text"].Tokens, Sizes: []int{1, 0, 1, 0, 0, 0, 0}, Wordless: 1,
		EmbeddedBytes: got.Languages["text"].EmbeddedBytes, Growth: got.Languages["text"].Growth}
	if diff := cmp.Diff(want, got.Languages["text"]); diff != "" || want.Growth <= 0 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := got.Total; n.Files != 4 || n.Chunks != 4 || n.Wordless != 2 || n.Closing != 1 || n.Small != 0 {
		t.Errorf("in total %+v", n)
	}
	var faults []string
	for _, e := range got.Examples {
		faults = append(faults, e.Fault+" "+string(e.Path))
	}
	if diff := cmp.Diff([]string{"wordless a/closing.lua", "wordless a/marks.txt", "closing a/closing.lua"}, faults); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	if n := stats("").Total; n.Files != 5 {
		t.Errorf("the whole workspace has %d files, want 5", n.Files)
	}
	if n := stats("ab.txt").Total; n.Files != 1 {
		t.Errorf("a file has %d files, want 1", n.Files)
	}
	if _, err := w.ChunkStats(t.Context(), api.ChunkStatsQuestion{Path: "b"}); !errors.Is(err, api.ErrQuestion) {
		t.Errorf("a directory without files: %v, want %v", err, api.ErrQuestion)
	}
}
