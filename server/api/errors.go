package api

import (
	"errors"
	"fmt"
)

var (
	// ErrQuestion is wrapped by every error that the question itself causes: a file or a
	// position that does not exist, a file that is not indexed.
	ErrQuestion = errors.New("cannot answer")

	// ErrOutside is an ErrQuestion. It is wrapped by the error of a question about a file outside of
	// the workspace when none of its dependencies has the file. The caller asks another workspace.
	ErrOutside = fmt.Errorf("%w", ErrQuestion)

	// ErrDamaged is wrapped by the error of a call that found the index file damaged. A
	// new index is being built; the caller asks again.
	ErrDamaged = errors.New("the index file is damaged")

	// ErrFull and ErrUnwritable are wrapped by the errors of an index that cannot be
	// written because the disk is full or the user may not write it. Answers still come
	// from the index as it is.
	ErrFull       = errors.New("no room for the index")
	ErrUnwritable = errors.New("the index cannot be written")
)

// FieldError is a field of a question that is not valid. The language server returns it
// as InvalidParams, the command line as wrong usage.
type FieldError struct {
	Field  string // as in JSON, "textDocument.uri"
	Reason string // "use a whole number from 1 to 1000"
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Reason }

// Unwrap makes every FieldError an [ErrQuestion].
func (e *FieldError) Unwrap() error { return ErrQuestion }

// WithKind returns an error with the text of err that wraps err and kind, which is one of
// the errors above.
func WithKind(err, kind error) error { return &kindError{err, kind} }

// kindError is the error of [WithKind].
type kindError struct {
	error
	kind error
}

func (e *kindError) Unwrap() []error { return []error{e.error, e.kind} }
