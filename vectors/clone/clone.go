// Package clone starts the index of a workspace as a copy of the index of another one
// that holds much the same files: another worktree, a second clone of a repository.
//
// A copy shares the layers of the original, see [Share]; only what lies above them is
// copied. The original may be open in another process. The copy takes no file for granted: every
// time is voided, so that each file is read and compared before its records are used.
package clone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ambit/vectors/pages"
	"ambit/vectors/store"
)

// staleAge is how old an unfinished copy must be for RemoveStale: longer than any copy
// takes.
const staleAge = time.Hour

// infix is part of the name of a copy that is not whole yet.
const infix = ".clone-"

// Make starts the index at path, which does not exist, as a copy of the one at from. Its
// errors are those of [store.ReadFiles] and those of the system; path then stays as it
// is, also when another process has made it meanwhile.
func Make(ctx context.Context, path, from string, o store.Options) error {
	if err := copyIndex(ctx, path, from, o); err != nil {
		return fmt.Errorf("copy index %s: %w", from, err)
	}
	return nil
}

// temporary returns a new file beside path, which the caller closes and removes.
func temporary(path string) (*os.File, error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+infix+"*") // of mode 0600
	return file, store.Explain(err)
}

// Share makes the index at path one that shares its contents with its later copies, see
// [store.Share]. No process may have it open.
func Share(ctx context.Context, path string, o store.Options) error {
	to, err := temporary(path)
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	if err := to.Close(); err != nil {
		return store.Explain(err)
	}
	return store.Share(ctx, path, to.Name(), o)
}

func copyIndex(ctx context.Context, path, from string, o store.Options) error {
	to, err := temporary(path)
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	if err := errors.Join(copyPages(to, from), store.Explain(to.Close()), ctx.Err()); err != nil {
		return err
	}
	if err := store.LinkLayers(to.Name(), from); err != nil {
		return err
	}
	db, err := store.Open(to.Name(), o)
	if err != nil {
		return err
	}
	if err := errors.Join(db.Reset(ctx, from), db.Close()); err != nil {
		return err
	}
	return os.Link(to.Name(), path) // which, unlike a rename, replaces nothing
}

// copyPages copies one state of the index at from.
func copyPages(to *os.File, from string) error {
	return store.ReadUnlocked(from, func(s *pages.State, file *os.File) error {
		_, err := io.CopyN(to, file, s.Bytes()) // by the system, where it can share the blocks
		return err
	})
}

// RemoveStale removes the unfinished copies of processes that were killed in a Make for
// the index at path.
func RemoveStale(path string) {
	dir, prefix := filepath.Dir(path), filepath.Base(path)+infix
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAge {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
