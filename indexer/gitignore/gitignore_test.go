package gitignore_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore"
	"ambit/indexer/gitignore/gittest"
	"ambit/indexer/watch"
)

// randomRepos is how many random repositories are compared with git. 3,000 gave no
// difference; a few hundred find every mistake that was planted for a trial.
const randomRepos = 200

// The random repositories also check watch.Scan, which adds rules of its own to git's.
func TestDirAndScanListTheFilesThatGitLists(t *testing.T) {
	home, n := gittest.Home(t), uint64(randomRepos)
	if testing.Short() {
		n /= 10
	}
	for seed := range n {
		repo := newSample(t, home, seed)
		if diff := cmp.Diff(repo.files, files(t, repo.root)); diff != "" {
			t.Fatalf("seed %d, root %s: files (-git +Dir):\n%s\n%s", seed, repo.root, diff, repo.rules)
		}
		if diff := cmp.Diff(repo.files, scan(t, repo.root)); diff != "" {
			t.Fatalf("seed %d, root %s: files (-git +Scan):\n%s\n%s", seed, repo.root, diff, repo.rules)
		}
	}
}

// scan returns the paths that watch.Scan lists, and checks each against Filter.Entry.
func scan(t *testing.T, root string) []string {
	t.Helper()
	f, err := watch.NewFilter(root, watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := watch.Scan(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, e := range entries {
		paths = append(paths, e.Path)
		if got, ok := f.Entry(e.Path); !ok || got != e {
			t.Errorf("Entry(%q) = %+v, %t; Scan has %+v", e.Path, got, ok, e)
		}
	}
	checkNoOtherEntry(t, f, root, paths)
	return paths
}

// checkNoOtherEntry checks that Entry returns no file that Scan has not listed.
func checkNoOtherEntry(t *testing.T, f *watch.Filter, root string, listed []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if got, ok := f.Entry(filepath.ToSlash(rel)); ok && !slices.Contains(listed, filepath.ToSlash(rel)) {
			t.Errorf("Entry(%q) = %+v, which Scan does not list", rel, got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestALinkedWorktreeKeepsItsRules(t *testing.T) {
	gittest.Home(t)
	main := t.TempDir()
	for name, text := range map[string]string{"a": "", ".gitignore": "*.log\n", "kept.log": ""} {
		write(t, filepath.Join(main, name), text)
	}
	gittest.Run(t, main, "init", "-q")
	gittest.Run(t, main, "add", "-f", ".")
	gittest.Run(t, main, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x")
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Run(t, main, "worktree", "add", "-q", linked)
	write(t, filepath.Join(main, ".git", "info", "exclude"), "hidden\n")
	write(t, filepath.Join(linked, "hidden"), "")
	write(t, filepath.Join(linked, "b.log"), "")
	want := gitFiles(t, linked)
	if diff := cmp.Diff(want, files(t, linked)); diff != "" || len(want) != 3 {
		t.Errorf("files (-git +got):\n%s", diff)
	}
}

func TestAnIgnoredRootHasItsOwnRules(t *testing.T) {
	gittest.Home(t)
	top := t.TempDir()
	gittest.Run(t, top, "init", "-q")
	for name, text := range map[string]string{".gitignore": "*\n", "work/a": "", "work/.gitignore": "b\n", "work/b": ""} {
		write(t, filepath.Join(top, name), text)
	}
	if diff := cmp.Diff([]string{".gitignore", "a"}, files(t, filepath.Join(top, "work"))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestFoundIsCalledBeforeTheIndexIsRead(t *testing.T) {
	gittest.Home(t)
	top := t.TempDir()
	gittest.Run(t, top, "init", "-q")
	write(t, filepath.Join(top, "a"), "")
	var repo *gitignore.Repo
	d := gitignore.Root(top, nil).OpenRepo(top, func(r *gitignore.Repo) {
		repo = r
		gittest.Run(t, top, "add", "a")
	})
	if repo == nil || repo.Top != top || repo.Dir != filepath.Join(top, ".git") || repo.Common != repo.Dir {
		t.Fatalf("found %+v, want the repository at %s", repo, top)
	}
	if !d.Tracks("a") || repo.IndexChanged() {
		t.Error("OpenRepo read the index before it called found")
	}
	gittest.Run(t, top, "rm", "-q", "--cached", "a")
	if !d.Tracks("a") || !repo.IndexChanged() {
		t.Error("the Dir has not kept its index, or IndexChanged has not seen the change")
	}
}

// files walks root by a Dir and returns the files that git lists.
func files(t testing.TB, root string) []string {
	t.Helper()
	found := []string{}
	var walk func(d gitignore.Dir, dir string, ignored bool)
	walk = func(d gitignore.Dir, dir string, ignored bool) {
		abs := filepath.Join(root, dir)
		entries, err := os.ReadDir(abs)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".git" }) {
			d = d.OpenRepo(abs, nil)
		}
		if !ignored {
			d = d.ReadIgnoreFile(abs)
		}
		for _, e := range entries {
			name, out := e.Name(), ignored || d.Ignores(e.Name(), e.IsDir())
			switch {
			case name == ".git":
			case e.IsDir():
				if sub := d.Sub(name); !out || sub.TracksBelow() {
					walk(sub, dir+name+"/", out && !d.Tracks(name))
				}
			case e.Type().IsRegular() && (!out || d.Tracks(name)):
				found = append(found, dir+name)
			}
		}
	}
	walk(gitignore.Root(root, nil), "", false)
	slices.Sort(found)
	return found
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
