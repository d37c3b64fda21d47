package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// largeProject is a project whose index is large enough to be shared.
func largeProject() map[string]string {
	files := project(70)
	for path, text := range files {
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		var b strings.Builder
		b.WriteString(text)
		name := strings.TrimSuffix(filepath.Base(path), ".go")
		for i := range 150 {
			fmt.Fprintf(&b, "\n// %s_%d adds the part %x to a number that its caller has.\nfunc %s_%d(n int) int {\n\treturn n*%d + helper%s(n) // %x\n}\n",
				name, i, i*7919, name, i, i*31, strings.TrimPrefix(name, "file"), i*104729)
		}
		files[path] = b.String()
	}
	return files
}

// bytesOnDisk returns what the indexes in a cache directory take, shared files once.
func bytesOnDisk(t *testing.T, cache string) (n int64) {
	t.Helper()
	var seen []os.FileInfo
	for _, path := range indexFiles(t, cache) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		again := false
		for _, other := range seen {
			again = again || os.SameFile(info, other)
		}
		if !again {
			n, seen = n+info.Size(), append(seen, info)
		}
	}
	return n
}

// indexFiles returns the indexes and their layers in a cache directory.
func indexFiles(t *testing.T, cache string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(cache, "*", "*.db"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestWorktreesShareWhatIsAlike(t *testing.T) {
	files := largeProject()
	first := newTree(t, files)
	one := first.openIn()
	index(t, one)
	check(t, one)
	alone := bytesOnDisk(t, first.cache)

	const more = 4
	for i := range more {
		w := first.clone(files)
		w.write(fmt.Sprintf("pkg2/own%d.go", i), fmt.Sprintf("package pkg2\n\nfunc Own%d() {}\n", i))
		w.remove("pkg3/file3.go")
		s := w.openIn()
		if report := index(t, s); report.Indexed != 1 || report.Removed != 1 {
			t.Errorf("worktree %d: %+v, want one file indexed and one removed", i, report)
		}
		got := held(t, s)
		check(t, s)
		if i == more-1 {
			fresh := *w
			fresh.cache = t.TempDir()
			f := fresh.openIn()
			index(t, f)
			if diff := cmp.Diff(held(t, f), got); diff != "" {
				t.Errorf("an index that shares (-fresh +got):\n%s", diff)
			}
		}
	}
	if all := bytesOnDisk(t, first.cache); all > alone*3/2 {
		t.Errorf("%d indexes take %d bytes, one takes %d", 1+more, all, alone)
	}
	for _, path := range indexFiles(t, first.cache) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", path, info.Mode(), err)
		}
	}
	one = first.openIn()
	if report := index(t, one); report.Indexed+report.Touched+report.Removed != 0 {
		t.Errorf("the first worktree after the others: %+v, want nothing to do", report)
	}
}

func TestADamagedSharedFileMakesEachWorktreeBeginAnew(t *testing.T) {
	files := largeProject()
	first := newTree(t, files)
	one := first.openIn()
	index(t, one)
	want := held(t, one)
	check(t, one)
	second := first.clone(files)
	two := second.openIn()
	index(t, two)
	check(t, two)

	layers, err := filepath.Glob(filepath.Join(first.cache, "*", "layer-*.db"))
	if err != nil || len(layers) != 2 {
		t.Fatalf("got layers %q, %v; want one with two names", layers, err)
	}
	data, err := os.ReadFile(layers[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) / 4; i < len(data)*3/4; i++ {
		data[i] ^= 0x5A
	}
	if err := os.WriteFile(layers[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*tree{first, second} {
		s := w.openIn()
		if s.Notice() == "" {
			t.Error("no notice says that the index was damaged")
		}
		index(t, s)
		if diff := cmp.Diff(want, held(t, s)); diff != "" {
			t.Errorf("the new index (-want +got):\n%s", diff)
		}
		check(t, s)
	}
}
