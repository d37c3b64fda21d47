package session

import (
	"errors"
	"time"

	"ambit/indexer/pipeline"
	"ambit/vectors/store"
)

// How often Run tries again to store what the system has refused, as a disk that is
// full does: at once after a change, else less and less often, and never for more than
// a twentieth of the time. The longest wait is how long a user may wonder that there is
// room again and nothing happens.
const (
	minAgain   = 250 * time.Millisecond
	maxAgain   = time.Minute
	againShare = 20
)

// refusal is that the index could not be written. The zero value is none.
type refusal struct {
	message    string // one line for the user, with the next step; "" for none
	pending    int    // files that wait for it
	generation uint64 // of the index
	at         time.Time
	changed    time.Duration // after which Run tries again when something has changed since
	wait       time.Duration // after which it does in any case
}

// again is the refusal after r: of a try that took so long and ended now.
func (r refusal) again(now time.Time, took time.Duration) refusal {
	changed := min(max(minAgain, againShare*took), maxAgain)
	return refusal{at: now, changed: changed, wait: min(max(2*r.wait, changed), maxAgain)}
}

// rest returns for how long Run still waits, 0 or less for none; last is when something
// changed.
func (r refusal) rest(last, now time.Time) time.Duration {
	switch {
	case r.message == "":
		return 0
	case last.After(r.at):
		return r.changed - now.Sub(r.at)
	}
	return r.wait - now.Sub(r.at)
}

// passes reports whether an error of the index may be gone at the next try. One that is
// damaged or closed is replaced by who has opened it.
func passes(err error) bool {
	return err != nil && !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrClosed)
}

// refuse notes that a job has ended with err after so long.
func (s *shared) refuse(err error, pending int, took time.Duration) {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	r := s.work.refused
	if r.message == "" || r.generation != s.db.Generation() { // it took long because much was stored
		r, took = refusal{}, 0
	}
	r = r.again(time.Now(), took)
	r.message, r.pending, r.generation = err.Error(), pending, s.db.Generation()
	s.work.refused = r
}

// refused returns the state in which the index cannot be written; ok is false when it
// can, as far as is known, and when nobody tries.
func (s *shared) refused() (st State, ok bool) {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	r := &s.work.refused
	if r.message == "" || s.work.paused || r.generation != s.db.Generation() {
		return State{}, false
	}
	return State{Name: Failed, Pending: r.pending, Message: r.message}, true
}

// accepted notes that the index could be written.
func (s *shared) accepted() {
	s.work.mu.Lock()
	was := s.work.refused.message != ""
	s.work.refused = refusal{}
	s.work.mu.Unlock()
	if was { // Run may be waiting
		s.work.tell(func() {})
	}
}

// left counts the changes that the index does not have.
func (s *shared) left(changes []pipeline.Change) (n int) {
	for i := range changes {
		c := &changes[i]
		if f, ok := s.files.find(c.Path); ok == c.Gone || ok && f.Generation == c.Old.Generation {
			n++
		}
	}
	return n
}
