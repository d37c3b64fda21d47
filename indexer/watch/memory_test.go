package watch_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore/gittest"
	"ambit/indexer/watch"
	"ambit/indexer/watch/treetest"
)

// remembering returns a filter whose scans remember what they list in the file memory, and one
// whose scans list all directories. For the former a directory is settled at once; the
// caller calls tick after each scan.
func remembering(t *testing.T, root, memory string) (remembers, lists *watch.Filter) {
	t.Helper()
	if !watch.RemembersOn(root) {
		t.Skip("on this file system scans list every directory")
	}
	remembers, err := watch.NewFilter(root, watch.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	remembers.SetSettledAfter(0)
	if lists, err = watch.NewFilter(root, watch.Options{}); err != nil {
		t.Fatal(err)
	}
	return remembers, lists
}

// tick waits until the clock of the file system has moved on.
func tick(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, "tick")
	stamp := func() time.Time {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for first := stamp(); !stamp().After(first); {
	}
}

// scanBoth scans with both filters, compares what they find, and returns the directories that the
// one that remembers has listed.
func scanBoth(t *testing.T, remembers, lists *watch.Filter) []string {
	t.Helper()
	got, dirs, err := watch.Listed(t.Context(), remembers)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := watch.Listed(t.Context(), lists)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("with a memory (-without +with):\n%s", diff)
	}
	return dirs
}

// TestAScanWithAMemoryFindsTheSame changes trees at random, also the times of their directories, and
// compares scans that remember directories with scans that list them.
func TestAScanWithAMemoryFindsTheSame(t *testing.T) {
	gittest.Home(t)
	steps := 60
	if testing.Short() {
		steps = 15
	}
	listed, remembered := 0, 0
	for seed := range uint64(4) {
		cache := t.TempDir()
		g := treetest.New(t, filepath.Join(t.TempDir(), "tree"))
		remembers, lists := remembering(t, g.Dir, filepath.Join(cache, "directories"))
		for i, step := range treetest.Plan(seed, steps) {
			for _, s := range step {
				g.Do(s)
			}
			if i%3 == 0 { // as rsync and tar do after they have written
				past := time.Date(2020, 1, 1, 0, 0, i%2, 0, time.UTC)
				for _, p := range g.Files() {
					g.Must(os.Chtimes(filepath.Dir(g.Full(p)), past, past))
				}
			}
			dirs := scanBoth(t, remembers, lists)
			if tick(t, cache); len(dirs) > 0 {
				listed++
			} else {
				remembered++
			}
		}
	}
	if listed == 0 || remembered == 0 {
		t.Errorf("%d scans listed directories, %d none, want both", listed, remembered)
	}
}

func TestAScanListsOnlyDirectoriesThatHaveChanged(t *testing.T) {
	root, cache := tree(t, "a.go", "lib/b.go", "lib/deep/c.go", "web/d.js", "web/.gitignore"), t.TempDir()
	remembers, lists := remembering(t, root, filepath.Join(cache, "directories"))
	tick(t, cache)
	write := func(p, text string) func() error {
		return func() error { return os.WriteFile(filepath.Join(root, p), []byte(text), 0o600) }
	}
	for _, step := range []struct {
		name   string
		change func() error
		want   []string
	}{
		{"at first", func() error { return nil }, []string{"", "lib/", "lib/deep/", "web/"}},
		{"nothing", func() error { return nil }, nil},
		{"a file is written", write("lib/deep/c.go", "package deep // longer"), nil},
		{"rules are written", write("web/.gitignore", "*.js"), nil},
		{"a file is new", write("lib/new.go", "package lib"), []string{"lib/"}},
		{"a file is gone", func() error { return os.Remove(filepath.Join(root, "lib/new.go")) }, []string{"lib/"}},
		{"a directory has another name", func() error { return os.Rename(filepath.Join(root, "lib/deep"), filepath.Join(root, "web/deep")) }, []string{"lib/", "web/", "web/deep/"}},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		got := scanBoth(t, remembers, lists)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s, listed (-want +got):\n%s", step.name, diff)
		}
		tick(t, cache)
	}
}

func TestADirectoryThatHasJustChangedIsListedAgain(t *testing.T) {
	root, memory := tree(t, "a.go", "lib/b.go"), filepath.Join(t.TempDir(), "directories")
	remembers, lists := remembering(t, root, memory)
	remembers.SetSettledAfter(time.Hour)
	for range 2 {
		if got := scanBoth(t, remembers, lists); len(got) != 2 {
			t.Errorf("listed %q, want both directories", got)
		}
	}
}

// TestADamagedMemoryIsNotUsed damages the file in each of its bytes, cuts it, and puts other
// things in its place.
func TestADamagedMemoryIsNotUsed(t *testing.T) {
	root, cache := tree(t, "a.go", "lib/b.go", "lib/deep/c.go"), t.TempDir()
	memory := filepath.Join(cache, "directories")
	remembers, lists := remembering(t, root, memory)
	tick(t, cache)
	const dirs = 3
	scanBoth(t, remembers, lists)
	sound, err := os.ReadFile(memory)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, want int) {
		t.Helper()
		if got := scanBoth(t, remembers, lists); len(got) != want {
			t.Errorf("%s: %d directories listed, want %d", name, len(got), want)
		}
	}
	check("sound", 0)
	for i := range sound {
		damaged := bytes.Clone(sound)
		damaged[i] ^= 1 << (i % 8)
		put(t, memory, damaged)
		check(fmt.Sprintf("damaged at %d", i), dirs)
		put(t, memory, sound[:i])
		check(fmt.Sprintf("cut at %d", i), dirs)
	}
	now, err := os.ReadFile(memory)
	if err != nil || !bytes.Equal(now, sound) {
		t.Errorf("%v; the memory is not what it was before the damage", err)
	}
	if err := os.Remove(memory); err != nil {
		t.Fatal(err)
	}
	check("gone", dirs)
	for name, replace := range map[string]func() error{
		"a directory": func() error { return os.MkdirAll(filepath.Join(memory, "full"), 0o700) },
		"a pipe":      func() error { return syscall.Mkfifo(memory, 0o600) },
		"no rights":   func() error { return os.WriteFile(memory, sound, 0o000) },
	} {
		if err := os.RemoveAll(memory); err != nil {
			t.Fatal(err)
		}
		if err := replace(); err != nil {
			t.Fatal(err)
		}
		t.Log(name)
		scanBoth(t, remembers, lists)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*.new"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v; files left: %q", err, left)
	}
}

func TestOnlyTheUserReadsTheMemory(t *testing.T) {
	root, cache := tree(t, "a.go"), t.TempDir()
	memory := filepath.Join(cache, "directories")
	remembers, lists := remembering(t, root, memory)
	tick(t, cache)
	scanBoth(t, remembers, lists)
	info, err := os.Stat(memory)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want mode 0600", info, err)
	}
}

func TestTheMemoryOfScansIsBounded(t *testing.T) {
	root, cache := tree(t, "a.go", "lib/a-file-with-a-long-name.go", "web/d.js"), t.TempDir()
	memory := filepath.Join(cache, "directories")
	remembers, lists := remembering(t, root, memory)
	tick(t, cache)
	const most = 110 // the root and one small directory
	watch.SetMaxMemory(t, most)
	for _, want := range [][]string{{"", "lib/", "web/"}, {"lib/"}} {
		if diff := cmp.Diff(want, scanBoth(t, remembers, lists)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if info, err := os.Stat(memory); err != nil || info.Size() > most {
			t.Errorf("%v; the file is %v, want at most %d bytes", err, info, most)
		}
	}
}

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
