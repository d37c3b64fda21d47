package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"ambit/server/workspace"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyTheIndexesOfWorktreesThatHaveGoneAreRemoved(t *testing.T) {
	dir := t.TempDir()
	cache, repo := filepath.Join(dir, "cache"), filepath.Join(dir, "repo", ".git")
	write(t, filepath.Join(repo, "HEAD"), "ref: refs/heads/main\n")
	worktree := func(name, repo string) (root string) {
		root = filepath.Join(dir, name)
		git := filepath.Join(repo, "worktrees", name)
		write(t, filepath.Join(root, ".git"), "gitdir: "+git+"\n")
		write(t, filepath.Join(git, "HEAD"), "0123\n")
		index := filepath.Join(cache, name, workspace.IndexName)
		write(t, index, "index")
		workspace.NoteWorktree(filepath.Dir(index), root)
		return root
	}
	elsewhere := filepath.Join(dir, "elsewhere", ".git")
	write(t, filepath.Join(elsewhere, "HEAD"), "ref: refs/heads/main\n")
	worktree("stays", repo)
	for name, repo := range map[string]string{"gone": repo, "locked": repo, "open": repo, "unmounted": elsewhere} {
		if err := os.RemoveAll(worktree(name, repo)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(repo, "worktrees", "locked", "locked"), "on a disk\n")
	if err := os.RemoveAll(filepath.Dir(elsewhere)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(cache, "no-worktree", workspace.IndexName), "index")
	held, err := workspace.TakeLock(filepath.Join(cache, "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()

	workspace.RemoveOrphans(filepath.Join(cache, "stays"))
	for name, want := range map[string]bool{"stays": true, "gone": false, "locked": true, "open": true, "unmounted": true, "no-worktree": true} {
		if _, err := os.Stat(filepath.Join(cache, name, workspace.IndexName)); (err == nil) != want {
			t.Errorf("the index of %q: %v, want it to stay: %t", name, err, want)
		}
	}
	if !workspace.HasWorktrees(filepath.Join(dir, "repo")) || !workspace.HasWorktrees(filepath.Join(dir, "stays")) {
		t.Error("a repository with worktrees does not count as one")
	}
	if workspace.HasWorktrees(dir) {
		t.Error("a folder without a repository counts as a worktree")
	}
}
