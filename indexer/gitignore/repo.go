package gitignore

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Repo is one git repository, or one worktree of it.
type Repo struct {
	Top    string // of the working tree
	Dir    string // .git, or the worktree's own directory in it
	Common string // the .git that worktrees share
	config gitConfig
	names  func() *trackedNames // of the index, which is read at the first call
}

// IndexChanged reports whether the index on disk names other files than the index that r
// has read.
func (r *Repo) IndexChanged() bool {
	return !r.names().equal(readIndex(r.Dir, r.config.sha256))
}

// maxLinkBytes bounds the files of a repository that hold one path.
const maxLinkBytes = 64 << 10

// openRepo returns the repository whose working tree starts at top, or nil. It calls
// found as [Dir.OpenRepo] does.
func openRepo(top string, found func(*Repo)) *Repo {
	dir := filepath.Join(top, ".git")
	fi, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	if !fi.IsDir() {
		target, ok := strings.CutPrefix(strings.TrimSpace(string(readRegular(dir, maxLinkBytes))), "gitdir:")
		if !ok {
			return nil
		}
		if dir = strings.TrimSpace(target); !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
	}
	r := &Repo{Top: top, Dir: dir, Common: dir}
	if text := readRegular(filepath.Join(dir, "commondir"), maxLinkBytes); text != nil {
		if r.Common = strings.TrimSpace(string(text)); !filepath.IsAbs(r.Common) {
			r.Common = filepath.Join(dir, r.Common)
		}
	}
	r.names = sync.OnceValue(func() *trackedNames { return readIndex(dir, r.config.sha256) })
	if found != nil {
		found(r)
	}
	if !exists(filepath.Join(dir, "HEAD")) || !exists(filepath.Join(r.Common, "objects")) {
		return nil
	}
	r.config = readConfig(r)
	return r
}

// findRepo returns the repository that root lies in, or nil. It calls found as
// [Dir.OpenRepo] does.
func findRepo(root string, found func(*Repo)) *Repo {
	for top := root; ; {
		if r := openRepo(top, found); r != nil {
			return r
		}
		parent := filepath.Dir(top)
		if parent == top {
			return nil
		}
		top = parent
	}
}

// tracks reports whether the index has the file at p, relative to the repository's top.
func (r *Repo) tracks(p string) bool { return r != nil && r.names().has(p) }

// tracksBelow reports whether the index has files below dir, which ends in "/", or dir
// itself as a submodule.
func (r *Repo) tracksBelow(dir string) bool {
	return r != nil && (r.names().hasBelow(dir) || r.names().has(strings.TrimSuffix(dir, "/")))
}

// everywhere returns the rules that hold in the whole repository: info/exclude in front of
// the user's own file. Without a repository only the user's rules hold.
func everywhere(r *Repo) *Rules {
	var rules *Rules
	if r == nil {
		return rules.push(readIgnore(readConfig(nil).excludesFile, false, ruleList{}))
	}
	list := ruleList{fold: r.config.ignoreCase}
	return rules.push(readIgnore(r.config.excludesFile, false, list)).
		push(readIgnore(filepath.Join(r.Common, "info", "exclude"), false, list))
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}
