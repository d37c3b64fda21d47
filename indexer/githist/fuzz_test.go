package githist_test

import (
	"cmp"
	"slices"
	"testing"

	"ambit/indexer/githist"
	"ambit/vectors/record"
)

func FuzzLog(f *testing.F) {
	f.Add([]byte("\x011795232748\x00\nA\x00d\x00\x011795232747\x00\nR100\x00a\x00c\x00M\x00s/b\x00"), "")
	f.Add([]byte("\x011\x00\nR090\x00a\x00b\x00R090\x00b\x00a\x00D\x00x\x00"), "s/")
	f.Add([]byte("\x01\x00\nM"), "")
	f.Fuzz(func(t *testing.T, text []byte, prefix string) {
		h, _ := githist.ParseLog(text, prefix, now)
		if !slices.IsSortedFunc(h.Files, func(a, b record.FileHistory) int { return cmp.Compare(a.Path, b.Path) }) {
			t.Fatalf("files are not sorted: %+v", h.Files)
		}
		exists := map[record.Path]bool{}
		for i, file := range h.Files {
			if file.Commits < file.Commits90 || file.Path == "" || i > 0 && file.Path == h.Files[i-1].Path {
				t.Fatalf("file %+v", file)
			}
			exists[file.Path] = true
		}
		for _, p := range h.Pairs {
			if p.A >= p.B || !exists[p.A] || !exists[p.B] || !(p.Weight > 0) {
				t.Fatalf("pair %+v", p)
			}
		}
	})
}
