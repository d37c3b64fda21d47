package attach

import "time"

// A damaged index is rebuilt at once. On a failing disk the next one is damaged soon
// after, and rebuilding without end would keep a process busy; each further wait is
// twice as long.
const (
	maxDamageWait = time.Minute
	damageCalm    = 10 * time.Minute // an index that lasts longer was sound
)

// backoff computes the waits between things that should last and end soon.
type backoff struct {
	first time.Duration // the wait after two in a row
	max   time.Duration // the longest wait
	calm  time.Duration // what lasts longer begins a new row
	n     int           // in a row
}

// next counts one that lasted so long and returns how long to wait before the next.
func (b *backoff) next(lasted time.Duration) time.Duration {
	if lasted > b.calm {
		b.n = 0
	}
	if b.n++; b.n == 1 {
		return 0
	}
	return min(b.first<<min(b.n-2, 10), b.max)
}
