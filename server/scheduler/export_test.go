package scheduler

import (
	"time"

	"ambit/indexer/pipeline"
)

// Due exports due.
func Due(first, last, now time.Time) time.Duration { return due(first, last, now) }

// The kinds of garbage while files are indexed.
var (
	OfJob    = ofJob
	OfIndex  = ofIndex
	OfSaving = ofSaving
)

// Follow sets the percentage and the limit of memory as after a collection.
func Follow() { process.follow() }

// PercentOf exports percentOf.
func (g Garbage) PercentOf(live int64) int { return g.percentOf(live) }

// AfterGC exports afterGC.
func AfterGC(fn func()) { afterGC(fn) }

// Backoffs returns the waits of Run after each of n failed tries that took this long:
// when a change follows at once, and without a change.
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

// IsLarge exports isLarge.
func IsLarge(changes []pipeline.Change) bool { return isLarge(changes) }
