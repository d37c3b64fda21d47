package attach

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keptVersions is how many indexes of a workspace stay that other builds of ambit have
// made: an editor may bring a build of its own.
const keptVersions = 1

// collectGarbage removes the indexes that former builds of ambit have made of the
// workspace, except the latest and those that a process has open. It is called when
// this build has made an index: then there may be one too many. The directories differ
// in what follows the last "-" of their names. What cannot be removed is left for the
// next time.
func (f files) collectGarbage() {
	name := filepath.Base(f.dir)
	workspace := name[:strings.LastIndexByte(name, '-')+1]
	entries, err := os.ReadDir(filepath.Dir(f.dir))
	if err != nil || workspace == "" {
		return
	}
	type version struct {
		files
		used int64 // when its index got its latest owner; 0 without a lock file
	}
	var others []version
	for _, e := range entries {
		if e.Name() == name || !strings.HasPrefix(e.Name(), workspace) || len(e.Name()) != len(name) {
			continue
		}
		v := version{files: files{filepath.Join(filepath.Dir(f.dir), e.Name())}}
		if info, err := os.Lstat(v.lock()); err == nil { // otherwise a removal was interrupted
			v.used = info.ModTime().UnixNano()
		}
		others = append(others, v)
	}
	slices.SortFunc(others, func(a, b version) int { return cmp.Compare(b.used, a.used) })
	for _, v := range others[min(len(others), keptVersions):] {
		if lock, err := v.take(); err == nil {
			os.RemoveAll(v.dir)
			lock.Close()
		}
	}
}
