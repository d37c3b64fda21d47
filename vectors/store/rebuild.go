package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ambit/vectors/pages"
)

// KeptBad is the number of unusable files that stay next to the index, as
// "<name>.bad-1" (the latest) and so on: enough to look at what happened.
const KeptBad = 2

// OpenOrRebuild is [Open] for a caller who can fill an index anew: a file that
// cannot be used, be it damaged or made by another version, model or recipe, is
// moved aside and a new one started. The notice is one line for the user then, and
// "" otherwise. [ErrInUse] and errors of the system come back as from Open.
func OpenOrRebuild(path string, o Options) (db *DB, notice string, err error) {
	before, _ := os.Stat(path)
	db, err = Open(path, o)
	why := reason(err)
	if err == nil {
		db.removeStrays()
	}
	if err == nil || why == "" {
		return db, "", err
	}
	// Another process may have met the same file and replaced it meanwhile.
	if now, err := os.Stat(path); err == nil && before != nil && os.SameFile(before, now) {
		switch {
		case unborn(path):
			err = os.Remove(path)
		default:
			err = moveAside(path)
			notice = fmt.Sprintf("%s; kept as %s, building a new index", why, filepath.Base(badName(path, 1)))
		}
		if err != nil {
			return nil, "", fmt.Errorf("open index %s: move the unusable file aside: %w", path, Explain(err))
		}
	}
	db, err = Open(path, o)
	if errors.Is(err, ErrFull) && removeBad(path) {
		notice = why + "; building a new index in its place"
		db, err = Open(path, o)
	}
	if err != nil {
		return nil, "", err
	}
	db.removeStrays()
	return db, notice, nil
}

// MovedAside reports whether an unusable file was moved aside from path.
func MovedAside(path string) bool {
	_, err := os.Lstat(badName(path, 1))
	return err == nil
}

// unborn reports whether nothing was ever in the file at path.
func unborn(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	s, err := pages.Latest(file)
	return err == nil && s.Unborn()
}

// reason returns why a file is rebuilt, in words for the user; "" means that it is not.
func reason(err error) string {
	switch {
	case errors.Is(err, ErrCorrupt):
		return "the index file was damaged"
	case errors.Is(err, ErrFormat):
		return "the index was written by another version of ambit"
	case errors.Is(err, ErrModel):
		return "the index was made with another embedding model"
	case errors.Is(err, ErrRecipe):
		return "the index was made by another version or with other settings of ambit"
	}
	return ""
}

// moveAside rotates path to .bad-1, .bad-1 to .bad-2 and so on.
func moveAside(path string) error {
	for i := KeptBad; i > 1; i-- {
		if err := os.Rename(badName(path, i-1), badName(path, i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(path, badName(path, 1))
}

// removeBad removes the files that were moved aside, and reports whether there were any.
func removeBad(path string) (removed bool) {
	for i := 1; i <= KeptBad; i++ {
		removed = os.Remove(badName(path, i)) == nil || removed
	}
	return removed
}

func badName(path string, i int) string { return fmt.Sprintf("%s.bad-%d", path, i) }
