package attach

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"ambit/server/session"
)

// placeError is that an index has no place where it belongs.
type placeError struct{ error }

func (e *placeError) Unwrap() error { return e.error }

// placeless reports whether an index cannot be kept where it belongs: the cache
// directory is read-only, full, another user's or unknown.
func placeless(err error) bool {
	_, place := errors.AsType[*placeError](err)
	return place || errors.Is(err, session.ErrUnwritable) || errors.Is(err, session.ErrFull)
}

// SpareCache returns a directory that is this user's alone, where most machines let
// everybody write: for an index that has no better place, and that the next process
// finds again. It may be gone when the machine starts again.
func SpareCache() (string, error) {
	var all error
	for _, dir := range slices.Backward(ownFolders()) { // the first is small
		err := openFolder(dir)
		if err == nil {
			return filepath.Join(dir, "cache"), nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

// ownFolders returns where a user may have a folder for what lasts no longer than the
// machine runs, the best first.
func ownFolders() []string {
	var dirs []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "ambit"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "ambit-"+strconv.Itoa(os.Getuid())))
}

// openFolder makes such a folder, unless it is there, and sees to it that it is this
// user's alone.
func openFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return private(dir)
}
