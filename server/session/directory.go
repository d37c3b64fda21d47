package session

import (
	"os"
	"sync/atomic"

	"ambit/indexer/pipeline"
)

var _ pipeline.Root = (*directory)(nil)

// directory is the root of the workspace, opened: nothing is read through it that lies
// outside, links or not. When another directory has taken its name, as a worktree that
// was removed and added again, it is that one from [directory.renew] on.
type directory struct {
	name string
	root atomic.Pointer[os.Root]
}

func openDirectory(name string) (*directory, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	d := &directory{name: name}
	d.root.Store(root)
	return d, nil
}

// stands reports whether the directory is still the one of that name.
func (d *directory) stands() bool {
	now, err := os.Stat(d.name)
	if err != nil {
		return false
	}
	old, err := d.root.Load().Stat(".")
	return err == nil && os.SameFile(old, now)
}

// renew opens the directory anew, if it is another one by now. Who reads from the old
// one goes on; it is closed with the last of them.
func (d *directory) renew() error {
	if d.stands() {
		return nil
	}
	root, err := os.OpenRoot(d.name)
	if err == nil {
		d.root.Store(root)
	}
	return err
}

// OpenFile opens a file as [os.Root.OpenFile] does.
func (d *directory) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return d.root.Load().OpenFile(name, flag, perm)
}

func (d *directory) Lstat(name string) (os.FileInfo, error) { return d.root.Load().Lstat(name) }
func (d *directory) Stat(name string) (os.FileInfo, error)  { return d.root.Load().Stat(name) }
func (d *directory) Close() error                           { return d.root.Load().Close() }
