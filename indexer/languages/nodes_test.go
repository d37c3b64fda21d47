package languages_test

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// TestAScanListsTheNodesThatACursorFinds holds in every language, for whole texts, for broken
// ones, and for nests that are deeper than a scan lists: a scan reads the memory of the library.
// The tables of a parser may be wide.
func TestAScanListsTheNodesThatACursorFinds(t *testing.T) {
	deep := map[record.Path][]byte{
		"deep.go": []byte("package a\nvar x = " + strings.Repeat("(", 400) + "y" + strings.Repeat(")", 400)),
		"wide.py": []byte(strings.Repeat("f(a, b=1)  # c\n", 2000)),
	}
	seen := map[string]int{}
	check := func(p record.Path, text []byte) {
		scanned, wide, walked := languages.Nodes(p, text)
		if !slices.Equal(walked, scanned) {
			t.Errorf("%s (-cursor +scan):\n%s", p, cmp.Diff(walked, scanned))
		}
		if !slices.Equal(walked, wide) {
			t.Errorf("%s (-cursor +scan with a wide table):\n%s", p, cmp.Diff(walked, wide))
		}
		if len(walked) > 0 {
			seen[path.Ext(string(p))]++
		}
	}
	for _, files := range []map[record.Path][]byte{wellFormed(t), deep} {
		for p, text := range files {
			check(p, text)
			check(p, text[:len(text)*2/3])
			check(p, bytes.ReplaceAll(text, []byte(")"), []byte(" )(")))
		}
	}
	if len(seen) < 20 {
		t.Errorf("files of %d languages, want more: %v", len(seen), seen)
	}
}
