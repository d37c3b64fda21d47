package session_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"ambit/indexer/gitignore/gittest"
	"ambit/server/api"
	"ambit/server/session"
)

// historyOf returns what the status says of the history.
func historyOf(t *testing.T, s *opened) api.History {
	t.Helper()
	st, err := s.Status(t.Context(), api.StatusQuestion{})
	if err != nil {
		t.Fatal(err)
	}
	return st.History
}

// committed returns a repository with one commit.
func committed(t *testing.T) *tree {
	t.Helper()
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "one")
	return w
}

func TestFilesAreIndexedWhileGitStallsAndItsHistoryIsStoredLater(t *testing.T) {
	w := committed(t)
	running := gittest.Stall(t)
	s := openAt(t, w.dir, t.TempDir(), true)
	t.Cleanup(func() { closeSession(t, s) })
	await := follow(t, s)
	resume := running()
	w.write("b.go", "package p\n\nfunc Beta() {}\n")
	for await(api.StateIndexing).Files != 2 {
		continue // the change was not stored yet
	}
	if got := historyOf(t, s); got != (api.History{Reading: true}) {
		t.Errorf("the history is %+v while git stalls, want one that is being read", got)
	}
	resume()
	await(api.StateReady)
	if got := historyOf(t, s); got != (api.History{Commits: 1}) {
		t.Errorf("the history is %+v, want 1 commit", got)
	}
}

// The message of a commit may hold a secret: the index does not.
func TestSecretsInSubjectsAreMasked(t *testing.T) {
	w := committed(t)
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	w.write("a.go", "package p\n\nfunc Beta() {}\n")
	w.git("commit", "-qam", "use the token "+secret+" in Beta")
	s := openAt(t, w.dir, t.TempDir(), true)
	await := follow(t, s)
	await(api.StateReady)
	if got := historyOf(t, s); got != (api.History{Commits: 2}) {
		t.Fatalf("the history is %+v, want 2 commits", got)
	}
	r, err := session.Stored(s.session).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.History(t.Context())
	r.Close()
	if err != nil || len(h.Subjects) != 2 || !strings.HasPrefix(h.Subjects[0].Text, "use the token ") || h.Subjects[1].Text != "one" {
		t.Errorf("the subjects are %+v, %v", h.Subjects, err)
	}
	path := session.Stored(s.session).Path()
	closeSession(t, s)
	stored, err := os.ReadFile(path)
	if err != nil || bytes.Contains(stored, []byte(secret)) || strings.Contains(fmt.Sprint(h.Subjects), secret) {
		t.Errorf("the index holds the secret (%v)", err)
	}
}

func TestASessionClosesWhileGitStalls(t *testing.T) {
	w := committed(t)
	running := gittest.Stall(t)
	s := openAt(t, w.dir, t.TempDir(), false)
	ctx, cancel := context.WithCancel(t.Context())
	indexed := make(chan error, 1)
	go func() {
		_, err := s.Index(ctx, func(api.Progress) {})
		indexed <- err
	}()
	defer running()()
	cancel()
	if err := <-indexed; err == nil {
		t.Error("Index returned no error although it was cancelled")
	}
	closeSession(t, s)
}
