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

func TestChunksHaveTheMetadataOfADocument(t *testing.T) {
	w := open(t, map[string]string{
		"guide/start.md": "---\ntitle: First steps\ntags: [intro, cli]\nlayer: manual\nupdated_at: 2026-02-03\n---\n# Start\n\n## Install\n\n" +
			"See [the flags](flags.md#all) and `main.go:3-9`.\n",
		"guide/flags.md": "# Flags\n\n## All\n\nOne flag.\n",
		"main.go":        "package main\n\nfunc main() {\n\tprintln()\n\tprintln()\n\tprintln()\n\tprintln()\n\tprintln()\n}\n",
	})
	chunksOf := func(path record.Path) []api.Chunk {
		t.Helper()
		answer, err := w.Chunks(t.Context(), api.ChunksQuestion{TextDocument: api.TextDocument{Path: path}})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Chunks
	}
	var all api.DocumentChunk // what the chunks know together, as the cut does not matter here
	for i, c := range chunksOf("guide/start.md") {
		d := c.Document
		if d == nil {
			t.Fatalf("chunk %d has no document", i)
		}
		all.Title, all.Tags, all.Layer, all.UpdatedAt, all.Level = d.Title, d.Tags, d.Layer, d.UpdatedAt, max(all.Level, d.Level)
		all.CodeRefs, all.Links = append(all.CodeRefs, d.CodeRefs...), append(all.Links, d.Links...)
		all.Headings, all.Total = d.Headings, all.Total+1
		if !c.Summary && d.Index >= d.Total {
			t.Errorf("chunk %d is number %d of %d", i, d.Index, d.Total)
		}
	}
	want := api.DocumentChunk{Title: "First steps", Tags: []string{"intro", "cli"}, Layer: "manual", UpdatedAt: "2026-02-03", Level: all.Level,
		Headings: all.Headings, CodeRefs: []string{"main.go:3-9"}, Links: []string{"guide/flags.md#all"}, Total: all.Total}
	all.CodeRefs, all.Links = slices.Compact(all.CodeRefs), slices.Compact(all.Links)
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range chunksOf("main.go") {
		if c.Document != nil {
			t.Errorf("a chunk of code has the metadata %+v", c.Document)
		}
	}
}

func TestADocumentMayStartWithAClosingMark(t *testing.T) {
	files := map[string]string{"a.lua": "}\n"}
	for _, ext := range []string{".md", ".rst", ".adoc", ".org", ".txt"} {
		files["a"+ext] = ") of words\n"
	}
	w := open(t, files)
	got, err := w.ChunkStats(t.Context(), api.ChunkStatsQuestion{})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Total; n.Chunks != 6 || n.Closing != 1 {
		t.Errorf("%d of %d chunks start closing, want 1 of 6", n.Closing, n.Chunks)
	}
}
