package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/indexer/graph"
	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/server/session"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

// far returns a workspace in which nothing leads from Pay to Sail, and enough stands
// nearer that likeness does not either.
func far() map[string]string {
	files := map[string]string{
		"shop/pay.go":   "package shop\n\n// Pay pays.\nfunc Pay(n int) int { return rate(n) }\n\nfunc rate(n int) int { return 2 * n }\n",
		"boat/sail.go":  "package boat\n\n// Sail hoists the mainsail.\nfunc Sail() string { return \"mainsail\" }\n",
		"docs/knots.md": "# Knots\n\n## Bowline\n\nThe king of knots.\n",
	}
	for i := range 12 {
		files[fmt.Sprintf("shop/pay%d.go", i)] = fmt.Sprintf("package shop\n\n// Pay%d pays the rate.\nfunc Pay%d(n int) int { return %d * n }\n", i, i, i)
	}
	return files
}

// bundleOf asks and returns the identifiers of the sources and what was omitted.
func bundleOf(t *testing.T, s *session.Session, q session.Question) (b *assemble.Bundle, shown []string, omitted []string) {
	t.Helper()
	q.Cost = plain
	b, err := s.Context(t.Context(), q)
	if err != nil {
		t.Fatalf("Context(%+v): %v", q, err)
	}
	for _, x := range b.Sources {
		shown = append(shown, x.Identifier)
	}
	for _, o := range b.Omitted {
		omitted = append(omitted, fmt.Sprint(o.Identifier, " ", o.Path, ": ", o.Reason))
	}
	return b, shown, omitted
}

func TestAPinnedSourceIsShownWhereItWouldNotBeFound(t *testing.T) {
	w := newTree(t, far())
	s := w.open()
	index(t, s)
	there, _, _ := bundleOf(t, s, session.Question{File: "boat/sail.go", Line: 4, Column: 7})
	id := there.Sources[0].ID.String()
	at := session.Question{File: "shop/pay.go", Line: 4, Column: 7}
	if _, shown, _ := bundleOf(t, s, at); strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Fatalf("Sail is shown for Pay anyway: %q", shown)
	}
	at.Pin = []string{strings.ToUpper(id), id}
	b, shown, _ := bundleOf(t, s, at)
	if diff := cmp.Diff([]string{"Pay", "Sail", "rate"}, shown[:min(3, len(shown))]); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	sail := b.Sources[1]
	if sail.Role != "pinned" || sail.Section != "primary" || sail.Why[0].Name != "pinned" || sail.Truncated != nil {
		t.Errorf("Sail: %+v", sail)
	}

	words := session.Question{Query: "bowline", Pin: at.Pin}
	if _, shown, _ := bundleOf(t, s, words); !strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Errorf("for words: %q", shown)
	}
	words.Exclude = []string{"boat/"}
	if _, shown, _ := bundleOf(t, s, words); !strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Errorf("though its file is excluded: %q", shown)
	}

	w.close(s)
	again := w.open() // which has answered nothing yet
	if _, shown, _ := bundleOf(t, again, at); !strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Errorf("in a new session: %q", shown)
	}
}

func TestADroppedSourceIsListedAndNeverShown(t *testing.T) {
	w := newTree(t, far())
	s := w.open()
	index(t, s)
	at := session.Question{File: "shop/pay.go", Line: 4, Column: 7}
	b, _, _ := bundleOf(t, s, at)
	ids := map[string]string{}
	for _, x := range b.Sources {
		ids[x.Identifier] = x.ID.String()
	}
	at.Drop = []string{ids["rate"]}
	at.Pin = at.Drop // what is dropped is not wanted
	_, shown, omitted := bundleOf(t, s, at)
	if len(shown) == 0 || slices.Contains(shown, "rate") {
		t.Errorf("shown: %q", shown)
	}
	if diff := cmp.Diff([]string{"rate shop/pay.go: dropped"}, omitted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, _, omitted = bundleOf(t, s, session.Question{File: "boat/sail.go", Line: 4, Column: 7, Drop: at.Drop})
	if diff := cmp.Diff([]string{"rate shop/pay.go: dropped"}, omitted); diff != "" {
		t.Errorf("where it would not be found (-want +got):\n%s", diff)
	}
}

func TestAPinOfNothingIsReportedInTheAnswer(t *testing.T) {
	w := newTree(t, far())
	s := w.open()
	index(t, s)
	b, _, _ := bundleOf(t, s, session.Question{File: "boat/sail.go", Line: 4, Column: 7})
	gone := b.Sources[0].ID.String()
	w.write("boat/sail.go", "package boat\n\n// Row rows.\nfunc Row() string { return \"oars\" }\n")
	unknown := record.NewChunkID("nowhere.go", "F", "", 0).String()
	for range 2 { // the second time it is known to be unknown
		_, shown, omitted := bundleOf(t, s, session.Question{Query: "Pay", Pin: []string{unknown, gone}})
		want := []string{
			"Sail boat/sail.go: pinned, but no longer in boat/sail.go",
			unknown + " : pinned, but nothing in the index has this id",
		}
		if diff := cmp.Diff(want, omitted[:min(2, len(omitted))]); diff != "" || len(shown) == 0 {
			t.Errorf("shown %q (-want +got):\n%s", shown, diff)
		}
	}
	if _, err := s.Context(t.Context(), session.Question{Query: "Pay", Pin: []string{"cart.go"}, Cost: plain}); err == nil || !strings.Contains(err.Error(), "pin:") {
		t.Errorf("no id: %v", err)
	}
}

func TestWhateverHasAnIDIsFoundByASessionThatNeverNamedIt(t *testing.T) {
	w := newTree(t, far())
	s := w.open()
	index(t, s)
	files, err := session.Stored(s).Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[record.ChunkID]string{}
	for _, f := range files {
		g, err := session.Stored(s).Graph(t.Context(), f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range graph.IDs(&g) {
			ids[id] = string(f.Path) + " " + g.Symbols[i].Qualified
		}
		chunks, err := session.Stored(s).FileChunks(t.Context(), f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range chunks {
			ids[chunks[i].ID] = string(f.Path) + " " + chunks[i].Section
		}
		ids[graph.FileID(f.Path)] = string(f.Path)
	}
	w.write("late.go", "package late\n\nfunc Late() {}\n")
	ids[record.NewChunkID("late.go", "Late", "", 0)] = "late.go, which is not indexed yet"
	s.SetBuffer(session.NewBuffer("open.go", "go", []byte("package open\n\nfunc Open() {}\n")))
	ids[record.NewChunkID("open.go", "Open", "", 0)] = "open.go, a buffer"
	if _, err := s.Context(t.Context(), session.Question{File: "late.go", Line: 3, Column: 7, Cost: plain}); err != nil {
		t.Fatal(err)
	}
	for id, name := range ids {
		_, _, omitted := bundleOf(t, s, session.Question{Query: "Pay", Pin: []string{id.String()}})
		if slices.ContainsFunc(omitted, func(o string) bool { return strings.Contains(o, "nothing in the index") }) {
			t.Errorf("the id of %s is not found", name)
		}
	}
}

func TestRandomPinsAndDropsOfRealSourcesKeepTheBudget(t *testing.T) {
	w := newTree(t, far())
	s := w.open()
	index(t, s)
	places := []session.Question{
		{File: "shop/pay.go", Line: 4, Column: 7}, {File: "boat/sail.go", Line: 4, Column: 7}, {File: "docs/knots.md", Line: 3, Column: 5},
		{Query: "how is the rate paid"}, {Query: "bowline"}, {Query: "overview of everything"},
	}
	var ids []string
	for _, q := range places {
		b, _, _ := bundleOf(t, s, q)
		for _, x := range b.Sources {
			if id := x.ID.String(); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	counter, err := tokens.New("")
	if err != nil {
		t.Fatal(err)
	}
	styles := []format.Style{format.Plain, format.XML, format.Markdown, format.Human}
	rapid.Check(t, func(rt *rapid.T) {
		q := rapid.SampledFrom(places).Draw(rt, "question")
		q.Pin = rapid.SliceOfN(rapid.SampledFrom(ids), 0, 8).Draw(rt, "pins")
		q.Drop = rapid.SliceOfN(rapid.SampledFrom(ids), 0, 3).Draw(rt, "drops")
		q.Budget = rapid.OneOf(rapid.IntRange(1, 500), rapid.Just(8000)).Draw(rt, "budget")
		q.Cost = format.Cost(rapid.SampledFrom(styles).Draw(rt, "style"))
		b, err := s.Context(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		if n := counter.Count(b.Text); n > q.Budget || n != b.Tokens {
			rt.Fatalf("%d tokens of %d, says %d", n, q.Budget, b.Tokens)
		}
		shown := map[string]bool{}
		for _, x := range b.Sources {
			shown[x.ID.String()] = true
		}
		for _, id := range q.Drop {
			if shown[id] {
				rt.Fatalf("%s was dropped and is shown", id)
			}
		}
		for _, id := range q.Pin {
			if q.Budget == 8000 && !shown[id] && !slices.Contains(q.Drop, id) {
				rt.Fatalf("%s was pinned and is not shown: %+v", id, b.Omitted)
			}
		}
	})
}
