package workspace

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keptBuilds is how many indexes of a workspace stay that other builds of ambit have
// made: an editor may bring a build of its own.
const keptBuilds = 1

// RemoveOldIndexes removes the indexes that former builds of ambit have made of the
// workspace whose index lies in dir, except the latest and those that a process has
// open. The directories differ in what follows the last "-" of their names. A directory
// that cannot be removed stays until the next time.
func RemoveOldIndexes(dir string) {
	name := filepath.Base(dir)
	workspace := name[:strings.LastIndexByte(name, '-')+1]
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || workspace == "" {
		return
	}
	type index struct {
		dir  string
		used int64 // when it got its latest owner; 0 without a lock file
	}
	var others []index
	for _, e := range entries {
		if e.Name() == name || !strings.HasPrefix(e.Name(), workspace) || len(e.Name()) != len(name) {
			continue
		}
		other := index{dir: filepath.Join(filepath.Dir(dir), e.Name())}
		if info, err := os.Lstat(filepath.Join(other.dir, LockName)); err == nil { // otherwise a removal was interrupted
			other.used = info.ModTime().UnixNano()
		}
		others = append(others, other)
	}
	slices.SortFunc(others, func(a, b index) int { return cmp.Compare(b.used, a.used) })
	for _, other := range others[min(len(others), keptBuilds):] {
		if lock, err := TakeLock(other.dir); err == nil {
			os.RemoveAll(other.dir)
			lock.Close()
		}
	}
}
