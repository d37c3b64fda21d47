package attach_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/vectors/record"
)

// follow runs a client until the test ends, or until stop. It returns a function that
// waits for a state.
func (k *client) follow() (await func(what string, ok func(api.State) bool), stop func()) {
	k.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	states, ended := make(chan api.State, 10_000), make(chan error, 1)
	go func() { ended <- k.Run(ctx, func(st api.State) { states <- st }) }()
	over := errors.New("the test ended")
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel(over)
		if err := <-ended; !errors.Is(err, over) {
			k.t.Errorf("Run returned %v", err)
		}
	}
	k.t.Cleanup(stop)
	return func(what string, ok func(api.State) bool) {
		k.t.Helper()
		var last api.State
		for {
			select {
			case last = <-states:
				if ok(last) {
					return
				}
			case err := <-ended:
				ended <- err
				k.t.Fatalf("Run ended with %v before it was %s; last was %+v", err, what, last)
			}
		}
	}, stop
}

func named(name api.StateName) func(api.State) bool {
	return func(st api.State) bool { return st.State == name }
}

func TestAllClientsSeeOneRunAndItGoesOnWithTheNextOwner(t *testing.T) {
	w := newTree(t, harbour)
	clients := []*client{w.open(), w.open(), w.open()}
	var await []func(string, func(api.State) bool)
	var stop []func()
	for _, k := range clients {
		a, s := k.follow()
		await, stop = append(await, a), append(stop, s)
	}
	n := 0
	for _, a := range await {
		a("ready", func(st api.State) bool { n = st.Files; return st.State == api.StateReady })
	}
	for gone := range clients[1:] {
		stop[gone]()
		clients[gone].close()
		clients[len(clients)-1].status() // by the next owner: a fake index has no watcher
		name := fmt.Sprintf("new%d.go", gone)
		w.write(name, "package harbour\n\nfunc Wharf() {}\n")
		clients[len(clients)-1].Changed([]record.Path{record.Path(name)})
		n++
		for _, a := range await[gone+1:] {
			a("ready with a new file", func(st api.State) bool { return st.State == api.StateReady && st.Files == n })
		}
	}
	last := clients[len(clients)-1]
	if !last.owns() {
		t.Errorf("the last client says %+v, want it to own the index", last.status())
	}
	for last.status().Clients != 0 { // until it has seen the end of the closed client's connection
		runtime.Gosched()
	}
}

func TestAPauseHoldsWhenTheOwnerEnds(t *testing.T) {
	w := newTree(t, harbour)
	own, second := w.open(), w.open()
	await, _ := second.follow()
	await("ready", named(api.StateReady))
	second.Pause()
	await("paused", named(api.StatePaused))
	own.close()
	await("paused by the next owner", func(st api.State) bool { return st.State == api.StatePaused && second.owns() })
}

func TestACancelledQuestionEndsAtTheOwnerToo(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	working, goOn, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		_, err := own.Index(t.Context(), func(p api.Progress) {
			if p.Done == 1 {
				working <- true
				<-goOn
			}
		})
		done <- err
	}()
	<-working
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() { // waits for the other
		_, err := attached.Index(ctx, nil)
		asked <- err
	}()
	for attach.Calls(own.Client) != 1 {
		runtime.Gosched()
	}
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call returned %v", err)
	}
	for attach.Calls(own.Client) != 0 { // while the index is still taken
		runtime.Gosched()
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Errorf("the other call returned %v", err)
	}
}

// The states of a run are no queue: a client that takes its time sees the latest.
func TestASlowClientSeesTheLatestStateOnly(t *testing.T) {
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("f%03d.go", i)] = "package p\n"
	}
	w := newTree(t, files)
	own, attached := w.open(), w.open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	goOn, seen := make(chan bool), 0
	ready := make(chan bool)
	ended := make(chan error)
	go func() {
		ended <- attached.Run(ctx, func(st api.State) {
			if seen++; seen == 1 {
				<-goOn
			}
			if st.State == api.StateReady {
				close(ready)
				<-ctx.Done()
			}
		})
	}()
	await, _ := own.follow()
	await("ready", named(api.StateReady))
	close(goOn)
	<-ready
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v", err)
	}
	if seen > 50 {
		t.Errorf("it saw %d states, want a few of 500", seen)
	}
}
