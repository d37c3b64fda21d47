package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ambit/indexer/githist"
)

// pastTree is a directory that has the files of one past commit after another, with a
// repository around it whose history ends there. The files are written by this package: git
// would start the filters that attributes of the tree name.
type pastTree struct {
	repo     *githist.Repository
	borrowed *githist.Borrowed
	contents *githist.Contents
	top      *os.Root
	root     string
	ids      map[string]string // of the files that are there
	clock    time.Time         // of the next file, so that every one has a time of its own
	maxBytes int64
}

// newPastTree makes an empty tree in dir, an empty directory. Files above maxBytes are left out.
func newPastTree(ctx context.Context, repo *githist.Repository, dir string, maxBytes int64) (*pastTree, error) {
	t := &pastTree{repo: repo, root: filepath.Join(dir, filepath.FromSlash(repo.Prefix())), ids: map[string]string{},
		clock: time.Now().Add(-24 * time.Hour), maxBytes: maxBytes}
	err := os.MkdirAll(t.root, 0o700)
	if err == nil {
		t.borrowed, err = repo.Borrow(dir)
	}
	if err == nil {
		t.top, err = os.OpenRoot(t.root)
	}
	if err != nil {
		return nil, fmt.Errorf("make a past tree: %w", err)
	}
	if t.contents, err = repo.Contents(ctx); err != nil {
		return nil, errors.Join(err, t.top.Close())
	}
	return t, nil
}

// close ends git. The directory stays.
func (t *pastTree) close() error { return errors.Join(t.contents.Close(), t.top.Close()) }

// move makes the tree that of a commit. It writes only the files that differ.
func (t *pastTree) move(ctx context.Context, commit string) error {
	files, err := t.repo.Files(ctx, commit)
	if err != nil {
		return err
	}
	there, lacking := make(map[string]bool, len(files)), 0
	for _, f := range files {
		there[f.Path] = f.Size >= 0 && f.Size <= t.maxBytes
		if f.Size < 0 {
			lacking++
		}
	}
	if 2*lacking > len(files) {
		return githist.ErrPartial
	}
	for name := range t.ids { // first, since a directory may take the place of a file
		if !there[name] {
			if err := t.remove(name); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		if !there[f.Path] || t.ids[f.Path] == f.ID || hidden(f.Path) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.write(f); err != nil {
			return fmt.Errorf("check out %s: %w", f.Path, err)
		}
	}
	return t.borrowed.SetHead(commit)
}

// hidden reports whether a path leads into a repository.
func hidden(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		if part == ".git" || part == ".." {
			return true
		}
	}
	return false
}

func (t *pastTree) write(f githist.Blob) error {
	content, err := t.contents.Read(f.ID)
	if err != nil {
		return err
	}
	if dir := path.Dir(f.Path); dir != "." {
		if err := t.top.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := t.top.WriteFile(f.Path, content, 0o600); err != nil {
		return err
	}
	t.ids[f.Path] = f.ID
	t.clock = t.clock.Add(time.Millisecond)
	return t.top.Chtimes(f.Path, t.clock, t.clock)
}

// remove removes a file and the directories that are empty then.
func (t *pastTree) remove(name string) error {
	if err := t.top.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	delete(t.ids, name)
	for dir := path.Dir(name); dir != "." && t.top.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return nil
}
