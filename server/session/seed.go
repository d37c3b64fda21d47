package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ambit/indexer/watch"
	"ambit/vectors/clone"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

const (
	// minSeedFiles is the least that a tree must have to begin as a copy: fewer are
	// indexed as fast as a copy is found.
	minSeedFiles = 50
	// maxSeedPeeks bounds how many indexes are looked into, the latest first. A look
	// reads the list of files, which takes 10 ms for 10,000.
	maxSeedPeeks = 8
	// maxSeedTries is how often a copy is tried of an index that is written to.
	maxSeedTries = 3
)

// seed starts the index at path, if there is none, as a copy of another workspace's
// that holds much the same files: another worktree, a second clone. It says in one
// line what it did, "" for nothing. All files of the copy are compared with the tree
// when it is brought up to date, so what comes of it is what a new index would hold.
//
// Nothing that goes wrong here is an error: a new index is built then.
func (s *Session) seed(ctx context.Context, path string, tree []watch.Entry, o store.Options) (notice string) {
	from, same := s.alike(ctx, path, tree, o)
	if from == "" {
		return ""
	}
	err := clone.Make(ctx, path, from, o)
	for i := 1; i < maxSeedTries && errors.Is(err, store.ErrChanged); i++ {
		err = clone.Make(ctx, path, from, o)
	}
	if err != nil {
		s.log.Info("index not copied", "from", from, "error", err)
		return ""
	}
	return fmt.Sprintf("a new index, begun as a copy of %s, which has %d of %d files alike",
		filepath.Base(filepath.Dir(from)), same, len(tree))
}

// alike returns the index beside the one at path that has most files of the tree with
// the size they have, and how many those are; "" when none has half of them.
func (s *Session) alike(ctx context.Context, path string, tree []watch.Entry, o store.Options) (best string, most int) {
	if len(tree) < minSeedFiles {
		return "", 0
	}
	for _, at := range workspace.Siblings(path, maxSeedPeeks) {
		if ctx.Err() != nil {
			return "", 0
		}
		files, err := store.ReadFiles(at, o)
		if err != nil {
			s.log.Debug("index not looked into", "index", at, "error", err)
			continue
		}
		if n := nSame(files, tree); n > most && 2*n >= max(len(files), len(tree)) {
			best, most = at, n
		}
	}
	return best, most
}

// nSame counts the files that an index and a tree, both sorted by path, have alike in
// path and size.
func nSame(files []record.File, tree []watch.Entry) (n int) {
	for len(files) > 0 && len(tree) > 0 {
		order := strings.Compare(string(files[0].Path), tree[0].Path)
		if order == 0 && files[0].Size == tree[0].Size {
			n++
		}
		if order <= 0 {
			files = files[1:]
		}
		if order >= 0 {
			tree = tree[1:]
		}
	}
	return n
}

// absent reports whether there is no file at path.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}
