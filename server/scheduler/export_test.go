package scheduler

import "time"

// Due is due.
func Due(first, last, now time.Time) time.Duration { return due(first, last, now) }

// Job says that many files are being indexed until end is called.
func (l *Limiter) Job() (end func()) { return l.job() }

// Backoffs returns how long Run waits after each of n tries of that length that failed:
// when something changes at once, and when nothing does.
func Backoffs(n int, took time.Duration) (changed, quiet []time.Duration) {
	var b backoff
	for range n {
		now := time.Now()
		b = b.next(now, took)
		b.message = "refused"
		changed = append(changed, b.rest(now.Add(time.Nanosecond), now))
		quiet = append(quiet, b.rest(now, now))
	}
	return changed, quiet
}
