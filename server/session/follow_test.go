package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/server/session"
	"ambit/vectors/record"
)

// synced waits until the session knows every change made before the call.
func synced(t *testing.T, s *opened) {
	t.Helper()
	session.Synced(t.Context(), s.session)
	if err := t.Context().Err(); err != nil {
		t.Fatal(err)
	}
}

func TestRunFollowsOtherPrograms(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n", "old/b.go": "package old\n\nfunc Beta() {}\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	w.write("deep/in/c.go", "package in\n\nfunc Gamma() {}\n")
	w.remove("old")
	w.write("a.go", "package p\n\nfunc Delta() {}\n")
	for !strings.Contains(find(t, s, "Gamma"), "deep/in/c.go") || strings.Contains(find(t, s, "Beta"), "old/b.go") || !strings.Contains(find(t, s, "Delta"), "a.go") {
		await(api.StateIndexing)
		await(api.StateReady)
	}
}

func TestSaveByRenameIsOneChange(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	rename := func(from, to string) {
		if err := os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	saves := map[string]func(text string){
		"vim": func(text string) {
			w.write("4913", "")
			w.remove("4913")
			rename("a.go", "a.go~")
			w.write("a.go", text)
			w.remove("a.go~")
		},
		"JetBrains": func(text string) {
			w.write("a.go___jb_tmp___", text)
			rename("a.go", "a.go___jb_old___")
			rename("a.go___jb_tmp___", "a.go")
			w.remove("a.go___jb_old___")
		},
		"VS Code": func(text string) { w.write("a.go", text) },
		"sed -i": func(text string) {
			w.write("sedAb12Cd", text)
			rename("sedAb12Cd", "a.go")
		},
	}
	for name, save := range saves {
		s.Pause()
		await(api.StatePaused)
		save("package p\n\nfunc " + strings.ReplaceAll(strings.ReplaceAll(name, " ", ""), "-", "") + "() {}\n")
		synced(t, s)
		s.Resume()
		if st := await(api.StateIndexing); st.Total != 1 {
			t.Errorf("a save in the way of %s is %d changes, want 1", name, st.Total)
		}
		await(api.StateReady)
	}
}

func TestStormIsOneBatch(t *testing.T) {
	const n = 8000 // a checkout, and more than a question lists one by one
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	var paths []record.Path
	for i := range n {
		path := fmt.Sprintf("d%d/f%d.txt", i%10, i)
		w.write(path, fmt.Sprintf("the file numbered %d\n", i))
		paths = append(paths, record.Path(path))
	}
	s.Changed(paths)
	synced(t, s)
	s.Resume()
	if st := await(api.StateIndexing); st.Total != n {
		t.Errorf("the first batch has %d files, want %d", st.Total, n)
	}
	if st := await(api.StateReady); st.Files != n+1 || st.Pending != 0 {
		t.Errorf("got %+v, want %d files", st, n+1)
	}
}

func TestIndexSurvivesAMissingWorkspace(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	away := w.dir + ".away"
	if err := os.Rename(w.dir, away); err != nil {
		t.Fatal(err)
	}
	st := await(api.StateFailed)
	if !strings.Contains(st.Message, "read workspace "+w.dir) || !strings.HasSuffix(st.Message, "check that it still exists and can be read") || st.Files != 1 {
		t.Errorf("got %+v, want one line with the next step, and the file kept", st)
	}
	if err := os.WriteFile(filepath.Join(away, "b.go"), []byte("package p\n\nfunc Beta() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, w.dir); err != nil {
		t.Fatal(err)
	}
	await(api.StateReady)
	if got := find(t, s, "Beta"); !strings.Contains(got, "b.go") {
		t.Errorf("the search misses a file written while the workspace was away: %s", got)
	}
}

func TestReplacedWorkspaceDirectoryIsFollowed(t *testing.T) {
	for _, noticed := range []bool{true, false} {
		w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n", "same.go": "package p\n\nfunc Same() {}\n"})
		s := w.open()
		await := follow(t, s)
		await(api.StateReady)
		w.remove(".")
		if noticed {
			await(api.StateFailed)
		}
		w.write("same.go", "package p\n\nfunc Same() {}\n")
		w.write("b.go", "package p\n\nfunc Beta() {}\n")
		if noticed {
			await(api.StateReady)
		}
		b := freshContextOf(t, s, "Beta Same Alpha")
		if !strings.Contains(b.Text, "func Beta") || !strings.Contains(b.Text, "func Same") || strings.Contains(b.Text, "func Alpha") {
			t.Errorf("got\n%s", b.Text)
		}
		w.write("c.go", "package p\n\nfunc Gamma() {}\n")
		if b := freshContextOf(t, s, "Gamma"); !strings.Contains(b.Text, "func Gamma") {
			t.Errorf("got\n%s", b.Text)
		}
		await(api.StateIndexing)
		await(api.StateReady)
	}
}
