package session

import (
	"errors"

	"ambit/vectors/store"
)

var (
	// ErrWide is returned by FindRoot where no project is found and the directory is
	// the root of the file system or the user's home; the user names a directory.
	ErrWide = errors.New("no project here, and indexing all of it would take very long; name the workspace with --root DIR")

	// ErrDamaged is wrapped by what is returned when the index file turns out to be
	// damaged, see [Session.Damaged]; the caller closes the session and opens it again.
	ErrDamaged = store.ErrCorrupt

	// ErrFull and ErrUnwritable are wrapped by what is returned when the index cannot be
	// written, for want of room or of permission. What it has answers all the same.
	ErrFull       = store.ErrFull
	ErrUnwritable = store.ErrUnwritable

	// ErrQuestion is wrapped by every error that is the question's own: a file or
	// position that is not there, a file that is left out.
	ErrQuestion = errors.New("cannot answer")
)
