package attach

import (
	"context"
	"errors"

	"ambit/server/assemble"
	"ambit/server/session"
)

var (
	// ErrOther is wrapped by the errors of [Open] and of every question while another
	// build of ambit owns the index; the user ends that process.
	ErrOther = errors.New("another version of ambit has the index open")

	// errGone means that the owner went before it answered: the question is asked
	// again.
	errGone = errors.New("the process that owns the index has gone")

	// errBusy means that somebody owns the index who cannot be reached yet.
	errBusy = errors.New("the index is changing hands")
)

// known lists the errors that are told apart by whom they are returned to.
var known = []error{session.ErrQuestion, assemble.ErrBudget, context.Canceled, context.DeadlineExceeded, session.ErrDamaged,
	session.ErrFull, session.ErrUnwritable}

// failure is an error on the wire.
type failure struct {
	Text  string
	Known []uint8 // indexes into known
}

func failureOf(err error) failure {
	f := failure{Text: err.Error()}
	for i, k := range known {
		if errors.Is(err, k) {
			f.Known = append(f.Known, uint8(i))
		}
	}
	return f
}

// told is an error that came over the wire: the same text, and the same to errors.Is.
type told struct{ failure }

func (t *told) Error() string { return t.Text }

// Is reports whether the error was one of the known ones.
func (t *told) Is(target error) bool {
	for _, i := range t.Known {
		if int(i) < len(known) && known[i] == target {
			return true
		}
	}
	return false
}
