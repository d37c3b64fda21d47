package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// worktreeName is the name of the file beside the index of a linked worktree of git. It
// holds the root of the workspace and, in a second line, the directory in the repository
// that stands for the worktree.
const worktreeName = "worktree"

// HasWorktrees reports whether the workspace at root is one of several worktrees of a
// repository: a linked one, or one that others are linked to.
func HasWorktrees(root string) bool {
	if _, linked := linkedTo(root); linked {
		return true
	}
	others, err := os.ReadDir(filepath.Join(root, ".git", "worktrees"))
	return err == nil && len(others) > 0
}

// linkedTo returns the directory in the repository that stands for the linked worktree at
// root; ok is false for every other workspace.
//
// Source: gitrepository-layout(5), for .git as a file and worktrees.
func linkedTo(root string) (dir string, ok bool) {
	if info, err := os.Lstat(filepath.Join(root, ".git")); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := os.ReadFile(filepath.Join(root, ".git"))
	target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if err != nil || !ok {
		return "", false
	}
	if dir = strings.TrimSpace(target); !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	return dir, filepath.Base(filepath.Dir(dir)) == "worktrees"
}

// NoteWorktree notes beside its index, in a directory, that the workspace at root is a
// linked worktree of git, so that [RemoveOrphans] finds the index when the worktree has
// gone. It does nothing for any other workspace. Without the note the index only stays.
func NoteWorktree(dir, root string) {
	if git, ok := linkedTo(root); ok {
		_ = os.WriteFile(filepath.Join(dir, worktreeName), []byte(root+"\n"+git+"\n"), 0o600)
	}
}

// RemoveOrphans removes from the cache directory of the index in dir the indexes of linked
// worktrees that have gone: the directory of the worktree has, and the repository, which is
// still there, has forgotten it or would with "git worktree prune". An index that a process
// has open stays.
func RemoveOrphans(dir string) {
	cache := filepath.Dir(dir)
	notes, err := filepath.Glob(filepath.Join(cache, "*", worktreeName))
	if err != nil {
		return
	}
	for _, note := range notes {
		orphan := filepath.Dir(note)
		if orphan == dir || !isOrphan(note) {
			continue
		}
		if lock, err := TakeLock(orphan); err == nil {
			os.RemoveAll(orphan)
			lock.Close()
		}
	}
}

// isOrphan reports whether a note tells of a worktree that has gone.
func isOrphan(note string) bool {
	if irregular(note) {
		return false
	}
	text, err := os.ReadFile(note)
	root, rest, found := strings.Cut(string(text), "\n")
	git, _, whole := strings.Cut(rest, "\n")
	if err != nil || !found || !whole || !filepath.IsAbs(root) {
		return false
	}
	common := filepath.Dir(filepath.Dir(git)) // the repository, whose disk may not be there
	return missing(root) && !missing(filepath.Join(common, "HEAD")) && !locked(git)
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// locked reports whether git keeps a worktree that is not there: one on a removable disk.
//
// Source: git-worktree(1), "lock".
func locked(git string) bool { return !missing(filepath.Join(git, "locked")) }
