package attach

import (
	"context"
	"sync"

	"ambit/server/api"
)

// shared is the one run of an index and the state that all clients see.
type shared struct {
	start sync.Once

	mu      sync.Mutex    // guards all fields below
	state   *api.State    // of the run, nil before it has begun
	work    *api.State    // of an Index or Reindex of some client, nil for none
	changed chan struct{} // closed and replaced when a field changes
	ended   bool
	err     error // with which the run ended
}

func (s *shared) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
	close(s.changed)
	s.changed = make(chan struct{})
}

// setWork shows the progress of an Index or Reindex.
func (s *shared) setWork(p api.Progress) {
	s.change(func() {
		s.work = &api.State{State: api.StateIndexing, Done: p.Done, Total: p.Total, Pending: p.Total - p.Done}
		if s.state != nil {
			s.work.Files, s.work.Generation = s.state.Files, s.state.Generation
		}
	})
}

// endWork shows the run again.
func (s *shared) endWork() { s.change(func() { s.work = nil }) }

// latest returns the state to show, nil for none, and what is closed when it changes.
// The caller holds s.mu.
func (s *shared) latest() (*api.State, <-chan struct{}) {
	if s.work != nil && (s.state == nil || s.state.State != api.StatePaused) {
		return s.work, s.changed
	}
	return s.state, s.changed
}

// watch calls observe with the latest state whenever that changes, until ctx is done or
// the run ends.
func (s *shared) watch(ctx context.Context, observe func(api.State)) error {
	for {
		s.mu.Lock()
		st, changed := s.latest()
		ended, err := s.ended, s.err
		s.mu.Unlock()
		if ended {
			return err
		}
		if st != nil {
			observe(*st)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// follow calls report with the progress of the work of others until the caller calls
// stop, which waits for report.
func (s *shared) follow(ctx context.Context, report func(api.Progress)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.watch(ctx, func(st api.State) { // ends with ctx
			if st.State == api.StateIndexing {
				report(api.Progress{Phase: "indexing", Done: st.Done, Total: st.Total})
			}
		})
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}
