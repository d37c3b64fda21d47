package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// FallbackDir returns a directory for caches that only this user can read and that the
// next process finds too. It may be gone after a restart of the machine.
func FallbackDir() (string, error) {
	var all error
	for _, dir := range slices.Backward(privateDirs()) { // the first is small
		err := makePrivate(dir)
		if err == nil {
			return filepath.Join(dir, "cache"), nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

// privateDirs returns the directories that the user may have for files that last no
// longer than the machine runs, the best first. See makePrivate.
func privateDirs() []string {
	var dirs []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "ambit"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "ambit-"+strconv.Itoa(os.Getuid())))
}

// makePrivate makes a directory unless it exists, and makes sure that only this user can
// use it.
func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return protect(dir)
}
