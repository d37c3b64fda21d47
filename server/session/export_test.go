package session

import (
	"errors"
	"time"

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
