package retrieve_test

import (
	"testing"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// A report finds the file that commits with the words of its title changed, though the words
// stand in another one.
func TestAReportFindsWhatCommitsWithItsWordsChanged(t *testing.T) {
	w := newWorkspace(t, []file{
		{"harbour.go", []byte("package sea\n\n// Moor ties a ship to the quay.\nfunc Moor(ship string) error { return tie(ship) }\n")},
		{"quay.go", []byte("package sea\n\n// Leave unties a ship from the quay.\nfunc Leave(ship string) error { return untie(ship) }\n")},
	})
	const report = "Anchor is lost when a ship moors\n\nSteps to reproduce:\n\n1. a ship moors at the quay\n2. it leaves the quay\n\nExpected: the ship keeps its anchor.\n"
	first := func() record.Path {
		found, err := retrieve.Search(t.Context(), w.index(), retrieve.Question{Query: report})
		if err != nil || len(found) == 0 {
			t.Fatalf("Search found %d, %v", len(found), err)
		}
		return found[0].Path
	}
	without := first()
	other := record.Path("quay.go")
	if without == other {
		other = "harbour.go"
	}
	w.history.Subjects = []record.Subject{
		{Text: "Fix dropAnchor losing the anchor", Files: []record.Path{other}},
		{Text: "Anchors: keep the chain", Files: []record.Path{other}},
		{Text: "Update the readme", Files: []record.Path{without}},
	}
	if got := first(); got != other {
		t.Errorf("the first file is %s, want %s, which commits with its words changed", got, other)
	}
}
