package attach

import (
	"context"
	"sync"

	"ambit/server/session"
)

// follow is the one run of an index, and what all clients see of it: the latest state.
type follow struct {
	start sync.Once

	mu    sync.Mutex     // guards all fields below
	state *session.State // of the run, nil before it has begun
	work  *session.State // of somebody's Index or Reindex, nil for none
	moved chan struct{}  // closed and replaced when anything here changes
	over  bool
	err   error // with which the run ended
}

// run starts the run. It lasts as long as the owner.
func (o *owner) run() {
	f := &o.follow
	f.start.Do(func() {
		o.group.Go(func() {
			err := o.session.Run(o.ctx, func(st session.State) { f.change(func() { f.state = &st }) })
			if o.ctx.Err() != nil {
				err = errGone
			}
			f.change(func() { f.over, f.err = true, err })
		})
	})
}

// begin shows work of a client that waits for no run.
func (f *follow) begin(st session.State) {
	f.change(func() { f.work = &st })
}

// end shows the run again.
func (f *follow) end(o *owner) {
	f.change(func() {
		f.work = nil
		if f.state != nil {
			st := *f.state
			st.Files = o.session.State().Files
			f.state = &st
		}
	})
}

func (f *follow) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	close(f.moved)
	f.moved = make(chan struct{})
}

// look returns the latest state, nil for none, what is closed when there is another,
// and whether and how the run has ended.
func (f *follow) look() (st *session.State, moved <-chan struct{}, over bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	st = f.state
	if f.work != nil && (st == nil || st.Name != session.Paused) {
		st = f.work
	}
	return st, f.moved, f.over, f.err
}

// watch calls observe with the latest state, again and again, until ctx is done or the
// run ends.
func (f *follow) watch(ctx context.Context, observe func(session.State)) error {
	for {
		st, moved, over, err := f.look()
		if over {
			return err
		}
		if st != nil {
			observe(*st)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// waiting calls observe with what there is to see, until it is told to end.
type waiting struct {
	cancel context.CancelFunc // nil when nothing goes on
	done   chan struct{}
}

// await watches what goes on, if anything does.
func (f *follow) await(ctx context.Context, observe func(session.State)) *waiting {
	if st, _, _, _ := f.look(); st == nil {
		return &waiting{}
	}
	w := &waiting{done: make(chan struct{})}
	ctx, w.cancel = context.WithCancel(ctx)
	go func() {
		defer close(w.done)
		f.watch(ctx, observe) // ends with ctx
	}()
	return w
}

// end waits until observe is not called any more. It is called from one goroutine at a
// time.
func (w *waiting) end() {
	if w.cancel == nil {
		return
	}
	w.cancel()
	<-w.done
	w.cancel = nil
}
