package attach_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ambit/server/attach"
	"ambit/server/session"
)

// follow runs a client until the test ends, or until stop. It returns a function that
// waits for a state.
func (k *client) follow() (await func(what string, ok func(session.State) bool), stop func()) {
	k.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	states, ended := make(chan session.State, 10_000), make(chan error, 1)
	go func() { ended <- k.Run(ctx, func(st session.State) { states <- st }) }()
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
	return func(what string, ok func(session.State) bool) {
		k.t.Helper()
		var last session.State
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

func named(name string) func(session.State) bool {
	return func(st session.State) bool { return st.Name == name }
}

func TestAllClientsSeeOneRunAndItGoesOnWithTheNextOwner(t *testing.T) {
	w := newTree(t, harbour)
	clients := []*client{w.open(), w.open(), w.open()}
	var await []func(string, func(session.State) bool)
	var stop []func()
	for _, k := range clients {
		a, s := k.follow()
		await, stop = append(await, a), append(stop, s)
	}
	n := 0
	for _, a := range await {
		a("ready", func(st session.State) bool { n = st.Files; return st.Name == session.Ready })
	}
	for gone := range clients[1:] {
		stop[gone]()
		clients[gone].close()
		name := fmt.Sprintf("new%d.go", gone)
		w.write(name, "package harbour\n\nfunc Wharf() {}\n")
		clients[len(clients)-1].Changed([]string{name})
		n++
		for _, a := range await[gone+1:] {
			a("ready with a new file", func(st session.State) bool { return st.Name == session.Ready && st.Files == n })
		}
	}
	if o := clients[len(clients)-1].owner(); !o.Self || o.Clients != 0 {
		t.Errorf("the last client says %+v, want it to own the index alone", o)
	}
}

func TestWhoWaitsForTheIndexSeesHowFarItIs(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.go", i)] = fmt.Sprintf("package p\n\nfunc Work%d() {}\n", i)
	}
	w := newTree(t, files)
	own, second, third := w.open(), w.open(), w.open()
	working, goOn := make(chan bool), make(chan bool)
	done := make(chan error, 2)
	go func() {
		_, err := own.Index(t.Context(), func(p session.Progress) {
			if p.Done == 10 {
				working <- true
				<-goOn
			}
		})
		done <- err
	}()
	<-working
	await, _ := second.follow()
	await("indexing", func(st session.State) bool { return st.Name == session.Indexing && st.Done == 10 && st.Total == 40 })
	seen := make(chan session.Progress, 1000)
	go func() {
		_, err := third.Index(t.Context(), func(p session.Progress) { seen <- p })
		done <- err
	}()
	if p := <-seen; p.Phase != "indexing" || p.Done < 10 || p.Total != 40 {
		t.Errorf("who waits sees %+v, want that 10 of 40 files are done", p)
	}
	close(goOn)
	for range 2 {
		if err := <-done; err != nil {
			t.Errorf("Index: %v", err)
		}
	}
	await("ready", func(st session.State) bool { return st.Name == session.Ready && st.Files == 40 })
	if n, err := third.Reindex(t.Context(), "f07.go", nil); n != 1 || err != nil {
		t.Errorf("Reindex: %d files, %v; want 1", n, err)
	}
}

func TestAPauseIsEverybodysAndEndsWithWhoMadeIt(t *testing.T) {
	w := newTree(t, harbour)
	own, second, third := w.open(), w.open(), w.open()
	await, _ := own.follow()
	await("ready", named(session.Ready))
	second.Pause()
	await("paused", named(session.Paused))
	third.Resume()
	await("resumed by another", named(session.Ready))
	second.Pause()
	await("paused again", named(session.Paused))
	second.close()
	await("resumed when who paused it has gone", named(session.Ready))
}

func TestAPauseHoldsWhenTheOwnerGoes(t *testing.T) {
	w := newTree(t, harbour)
	own, second := w.open(), w.open()
	await, _ := second.follow()
	await("ready", named(session.Ready))
	second.Pause()
	await("paused", named(session.Paused))
	own.close()
	await("paused by the next owner", func(st session.State) bool { return st.Name == session.Paused && second.owner().Self })
}

func TestRebuildingForgetsOnceOnly(t *testing.T) {
	w := newTree(t, harbour)
	w.open().index()
	attached := w.open(func(o *attach.Options) { o.Session.Rebuild = true })
	if o := attached.owner(); o.Self {
		t.Errorf("got %+v, want the client attached", o)
	}
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("the index of another process was forgotten: %q", got)
	}
}

func TestACancelledQuestionEndsAtTheOwnerToo(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	working, goOn, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		_, err := own.Index(t.Context(), func(p session.Progress) {
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
