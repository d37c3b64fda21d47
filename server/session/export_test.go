package session

import "ambit/indexer/watch"

// Watcher returns what Run hears by; nil before Run.
func (s *Session) Watcher() *watch.Watcher { return s.watcher.Load() }
