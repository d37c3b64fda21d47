package watch

import (
	"io/fs"
	"os"
	"slices"
	"sync"
)

// state says whether a watcher sees every change of the workspace.
type state uint8

const (
	scanning    state = iota // a Scan is running or due; after it the watcher is live
	lost                     // events were lost: a Scan is due that starts over
	live                     // every directory is watched
	noRoot                   // the last Scan found no root
	unavailable              // nothing is watched until a Scan can watch again
)

// status is the state of a watcher. Its methods are safe for concurrent use and wait
// for no Scan.
type status struct {
	mu      sync.Mutex // guards all fields below
	state   state
	changed chan struct{} // closed when the state changes; nil when no goroutine waits
	message string        // see [Watcher.Message]
	root    fs.FileInfo   // of the root of the last Scan, nil before the first
}

// get returns the state and a channel that is closed when it changes.
func (s *status) get() (now state, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.state, s.changed
}

// set sets the state unless the current one is in keep, and returns the old one.
func (s *status) set(next state, keep ...state) (old state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old = s.state
	if slices.Contains(keep, old) {
		return old
	}
	s.state = next
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	return old
}

// setMessage sets the message and reports whether it differs from the old one.
func (s *status) setMessage(text string) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, s.message = s.message != text, text
	return changed
}

func (s *status) setRoot(root fs.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root = root
}

// hasRoot reports whether the directory at path is the root of the last Scan. The system
// sends no event for a new root when a file system is unmounted, or when a process keeps
// the removed directory open.
func (s *status) hasRoot(path string) bool {
	now, err := os.Lstat(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	return err == nil && s.root != nil && os.SameFile(now, s.root)
}
