package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"

	"ambit/vectors/pages"
	"ambit/vectors/revisions"
)

var (
	// ErrInUse is returned by Open when another process holds the file for longer
	// than Options.LockTimeout; the caller attaches to that process or gives up.
	ErrInUse = errors.New("another ambit process is using it")

	// ErrFormat is returned by Open for a file with another FormatVersion and by
	// Apply when the keys of a file are used up; the caller rebuilds the index.
	ErrFormat = errors.New("unknown format version")

	// ErrModel is returned by Open when the vectors come from another embedder than
	// Options.Model, or have another dimension; the caller rebuilds the index.
	ErrModel = errors.New("other embedding model")

	// ErrRecipe is returned by Open when the chunks were cut by another recipe than
	// Options.Recipe; the caller rebuilds the index.
	ErrRecipe = errors.New("other chunking recipe")

	// ErrCorrupt is returned by Open, by every read and by Apply when the file does
	// not hold what was written to it; the caller closes it and rebuilds the index.
	ErrCorrupt = errors.New("damaged index file")

	// ErrNotFound is returned for a path that is not in the index, or whose file is
	// left out.
	ErrNotFound error = notFound{}

	// ErrChanged is returned by ReadUnlocked and ReadFiles when a process wrote to the
	// index meanwhile; the caller tries again or does without.
	ErrChanged = errors.New("the index changed while it was read")

	// ErrFull is returned by a write when the disk or a quota is full. Stored batches
	// stay; the caller tries again later.
	ErrFull = errors.New("no room for the index")

	// ErrUnwritable is returned by a write where the user may not write; the caller keeps
	// the index elsewhere.
	ErrUnwritable = errors.New("the index cannot be written")

	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("index is closed")
)

// corruptf returns an ErrCorrupt that says what was found.
func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

// Explain turns the errors of bbolt into those of this package, and adds the next step to
// an error of the system that only the user can mend.
func Explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrInUse
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return ErrClosed
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrInvalidMapping),
		errors.Is(err, bolterrors.ErrBucketNotFound), errors.Is(err, bolterrors.ErrIncompatibleValue),
		errors.Is(err, pages.ErrDamaged), errors.Is(err, revisions.ErrDamaged):
		return corruptf("%v", err)
	case isFull(err):
		if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
			err = pathErr.Err // the caller says where
		}
		return fmt.Errorf("%w; free some space or choose another cache folder with XDG_CACHE_HOME", &systemError{err, ErrFull})
	case errors.Is(err, syscall.EIO):
		return fmt.Errorf("%w; check the disk or choose another cache folder with XDG_CACHE_HOME", &systemError{err, ErrUnwritable})
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w; choose a writable cache folder with XDG_CACHE_HOME", &systemError{err, ErrUnwritable})
	}
	return err
}

// systemError is an error of the system that is one of this package as well.
type systemError struct {
	error
	kind error
}

func (e *systemError) Is(target error) bool { return target == e.kind }
func (e *systemError) Unwrap() error        { return e.error }

// isFull reports whether err means a full disk or quota. bbolt keeps only the text of
// some errors.
func isFull(err error) bool {
	if err == nil {
		return false
	}
	for _, full := range [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) || strings.Contains(err.Error(), full.Error()) {
			return true
		}
	}
	return false
}

// notFound is the type of [ErrNotFound], which is also an [fs.ErrNotExist], so that packages
// that do not know this one can tell it from damage.
type notFound struct{}

func (notFound) Error() string { return "not in the index" }

// Is implements the interface of [errors.Is].
func (notFound) Is(target error) bool { return target == fs.ErrNotExist }
