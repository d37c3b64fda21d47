package workspace

import (
	"os"
	"path/filepath"
	"slices"
)

// Siblings returns the paths of at most limit other indexes in the cache directory of
// the index at path, the most recently written first. An index that another user could
// have written is left out.
func Siblings(path string, limit int) []string {
	cache := filepath.Dir(filepath.Dir(path))
	dirs, err := os.ReadDir(cache)
	if err != nil {
		return nil
	}
	type index struct {
		path string
		info os.FileInfo
	}
	var found []index
	for _, dir := range dirs {
		at := filepath.Join(cache, dir.Name(), filepath.Base(path))
		info, err := os.Lstat(at)
		if err == nil && at != path && info.Mode().IsRegular() && private(info) {
			found = append(found, index{at, info})
		}
	}
	slices.SortFunc(found, func(a, b index) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	var paths []string
	for _, f := range found[:min(len(found), limit)] {
		paths = append(paths, f.path)
	}
	return paths
}
