package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ambit/server/api"
	"ambit/server/workspace"
)

func TestFindRootTakesTheRepositoryThenTheProject(t *testing.T) {
	dir := tree(t, "repo/.git/HEAD", "repo/web/package.json", "repo/web/src/app.js", "plain/go.mod", "plain/sub/a.go", "none/sub/a.txt")
	tests := []struct{ name, path, want string }{
		{"a repository before a nearer project", "repo/web/src/app.js", "repo"},
		{"the root itself", "repo", "repo"},
		{"a project", "plain/sub", "plain"},
		{"a file that does not exist", "plain/sub/gone.go", "plain"},
		{"neither", "none/sub/a.txt", "none/sub"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := workspace.FindRoot(filepath.Join(dir, tt.path))
			if want := filepath.Join(dir, tt.want); got != want || err != nil {
				t.Errorf("FindRoot(%s) = %s, %v; want %s", tt.path, got, err, want)
			}
		})
	}
	t.Setenv("HOME", dir)
	for _, wide := range []string{"/", dir} {
		if got, err := workspace.FindRoot(wide); !errors.Is(err, workspace.ErrWide) {
			t.Errorf("FindRoot(%s) = %s, %v; want %v", wide, got, err, workspace.ErrWide)
		}
	}
}

func TestInsideFollowsTheLinksAboveAFile(t *testing.T) {
	dir := tree(t, "root/sub/a.go", "other/b.go")
	if err := os.Symlink(filepath.Join(dir, "root"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	for _, full := range []string{filepath.Join(root, "sub", "a.go"), filepath.Join(dir, "link", "sub", "a.go")} {
		if got, err := workspace.Inside(root, full); got != "sub/a.go" || err != nil {
			t.Errorf("Inside(%s) = %q, %v; want sub/a.go", full, got, err)
		}
	}
	if got, err := workspace.Inside(root, filepath.Join(dir, "other", "b.go")); !errors.Is(err, api.ErrQuestion) {
		t.Errorf("Inside of another directory = %q, %v; want %v", got, err, api.ErrQuestion)
	}
}

func TestSiblingsArePrivateIndexesTheLatestFirst(t *testing.T) {
	dir := tree(t, "a/index.db", "b/index.db", "c/index.db", "open/index.db", "none/other")
	if err := os.Chmod(filepath.Join(dir, "open", "index.db"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "c", "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	later := info.ModTime().Add(1e9)
	if err := os.Chtimes(filepath.Join(dir, "b", "index.db"), later, later); err != nil {
		t.Fatal(err)
	}
	got := workspace.Siblings(filepath.Join(dir, "a", "index.db"), 8)
	if len(got) != 2 || got[0] != filepath.Join(dir, "b", "index.db") || got[1] != filepath.Join(dir, "c", "index.db") {
		t.Errorf("Siblings = %q, want those of b and c", got)
	}
}

// tree makes private files and returns the directory that holds them.
func tree(t *testing.T, paths ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		full := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
