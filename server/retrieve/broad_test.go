package retrieve_test

import (
	"slices"
	"testing"

	"ambit/server/retrieve"
)

// A project of functions alone has sources, too: the one that others use most of each file.
func TestAnOverviewShowsTheFunctionsOfAProjectWithoutTypes(t *testing.T) {
	w := newWorkspace(t, []file{
		{"greet.go", []byte("package p\n\n// Greet says hello.\nfunc Greet(name string) string { return Join(\"hello\", name) }\n")},
		{"join.go", []byte("package p\n\n// Join puts words together.\nfunc Join(words ...string) string { return words[0] }\n\nfunc unused() {}\n")},
	})
	r, err := retrieve.Ask(t.Context(), w.index(), retrieve.Question{Query: "give me an overview of this project"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range r.Candidates {
		names = append(names, r.Candidates[i].Unit.Identifier)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"Greet", "Join"}) {
		t.Errorf("the overview shows %v", names)
	}
}
