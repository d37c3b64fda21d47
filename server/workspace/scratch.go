package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// scratchName begins the names of scratch directories.
const scratchName = "evaluation-"

// Scratch makes a directory for temporary files in cacheDir, or in [CacheDir] when that is
// "". Remove removes it. A directory whose process ended without removing it is removed by
// the next call.
func Scratch(cacheDir string) (dir string, remove func() error, err error) {
	if cacheDir == "" {
		if cacheDir, err = CacheDir(); err != nil {
			return "", nil, err
		}
	}
	if err := os.MkdirAll(cacheDir, 0o700); err != nil {
		return "", nil, unwritable(fmt.Errorf("make the cache directory %s: %w; set XDG_CACHE_HOME or the setting cacheDir to a directory you can write",
			cacheDir, bare(err)))
	}
	removeStale(cacheDir)
	if dir, err = os.MkdirTemp(cacheDir, scratchName); err != nil {
		return "", nil, unwritable(fmt.Errorf("make a directory in %s: %w; set XDG_CACHE_HOME or the setting cacheDir to a directory you can write",
			cacheDir, bare(err)))
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", nil, err
	}
	lock, err := TakeLock(dir)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() error {
		err := os.RemoveAll(dir)
		return errors.Join(err, lock.Close())
	}, nil
}

// removeStale removes the scratch directories that no process has locked.
func removeStale(cacheDir string) {
	entries, err := os.ReadDir(cacheDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(cacheDir, e.Name())
		if !isScratch(e.Name()) {
			continue
		}
		if lock, err := TakeLock(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}

// isScratch reports whether a name is one of a scratch directory. That of the index of a
// workspace has two hashes behind its last two "-".
func isScratch(name string) bool {
	if len(name) <= len(scratchName) || name[:len(scratchName)] != scratchName {
		return false
	}
	for _, c := range name[len(scratchName):] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
