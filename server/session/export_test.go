package session

import (
	"context"
	"errors"
	"time"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/vectors/store"
)

// Watcher returns what Run hears by; nil before Run.
func (s *Session) Watcher() *watch.Watcher { return s.watcher.Load() }

// Stored is the index of a session.
func Stored(s *Session) *store.DB { return s.db }

// Abandon lets the index go as the end of a killed process does: nothing is saved.
func Abandon(s *Session) error { return errors.Join(s.db.Close(), s.dir.Close()) }

// Due is due.
func Due(first, last, now time.Time) time.Duration { return due(first, last, now) }

// Job says that many files are being indexed until end is called.
func (g *Gate) Job() (end func()) { return g.job() }

// Refusals returns how long Run waits after each of n tries that take so long and are
// refused: when something changes at once, and when nothing does.
func Refusals(n int, took time.Duration) (changed, quiet []time.Duration) {
	var r refusal
	for range n {
		now := time.Now()
		r = r.again(now, took)
		r.message = "refused"
		changed = append(changed, r.rest(now.Add(time.Nanosecond), now))
		quiet = append(quiet, r.rest(now, now))
	}
	return changed, quiet
}

// SaveViews stores the snapshots of the views.
func SaveViews(s *Session) error { return s.storeViews(context.Background()) }

// SetPatience has questions wait so long to hear what happened before.
func SetPatience(s *Session, d time.Duration) { s.patience = d }

// Sound is sound.
func Sound(s *Session, ask func() (int, error)) (int, error) { return sound(s.shared, ask) }

// Sinks is the sink that hands batches to others.
func Sinks(others ...pipeline.Sink) pipeline.Sink { return sinks(others) }
