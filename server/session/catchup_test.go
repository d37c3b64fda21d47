package session_test

import (
	"slices"
	"strings"
	"testing"

	"ambit/server/api"
)

// TestAQuestionDoesNotScanATreeThatIsFollowed proves that CatchUp takes the word of the
// watcher, and that it misses nothing by that.
func TestAQuestionDoesNotScanATreeThatIsFollowed(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n", "dir/b.go": "package dir\n\nfunc Beta() {}\n"})
	s := w.open()
	phases := func() (all []string) {
		t.Helper()
		if _, err := s.CatchUp(t.Context(), func(p api.Progress) { all = append(all, p.Phase) }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := phases(); !slices.Contains(got, "indexing") {
		t.Errorf("before anything follows the tree, the phases are %v, want indexing among them", got)
	}
	await := follow(t, s)
	await(api.StateReady)
	w.write("c.go", "package p\n\nfunc Gamma() {}\n")
	w.remove("dir")
	if got := phases(); slices.Contains(got, "scanning") {
		t.Errorf("a tree that is followed is scanned: %v", got)
	}
	if st, err := s.Status(t.Context(), api.StatusQuestion{}); err != nil || st.Files != 2 {
		t.Errorf("%d files are indexed, want a.go and c.go, %v", st.Files, err)
	}
	if got := find(t, s, "Gamma"); !strings.Contains(got, "c.go") {
		t.Errorf("the search misses a new file: %s", got)
	}
	var all []string
	if _, err := s.Index(t.Context(), func(p api.Progress) { all = append(all, p.Phase) }); err != nil || !slices.Contains(all, "scanning") {
		t.Errorf("Index has the phases %v, want scanning among them; %v", all, err)
	}
}
