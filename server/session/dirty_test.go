package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/server/api"
)

// contextOf returns the context of a query.
func contextOf(t *testing.T, s *opened, query string) *api.Answer {
	t.Helper()
	bundle, err := s.Context(t.Context(), api.Question{Query: query})
	if err != nil {
		t.Fatalf("Context(%q): %v", query, err)
	}
	return bundle
}

// freshContextOf asks for the context of a query until the answer reports that it
// is complete: on a busy machine, events can arrive after the first question.
func freshContextOf(t *testing.T, s *opened, query string) *api.Answer {
	t.Helper()
	for {
		if b := contextOf(t, s, query); b.Freshness.State == api.StateReady && b.Freshness.Pending == 0 {
			return b
		}
	}
}

func TestNextAnswerHasEditsOfOtherPrograms(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 50 {
		files[fmt.Sprintf("f%02d.go", i)] = fmt.Sprintf("package p\n\n// Work%d works.\nfunc Work%d() { Work%d() }\n", i, i, (i+1)%50)
	}
	w := newTree(t, files)
	s := w.open()
	follow(t, s)(api.StateReady)
	for i := range 10 {
		// The test adds a word to a file, adds a file in a new directory and removes a
		// file, and asks right after each change, by a query and at a place.
		word := fmt.Sprintf("Quokka%d", i)
		path, fresh, lost := fmt.Sprintf("f%02d.go", i), fmt.Sprintf("new%d/sub/n.go", i), fmt.Sprintf("f%02d.go", i+20)
		w.write(path, "package p\n\n// "+word+" hops.\nfunc "+word+"() {}\n")
		if b := freshContextOf(t, s, word); !strings.Contains(b.Text, "func "+word) {
			t.Fatalf("the answer lacks a word written before the question:\n%s", b.Text)
		}
		if got := find(t, s, word); !strings.HasPrefix(got, path+" "+word) {
			t.Fatalf("the search misses a word written before it: %s", got)
		}
		w.write(fresh, "package sub\n\n// Wombat"+word+" digs.\nfunc Wombat"+word+"() {}\n")
		b := freshContextOf(t, s, "Wombat"+word)
		if !strings.Contains(b.Text, "func Wombat"+word) {
			t.Fatalf("the answer lacks a file created before the question:\n%s", b.Text)
		}
		w.remove(lost)
		if b = freshContextOf(t, s, fmt.Sprintf("Work%d", i+20)); strings.Contains(b.Text, fmt.Sprintf("func Work%d()", i+20)) {
			t.Fatalf("the answer has a file removed before the question:\n%s", b.Text)
		}
		at := at(fresh, 4, 8)
		if b, err := s.Context(t.Context(), at); err != nil || !strings.Contains(b.Text, "func Wombat"+word) {
			t.Fatalf("context at a place in a new file: %+v, %v", b, err)
		}
	}
}

func TestNextAnswerFindsAMovedDirectory(t *testing.T) {
	const nFiles = 30
	files := map[string]string{}
	for i := range nFiles {
		files[fmt.Sprintf("old/f%d.go", i)] = fmt.Sprintf("package p\n\n// Quokka%d hops.\nfunc Quokka%d() {}\n", i, i)
	}
	w := newTree(t, files)
	s := w.open()
	follow(t, s)(api.StateReady)
	s.Pause()
	if err := os.Rename(filepath.Join(w.dir, "old"), filepath.Join(w.dir, "quite")); err != nil {
		t.Fatal(err)
	}
	synced(t, s)
	for i := range nFiles {
		word := fmt.Sprintf("Quokka%d", i)
		got := find(t, s, word)
		if !strings.HasPrefix(got, fmt.Sprintf("quite/f%d.go %s", i, word)) || strings.Contains(got, "old/") {
			t.Errorf("found %s", got)
		}
	}
	if b := contextOf(t, s, "Quokka1"); b.Freshness.Pending != 0 {
		t.Errorf("%d files are pending, want none", b.Freshness.Pending)
	}
}

func TestNextAnswerHasANewCaller(t *testing.T) {
	w := newTree(t, map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc Alpha() {}\n", "sub/b.go": "package sub\n\nfunc Beta() {}\n"})
	s := w.open()
	follow(t, s)(api.StateReady)
	s.Pause()
	w.write("sub/b.go", "package sub\n\nimport \"m\"\n\nfunc Beta() { m.Alpha() }\n")
	synced(t, s)
	b, err := s.Context(t.Context(), at("a.go", 3, 7))
	if err != nil || !strings.Contains(b.Text, "func Beta() { m.Alpha() }") {
		t.Errorf("got %+v, %v; want the caller", b, err)
	}
}

func TestPausedSessionReadsDirtyFilesAndCountsTheRest(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	w.write("b.go", "package p\n\nfunc Quokka() {}\n")
	synced(t, s)
	b := contextOf(t, s, "Quokka")
	if !strings.Contains(b.Text, "func Quokka") || b.Freshness.State != api.StatePaused || b.Freshness.Pending != 0 {
		t.Errorf("got %+v\n%s", b.Freshness, b.Text)
	}
	for i := range 100 {
		w.write(fmt.Sprintf("many/m%03d.go", i), fmt.Sprintf("package many\n\nfunc Many%d() {}\n", i))
	}
	synced(t, s)
	if b = contextOf(t, s, "Quokka"); b.Freshness.Pending == 0 || b.Freshness.Pending > 100 {
		t.Errorf("freshness is %+v, want some of 100 files pending", b.Freshness)
	}
	for i := range 3000 { // more than a question lists one by one
		w.write(fmt.Sprintf("more/m%04d.go", i), "package more\n")
	}
	w.write("z.go", "package p\n\nfunc Wombat() {}\n")
	synced(t, s)
	if b = contextOf(t, s, "Wombat"); !strings.Contains(b.Text, "func Wombat") {
		t.Errorf("the answer lacks the file written last; its freshness is %+v", b.Freshness)
	}
	s.Resume()
	await(api.StateIndexing)
	await(api.StateReady)
	if b = freshContextOf(t, s, "Many99"); !strings.Contains(b.Text, "func Many99") {
		t.Errorf("the answer after Resume lacks a file:\n%s", b.Text)
	}
}

// TestNextAnswerLacksARemovedDirectory asks before the index is told.
func TestNextAnswerLacksARemovedDirectory(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"}
	for i := range 2000 {
		files[fmt.Sprintf("gone/g%04d.go", i)] = fmt.Sprintf("package gone\n\nfunc Quokka%d() {}\n", i)
	}
	s := newTree(t, files).open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	if err := os.RemoveAll(filepath.Join(s.Root(), "gone")); err != nil {
		t.Fatal(err)
	}
	synced(t, s)
	found, err := s.Search(t.Context(), api.SearchQuestion{Query: "Quokka", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(found.Results); n > 0 && strings.HasPrefix(string(found.Results[0].Path), "gone/") || found.Freshness.Pending != 0 {
		t.Errorf("got %d results, the first of %+v, with freshness %+v; want nothing of the removed directory", n, found.Results[:min(n, 1)], found.Freshness)
	}
}

func TestTouchedFileIsNotDirty(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.SetDocument(document("b.go", "go", "package p\n\nfunc Beta() {}\n"))
	s.Pause()
	await(api.StatePaused)
	w.write("a.go", "package p\n\nfunc Alpha() {}\n")
	synced(t, s)
	if b := contextOf(t, s, "Alpha Beta"); !strings.Contains(b.Text, "func Alpha") || !strings.Contains(b.Text, "func Beta") || b.Freshness.Pending != 0 {
		t.Errorf("got %+v\n%s", b.Freshness, b.Text)
	}
}

func TestOpenDocumentReplacesTheFileOnDisk(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	follow(t, s)(api.StateReady)
	s.SetDocument(document("a.go", "go", "package p\n\nfunc Unsaved() {}\n"))
	w.write("a.go", "package p\n\nfunc Quokka() {}\n")
	b := contextOf(t, s, "Unsaved Quokka")
	if !strings.Contains(b.Text, "func Unsaved") || strings.Contains(b.Text, "func Quokka") {
		t.Errorf("got\n%s", b.Text)
	}
}

func TestIgnoredFilesAndSecretsStayOutOfAnswers(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n", ".gitignore": "*.gen.go\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	w.write("b.gen.go", "package p\n\nfunc Quokka() {}\n")
	w.write(".env", "QUOKKA=1\n")
	w.write("big.go", "package p\n\n// Quokka\n"+strings.Repeat("// more\n", 200_000))
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "quokka.txt")); err != nil {
		t.Fatal(err)
	}
	if b := contextOf(t, s, "quokka"); strings.Contains(strings.ToLower(b.Text), "quokka=1") || strings.Contains(b.Text, "func Quokka") || strings.Contains(b.Text, "quokka.txt") {
		t.Errorf("got\n%s", b.Text)
	}
}
