package scheduler

import (
	"context"
	"sync"

	"ambit/server/api"
)

// observers are the callers of Run and Index, and the state that they see: that of the
// one run, or of an Index or Reindex that some client has called.
type observers struct {
	mu    sync.Mutex // guards all fields below; held while an observer is called
	all   map[*observer]bool
	run   api.State // zero until there is a run
	work  api.State // of an Index or Reindex, zero for none
	shown api.State // the latest that the observers were called with

	runners int                // callers of Run
	cancel  context.CancelFunc // of the latest run
	ended   chan struct{}      // closed when the latest run has ended
	err     error              // of the latest run; set before ended is closed
}

type observer struct{ observe func(api.State) }

// add calls observe with the state, and from then on with every further one until the
// caller calls remove.
func (o *observers) add(observe func(api.State)) (remove func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := &observer{observe}
	if o.all == nil {
		o.all = map[*observer]bool{}
	}
	o.all[v] = true
	if o.shown.State != "" {
		observe(o.shown)
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.all, v)
	}
}

// set replaces the state of the run, or with work that of an Index or Reindex, which is
// shown before that of the run unless the run is paused.
func (o *observers) set(st api.State, work bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if work {
		o.work = st
	} else {
		o.run = st
	}
	st = o.run
	if o.work.State != "" && st.State != api.StatePaused {
		st = o.work
	}
	if st.State == "" || st == o.shown {
		return
	}
	o.shown = st
	for v := range o.all {
		v.observe(st)
	}
}

// Run brings the index up to date and then follows the changes that its watcher and the
// callers of [Scheduler.Changed] report. All callers share one run, which ends with the
// last of them. Run calls observe at once and after each change of the state, one call at
// a time; observe must not block. Without changes, Run does no work.
//
// While the workspace directory is missing, the state is [api.StateFailed]. The state is
// the same while the index cannot be written, as on a full disk; Run tries again.
// It blocks until ctx is done and returns its cause, or returns an error of the index
// after which nothing can be stored.
func (s *Scheduler) Run(ctx context.Context, observe func(api.State)) error {
	o := &s.observers
	o.mu.Lock()
	if o.runners++; o.runners == 1 {
		s.startRun(ctx)
	}
	ended := o.ended
	o.mu.Unlock()
	remove := o.add(observe)
	var err error
	select {
	case <-ended:
		err = o.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	remove()
	o.mu.Lock()
	if o.runners--; o.runners == 0 {
		o.cancel()
		defer func() { <-ended }()
	}
	o.mu.Unlock()
	return err
}

// startRun starts the run, when the former one has ended. The caller holds the mutex of
// the observers.
func (s *Scheduler) startRun(ctx context.Context) {
	o := &s.observers
	former, ended := o.ended, make(chan struct{})
	ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	o.ended, o.run, o.shown = ended, api.State{}, o.work
	go func() {
		defer close(ended)
		if former != nil {
			<-former
		}
		o.err = s.follow(ctx)
	}()
}

// report returns progress, which may be nil, for an Index or Reindex: it shows the
// observers how far that is, until the caller calls end.
func (s *Scheduler) report(progress func(api.Progress)) (reporting func(api.Progress), end func()) {
	return func(p api.Progress) {
		s.observers.set(api.State{
			State: api.StateIndexing, Done: p.Done, Total: p.Total, Pending: p.Total - p.Done,
			Files: s.o.Index.Indexed(), Generation: s.o.Index.Generation(),
		}, true)
		if progress != nil {
			progress(p)
		}
	}, func() { s.observers.set(api.State{}, true) }
}

// wait takes s.writing. Meanwhile it reports how far the work is that it waits for.
func (s *Scheduler) wait(ctx context.Context, progress func(api.Progress)) error {
	if progress != nil {
		defer s.observers.add(func(st api.State) {
			if st.State == api.StateIndexing {
				progress(api.Progress{Phase: "indexing", Done: st.Done, Total: st.Total})
			}
		})()
	}
	return s.writing.take(ctx)
}
