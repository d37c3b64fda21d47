package session_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/vectors/record"
)

func TestSearchFiltersByCurrentKinds(t *testing.T) {
	w := newTree(t, map[string]string{
		"a.go":    "package a\n\n// Pay pays.\nfunc Pay() {}\n",
		"disk.go": "package a\n\n// PayLater pays later.\nfunc PayLater() {}\n",
		"open.go": "package a\n\n// PayNow pays now.\nfunc PayNow() {}\n",
		"many.go": "package a\n\nconst (\n\tPayOne = 1\n\tPayTwo = 2\n)\n\nvar PayThree = 3\n",
		"pay.md":  "# Pay\n\nHow to pay.\n",
	})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	w.write("disk.go", "package a\n\n// PayLater pays later.\ntype PayLater struct{}\n")
	s.SetDocument(document("open.go", "go", "package a\n\n// PayNow pays now.\ntype PayNow interface{}\n"))
	s.SetDocument(document("new.go", "go", "package a\n\n// PayNever pays never.\nfunc PayNever() {}\n"))
	for kind, want := range map[string]string{ // the index still has a function in disk.go
		"function": "a.go new.go", "interface": "open.go", "constant": "many.go", "variable": "many.go", "section": "pay.md",
		"method": "", "unheard of": "",
	} {
		results, err := s.Search(t.Context(), api.SearchQuestion{Query: "pay", Kind: record.Kind(kind)})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, r := range results.Results {
			found[string(r.Path)] = true
		}
		if diff := cmp.Diff(want, strings.Join(slices.Sorted(maps.Keys(found)), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}
