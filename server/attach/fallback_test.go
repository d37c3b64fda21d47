package attach_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ambit/server/attach"
	"ambit/server/workspace"
)

// unplaced returns a tree whose cache directory cannot be made, and the private directory
// of the machine.
func unplaced(t *testing.T) (w *tree, own string) {
	t.Helper()
	w = newTree(t, harbour)
	file := filepath.Join(w.cache, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.cache = filepath.Join(file, "cache")
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("XDG_RUNTIME_DIR", "")
	return w, filepath.Join(temp, "ambit-"+strconv.Itoa(os.Getuid()))
}

func TestAnIndexInTheFallbackDirectoryIsShared(t *testing.T) {
	w, own := unplaced(t)
	first, second := w.open(), w.open()
	for _, k := range []*client{first, second} {
		if got, want := k.Notice(), "directory you can write; until then the index is in "+own+"/cache"; !strings.HasSuffix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("notice %q, want one line that ends with %q", got, want)
		}
	}
	first.index()
	if got := second.find("Sail"); !strings.Contains(got, "ship.go Sail") || second.owns() {
		t.Errorf("the second finds %q, and owns the index: %t", got, second.owns())
	}
	second.close()
	first.close()
	again := w.open() // of what the first has indexed
	if got := again.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("a later one finds %q", got)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s has mode %v, %v", own, info.Mode(), err)
	}
}

func TestADirectoryOfAnotherUserIsNoFallback(t *testing.T) {
	w, own := unplaced(t)
	if err := os.Symlink(t.TempDir(), own); err != nil { // as in a directory of another user
		t.Fatal(err)
	}
	if _, err := attach.Open(t.Context(), w.dir, opener{root: w.dir}, w.options()); err == nil || !strings.Contains(err.Error(), "set XDG_CACHE_HOME") {
		t.Errorf("got %v, want the next step", err)
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if got := w.open().Notice(); !strings.Contains(got, os.Getenv("XDG_RUNTIME_DIR")) {
		t.Errorf("notice %q, want the other place", got)
	}
}

func TestALockFileThatIsALinkIsLeftAlone(t *testing.T) {
	w := newTree(t, harbour)
	t.Setenv("TMPDIR", t.TempDir())
	w.open().close()
	lock := filepath.Join(w.folder(), workspace.LockName)
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, lock); err != nil {
		t.Fatal(err)
	}
	if got := w.open().Notice(); !strings.Contains(got, "owner.lock is not a regular file; remove it; until then the index is in") {
		t.Errorf("notice %q", got)
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the target of the link holds %q, %v", text, err)
	}
}
