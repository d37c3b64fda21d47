package attach

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keptVersions is how many indexes of a workspace stay that other versions of ambit
// have made: an editor may bring a version of its own, and many have been before it.
const keptVersions = 1

// sweep removes what former versions of ambit have left of the workspace, save the
// latest, that nobody has open. It is called when this version has made an index of its
// own: then there may be one too many. The names of the folders are those of
// [session.IndexPath]. What goes wrong is left for the next time.
func (f files) sweep() {
	name := filepath.Base(f.dir)
	workspace := name[:strings.LastIndexByte(name, '-')+1]
	entries, err := os.ReadDir(filepath.Dir(f.dir))
	if err != nil || workspace == "" {
		return
	}
	type version struct {
		files
		used int64 // when its index got its last owner, 0 when it has no lock file
	}
	var others []version
	for _, e := range entries {
		if e.Name() == name || !strings.HasPrefix(e.Name(), workspace) || len(e.Name()) != len(name) {
			continue
		}
		v := version{files: files{filepath.Join(filepath.Dir(f.dir), e.Name())}}
		if info, err := os.Lstat(v.lock()); err == nil { // else a sweep was killed in the middle of it
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
