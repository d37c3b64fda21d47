package scheduler

import (
	"errors"
	"time"

	"ambit/server/api"
	"ambit/vectors/store"
)

// After a failed write, for example on a full disk, the scheduler tries again: minRetry
// after a change, otherwise at growing intervals up to maxRetry. The tries take at most
// one part in retryShare of the time. After a user has freed space, the next try comes
// within maxRetry.
const (
	minRetry   = 250 * time.Millisecond
	maxRetry   = time.Minute
	retryShare = 20
)

// backoff is the wait after a failed write. The zero value means that the last write
// succeeded.
type backoff struct {
	message    string // one line for the user, with the next step
	pending    int    // files that wait for the next try
	generation uint64 // of the index
	at         time.Time
	changed    time.Duration // the wait after a change
	quiet      time.Duration // the wait otherwise
}

// next returns the backoff after a try that took this long and failed now.
func (b backoff) next(now time.Time, took time.Duration) backoff {
	changed := min(max(minRetry, retryShare*took), maxRetry)
	return backoff{at: now, changed: changed, quiet: min(max(2*b.quiet, changed), maxRetry)}
}

// rest returns the remaining wait, 0 or less when it is over. Last is the time of the
// latest change.
func (b backoff) rest(last, now time.Time) time.Duration {
	switch {
	case b.message == "":
		return 0
	case last.After(b.at):
		return b.changed - now.Sub(b.at)
	}
	return b.quiet - now.Sub(b.at)
}

// mayPass reports whether the next try may succeed after an error. A damaged or closed
// index is replaced by the caller that opened it.
func mayPass(err error) bool {
	return err != nil && !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrClosed)
}

// refuse notes that an indexing run of that length failed with err.
func (s *Scheduler) refuse(err error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	generation := s.o.Index.Generation()
	b := s.backoff
	if b.message == "" || b.generation != generation { // the run stored something, so its time does not count
		b, took = backoff{}, 0
	}
	b = b.next(time.Now(), took)
	b.message, b.pending, b.generation = err.Error(), s.dirty.len(), generation
	s.backoff = b
}

// refused returns the state after a failed write. Ok is false when the last write
// succeeded and while the scheduler is paused.
func (s *Scheduler) refused() (st api.State, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.backoff
	if b.message == "" || len(s.paused) > 0 || b.generation != s.o.Index.Generation() {
		return api.State{}, false
	}
	return api.State{State: api.StateFailed, Pending: b.pending, Message: b.message}, true
}

// accepted notes a successful write.
func (s *Scheduler) accepted() {
	s.mu.Lock()
	was := s.backoff.message != ""
	s.backoff = backoff{}
	s.mu.Unlock()
	if was { // Run may be waiting
		s.wakeUp()
	}
}
