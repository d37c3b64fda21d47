package workspace

import (
	"os"
	"sync/atomic"
)

// Directory is the open root directory of a workspace. It reads nothing outside of the
// root, not even through symbolic links. It is safe for concurrent use.
//
// Another directory can take the name of the root, as when a worktree is removed and
// added again. [Directory.Renew] follows the name.
type Directory struct {
	name string
	root atomic.Pointer[os.Root]
}

// OpenDirectory opens the directory with a name.
func OpenDirectory(name string) (*Directory, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	d := &Directory{name: name}
	d.root.Store(root)
	return d, nil
}

// Current reports whether the name still belongs to the open directory.
func (d *Directory) Current() bool {
	now, err := os.Stat(d.name)
	if err != nil {
		return false
	}
	old, err := d.root.Load().Stat(".")
	return err == nil && os.SameFile(old, now)
}

// Renew opens the directory that has the name now. Reads under way from the old directory
// finish, and the garbage collector closes it after them.
func (d *Directory) Renew() error {
	if d.Current() {
		return nil
	}
	root, err := os.OpenRoot(d.name)
	if err == nil {
		d.root.Store(root)
	}
	return err
}

// OpenFile opens a file as [os.Root.OpenFile] does.
func (d *Directory) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return d.root.Load().OpenFile(name, flag, perm)
}

// Lstat describes a file as [os.Root.Lstat] does.
func (d *Directory) Lstat(name string) (os.FileInfo, error) { return d.root.Load().Lstat(name) }

// Stat describes a file as [os.Root.Stat] does.
func (d *Directory) Stat(name string) (os.FileInfo, error) { return d.root.Load().Stat(name) }

// Close closes the directory.
func (d *Directory) Close() error { return d.root.Load().Close() }
