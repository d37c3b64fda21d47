package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/session"
)

// TestAnAnswerFromPartsOfTheViewsIsThatOfTheWhole asks about the sources of ambit: a process
// that answers one question reads of the saved views what the question needs, a server has
// all of them in memory. The one is asked as the index was saved, then with changed files.
func TestAnAnswerFromPartsOfTheViewsIsThatOfTheWhole(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "vectors"))); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, dir, cache, true)
	index(t, s)
	if err := session.SaveViews(t.Context(), s.session); err != nil {
		t.Fatal(err)
	}
	closeSession(t, s)
	compareParts(t, dir, cache)
	edit(t, filepath.Join(dir, "flat", "flat.go"), "\nfunc letGoOfAll(blob []byte) { NewStored(len(blob)) }\n")
	if err := os.Remove(filepath.Join(dir, "quantize", "quantize.go")); err != nil {
		t.Fatal(err)
	}
	compareParts(t, dir, cache)
}

func edit(t *testing.T, path, added string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(text, added...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compareParts compares the answers of a process that answers one question with those of a
// server. Each question gets a process of its own.
func compareParts(t *testing.T, dir, cache string) {
	t.Helper()
	questions := []func(*opened) (any, error){
		func(s *opened) (any, error) {
			return s.Read(t.Context(), api.ReadQuestion{Symbol: "View.Search"})
		},
		func(s *opened) (any, error) { return s.Impact(t.Context(), api.ImpactQuestion{Symbol: "KeyRange"}) },
		func(s *opened) (any, error) {
			return s.Context(t.Context(), api.Question{Query: "how are the parts of a view read from the file"})
		},
		func(s *opened) (any, error) {
			at := &api.TextDocument{Path: "store/table.go"}
			return s.Context(t.Context(), api.Question{TextDocument: at, Position: &api.Position{Line: 70, Character: 20}})
		},
	}
	for _, words := range []string{"letGo blob", "where is a damaged page found", "bm25 postings of a term", "nothingHasThisWord", "the of a"} {
		questions = append(questions, func(s *opened) (any, error) {
			return s.Search(t.Context(), api.SearchQuestion{Query: words, Limit: 30})
		})
	}
	var parts []string
	for _, ask := range questions {
		s := openAt(t, dir, cache, false)
		index(t, s)
		parts = append(parts, asJSON(t, s, ask))
		closeSession(t, s)
	}
	s := openAt(t, dir, cache, true)
	defer closeSession(t, s)
	index(t, s)
	for i, ask := range questions {
		if diff := cmp.Diff(asJSON(t, s, ask), parts[i]); diff != "" {
			t.Errorf("question %d (-server +parts):\n%s", i, diff)
		}
	}
}

// generation differs between processes that wrote batches in between.
var generation = regexp.MustCompile(`"generation": \d+,`)

func asJSON(t *testing.T, s *opened, ask func(*opened) (any, error)) string {
	t.Helper()
	answer, err := ask(s)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(answer, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return generation.ReplaceAllString(string(text), "")
}
