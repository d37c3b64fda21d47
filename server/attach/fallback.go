package attach

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ambit/server/api"
)

// placeError means that the index cannot lie in the cache directory.
type placeError struct{ error }

func (e *placeError) Unwrap() error { return e.error }

// unplaced reports whether an error means that the index needs another place: the cache
// directory is read-only, full, another user's or unknown.
func unplaced(err error) bool {
	_, place := errors.AsType[*placeError](err)
	return place || errors.Is(err, api.ErrUnwritable) || errors.Is(err, api.ErrFull)
}

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

// privateDirs returns the directories that a user may have for files that last no
// longer than the machine runs, the best first.
func privateDirs() []string {
	var dirs []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "ambit"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "ambit-"+strconv.Itoa(os.Getuid())))
}

// makePrivate makes a directory unless it exists, and makes sure that only this user
// can use it.
func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return private(dir)
}
