package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/indexer/graph"
	"ambit/server/api"
	"ambit/server/session"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

// unrelatedFiles returns a workspace in which no reference leads from Pay to Sail, and in
// which many files are more similar to Pay than Sail is.
func unrelatedFiles() map[string]string {
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

// answerOf returns the answer to a question, the identifiers of its sources and those of
// the omitted ones.
func answerOf(t *testing.T, s *opened, q api.Question) (b *api.Answer, shown []string, omitted []string) {
	t.Helper()
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

func TestPinnedSourceIsShownAlthoughNothingFindsIt(t *testing.T) {
	w := newTree(t, unrelatedFiles())
	s := w.open()
	index(t, s)
	there, _, _ := answerOf(t, s, at("boat/sail.go", 4, 7))
	id := there.Sources[0].ID
	pay := at("shop/pay.go", 4, 7)
	if _, shown, _ := answerOf(t, s, pay); strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Fatalf("Sail is shown for Pay without a pin: %q", shown)
	}
	pay.Pin = []record.ChunkID{id, id}
	b, shown, _ := answerOf(t, s, pay)
	if diff := cmp.Diff([]string{"Pay", "Sail", "rate"}, shown[:min(3, len(shown))]); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	sail := b.Sources[1]
	if sail.Role != "pinned" || sail.Section != "primary" || sail.Why[0].Name != "pinned" || sail.Truncated != nil {
		t.Errorf("Sail: %+v", sail)
	}

	words := api.Question{Query: "bowline", Pin: pay.Pin}
	if _, shown, _ := answerOf(t, s, words); !strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Errorf("for words: %q", shown)
	}
	words.Exclude = []string{"boat/"}
	if _, shown, _ := answerOf(t, s, words); !strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Errorf("though its file is excluded: %q", shown)
	}

	w.close(s)
	again := w.open() // a session without earlier answers
	if _, shown, _ := answerOf(t, again, pay); !strings.Contains(strings.Join(shown, " "), "Sail") {
		t.Errorf("in a new session: %q", shown)
	}
}

func TestDroppedSourceIsListedAndNotShown(t *testing.T) {
	w := newTree(t, unrelatedFiles())
	s := w.open()
	index(t, s)
	pay := at("shop/pay.go", 4, 7)
	b, _, _ := answerOf(t, s, pay)
	ids := map[string]record.ChunkID{}
	for _, x := range b.Sources {
		ids[x.Identifier] = x.ID
	}
	pay.Drop = []record.ChunkID{ids["rate"]}
	pay.Pin = pay.Drop // dropping overrides pinning
	pay.Fill = true    // otherwise what is not worth its tokens is listed as well
	_, shown, omitted := answerOf(t, s, pay)
	if len(shown) == 0 || slices.Contains(shown, "rate") {
		t.Errorf("shown: %q", shown)
	}
	if diff := cmp.Diff([]string{"rate shop/pay.go: dropped"}, omitted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	elsewhere := at("boat/sail.go", 4, 7)
	elsewhere.Drop, elsewhere.Fill = pay.Drop, true
	_, _, omitted = answerOf(t, s, elsewhere)
	if diff := cmp.Diff([]string{"rate shop/pay.go: dropped"}, omitted); diff != "" {
		t.Errorf("for a source that nothing finds (-want +got):\n%s", diff)
	}
}

func TestUnknownPinIsReported(t *testing.T) {
	w := newTree(t, unrelatedFiles())
	s := w.open()
	index(t, s)
	b, _, _ := answerOf(t, s, at("boat/sail.go", 4, 7))
	gone := b.Sources[0].ID
	w.write("boat/sail.go", "package boat\n\n// Row rows.\nfunc Row() string { return \"oars\" }\n")
	index(t, s)
	unknown := record.NewChunkID("nowhere.go", "F", "", 0)
	for range 2 { // the second time the session knows that the id is unknown
		_, shown, omitted := answerOf(t, s, api.Question{Query: "Pay", Pin: []record.ChunkID{unknown, gone}})
		want := []string{
			"Sail boat/sail.go: pinned, but no longer in boat/sail.go",
			unknown.String() + " : pinned, but nothing in the index has this id",
		}
		if diff := cmp.Diff(want, omitted[:min(2, len(omitted))]); diff != "" || len(shown) == 0 {
			t.Errorf("shown %q (-want +got):\n%s", shown, diff)
		}
	}
}

func TestNewSessionFindsEverySourceByID(t *testing.T) {
	w := newTree(t, unrelatedFiles())
	s := w.open()
	index(t, s)
	stored, err := session.Stored(s.session).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stored.Close)
	files, err := stored.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[record.ChunkID]string{}
	for _, f := range files {
		g, err := stored.Graph(t.Context(), f.Path())
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range graph.IDs(&g) {
			ids[id] = string(f.Path()) + " " + g.Symbols[i].Qualified
		}
		chunks, err := stored.FileChunks(t.Context(), f.Path())
		if err != nil {
			t.Fatal(err)
		}
		for i := range chunks {
			ids[chunks[i].ID] = string(f.Path()) + " " + chunks[i].Section
		}
		ids[graph.FileID(f.Path())] = string(f.Path())
	}
	stored.Close()
	w.write("late.go", "package late\n\nfunc Late() {}\n")
	ids[record.NewChunkID("late.go", "Late", "", 0)] = "late.go, which is not indexed yet"
	s.SetDocument(document("open.go", "go", "package open\n\nfunc Open() {}\n"))
	ids[record.NewChunkID("open.go", "Open", "", 0)] = "open.go, a buffer"
	if _, err := s.Context(t.Context(), at("late.go", 3, 7)); err != nil {
		t.Fatal(err)
	}
	for id, name := range ids {
		_, _, omitted := answerOf(t, s, api.Question{Query: "Pay", Pin: []record.ChunkID{id}})
		if slices.ContainsFunc(omitted, func(o string) bool { return strings.Contains(o, "nothing in the index") }) {
			t.Errorf("the id of %s is not found", name)
		}
	}
}

func TestRandomPinsAndDropsKeepTheBudget(t *testing.T) {
	w := newTree(t, unrelatedFiles())
	s := w.open()
	index(t, s)
	places := []api.Question{
		at("shop/pay.go", 4, 7), at("boat/sail.go", 4, 7), at("docs/knots.md", 3, 5),
		{Query: "how is the rate paid"}, {Query: "bowline"}, {Query: "overview of everything"},
	}
	var ids []record.ChunkID
	for _, q := range places {
		b, _, _ := answerOf(t, s, q)
		for _, x := range b.Sources {
			if id := x.ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	counter, err := tokens.New("")
	if err != nil {
		t.Fatal(err)
	}
	formats := []api.Format{api.Plain, api.XML, api.Markdown, api.Human}
	rapid.Check(t, func(rt *rapid.T) {
		q := rapid.SampledFrom(places).Draw(rt, "question")
		q.Pin = rapid.SliceOfN(rapid.SampledFrom(ids), 0, 8).Draw(rt, "pins")
		q.Drop = rapid.SliceOfN(rapid.SampledFrom(ids), 0, 3).Draw(rt, "drops")
		q.Budget = rapid.OneOf(rapid.IntRange(1, 500), rapid.Just(8000)).Draw(rt, "budget")
		q.Format = rapid.SampledFrom(formats).Draw(rt, "format")
		b, err := s.Context(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		if n := counter.Count(b.Text); n > q.Budget || n != b.Tokens {
			rt.Fatalf("the text has %d tokens of %d, the answer reports %d", n, q.Budget, b.Tokens)
		}
		shown := map[record.ChunkID]bool{}
		for _, x := range b.Sources {
			shown[x.ID] = true
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
