package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"ambit/indexer/chunk"
	"ambit/indexer/watch"
	"ambit/server/snapshot"
	"ambit/server/workspace"
	"ambit/vectors/clone"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// loadIndex opens the index and loads the views. It returns the number of files written
// since the views were saved. It closes a damaged index and starts a new one. Scan
// returns the tree.
func (s *Session) loadIndex(ctx context.Context, o *Options, scan func() *watch.Tree) (unsaved int, err error) {
	if err := s.openIndex(ctx, o, scan); err != nil {
		return 0, err
	}
	s.index, unsaved, err = snapshot.Load(ctx, s.db, s.embed.Dim(), o.OneQuestion, s.log)
	if !s.isDamaged() {
		return unsaved, err
	}
	_ = s.db.Close() // the damaged index is not used
	if err := s.openIndex(ctx, o, scan); err != nil {
		return 0, err
	}
	s.notice = "the index file was damaged; kept beside, building a new index"
	s.index, unsaved, err = snapshot.Load(ctx, s.db, s.embed.Dim(), o.OneQuestion, s.log)
	return unsaved, err
}

func (s *Session) isDamaged() bool {
	select {
	case <-s.db.Damaged():
		return true
	default:
		return false
	}
}

// openIndex opens the index file or starts a new one. The new one is a clone if another
// index has mostly the same files.
func (s *Session) openIndex(ctx context.Context, o *Options, scan func() *watch.Tree) (err error) {
	so := store.Options{
		LockTimeout: o.LockTimeout,
		Logger:      o.Logger,
		Model:       s.embed.Name(),
		Dim:         s.embed.Dim(),
		Recipe:      recipe(o.Build, o.chunk(s.set), s.set.ShowSecrets),
	}
	clone.RemoveStale(o.Index)
	var cloned string
	switch {
	case o.Rebuild:
		if err := discard(o.Index, so); err != nil {
			return err
		}
	case absent(o.Index) && !store.MovedAside(o.Index): // what was damaged may be what a clone shares
		cloned = s.clone(ctx, o.Index, scan(), so)
	case workspace.HasWorktrees(s.root):
		if err := share(ctx, o.Index, so); err != nil { // the next worktree copies all of it
			s.log.Info("index not shared", "index", o.Index, "error", err)
		}
	}
	if s.db, s.notice, err = store.OpenOrRebuild(o.Index, so); errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w; wait until it is done, or end it", err)
	}
	if cloned != "" && o.LongLived { // an editor would show the notice, which is not worth it
		s.log.Info(cloned)
		cloned = ""
	}
	s.notice = cmp.Or(s.notice, cloned)
	return err
}

// recipe names everything except the bytes of a file that its records depend on. The
// build of the program stands for its parsers and rules: the session neither keeps nor
// clones the records of another build, because they may differ from new ones.
func recipe(build string, o chunk.Options, showSecrets []string) string {
	return fmt.Sprintf("%s %s %s %d %d %t %q %q", build, chunk.Recipe, o.ContextMode, o.MaxTokens, o.OverlapTokens, o.TextOnly, o.Without, showSecrets)
}

// discard removes an index file unless another process uses it.
func discard(path string, o store.Options) error {
	db, err := store.Open(path, o)
	if errors.Is(err, store.ErrInUse) {
		return err
	}
	if err == nil {
		err = db.Close()
	}
	if removeErr := os.Remove(path); removeErr != nil && !errors.Is(removeErr, os.ErrNotExist) {
		return fmt.Errorf("remove the old index: %w", errors.Join(removeErr, err))
	}
	return nil
}

// absent reports whether there is no file at path.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

const (
	// minCloneFiles is the smallest tree that is cloned: indexing fewer files takes no
	// longer than finding a clone.
	minCloneFiles = 50
	// maxSiblings bounds the indexes that alike reads, the latest first. Reading a list
	// of 10,000 files takes 10 ms.
	maxSiblings = 8
	// minShareBytes is how large an index is before its copies share what it holds: every
	// index on a layer has a table of its files of its own, which takes 1 MB for 5,000
	// files, and each further layer makes reading a little slower.
	minShareBytes = 2 << 20
	// maxCloneTries bounds the attempts to clone an index that its process is writing.
	maxCloneTries = 3
)

// clone starts the index at path as a copy of the index of another workspace with mostly
// the same files, such as another worktree or a second checkout. It returns one line
// about the clone, or "". Indexing then compares all files with the tree, so the result
// equals a new index.
//
// A failure is not an error: the session builds a new index instead.
func (s *Session) clone(ctx context.Context, path string, tree *watch.Tree, o store.Options) (notice string) {
	from, same := s.alike(ctx, path, tree, o)
	if from == "" {
		return ""
	}
	if err := shareOther(ctx, from, o); err != nil { // the copy then holds all of it
		s.log.Info("index not shared", "index", from, "error", err)
	}
	err := clone.Make(ctx, path, from, o)
	for i := 1; i < maxCloneTries && errors.Is(err, store.ErrChanged); i++ {
		err = clone.Make(ctx, path, from, o)
	}
	if err != nil {
		s.log.Info("index not cloned", "from", from, "error", err)
		return ""
	}
	return fmt.Sprintf("a new index, begun as a copy of %s, which has %d of %d files alike",
		filepath.Base(filepath.Dir(from)), same, tree.Len())
}

// shareOther is share for the index of another workspace, unless a process has it open.
func shareOther(ctx context.Context, path string, o store.Options) error {
	lock, err := workspace.TakeLock(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(share(ctx, path, o), lock.Close())
}

// share makes what the index at path holds a layer that its copies share, unless that is
// little. The caller has the lock of the index.
func share(ctx context.Context, path string, o store.Options) error {
	if info, err := os.Stat(path); err != nil || info.Size() < minShareBytes {
		return err
	}
	return clone.Share(ctx, path, o)
}

// alike returns the sibling of the index at path that shares the most files of the tree,
// with their sizes, and their number. It returns "" when no sibling has half of them.
func (s *Session) alike(ctx context.Context, path string, tree *watch.Tree, o store.Options) (best string, most int) {
	if tree == nil || tree.Len() < minCloneFiles {
		return "", 0
	}
	n := tree.Len()
	for _, at := range workspace.Siblings(path, maxSiblings) {
		if ctx.Err() != nil {
			return "", 0
		}
		files, err := store.ReadFiles(at, o)
		if err != nil {
			s.log.Debug("index not looked into", "index", at, "error", err)
			continue
		}
		if same := nSame(files, tree.All()); same > most && 2*same >= max(len(files), n) {
			best, most = at, same
		}
	}
	return best, most
}

// nSame counts the files with the same path and size in an index and a tree, both sorted
// by path.
func nSame(files []record.Row, tree iter.Seq[watch.Entry]) (n int) {
	for e := range tree {
		for len(files) > 0 && string(files[0].Path()) < e.Path {
			files = files[1:]
		}
		if len(files) > 0 && string(files[0].Path()) == e.Path && files[0].Size() == e.Size {
			n++
		}
	}
	return n
}
