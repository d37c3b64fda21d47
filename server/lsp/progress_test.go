package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/lsp/lsptest"
)

func TestIndexingIsShownAndPausedByItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, w := begin(t, &Opener{}, lsptest.Client{Options: lsptest.Object{"statusNotifications": true}})
		defer e.Close()
		w.States <- api.State{State: api.StateIndexing, Done: 10, Total: 200, Pending: 190}
		var create struct{ Token string }
		if err := json.Unmarshal(e.Await("window/workDoneProgress/create", nil), &create); err != nil {
			t.Fatal(err)
		}
		kind := func(want, message string) {
			t.Helper()
			p := e.Await("$/progress", func(raw json.RawMessage) bool {
				return strings.Contains(string(raw), `"kind":"`+want+`"`) && strings.Contains(string(raw), message)
			})
			if !strings.Contains(string(p), create.Token) {
				t.Errorf("%s has another token: %s", want, p)
			}
		}
		kind("begin", "10 of 200 files")
		w.States <- api.State{State: api.StateIndexing, Done: 100, Total: 200, Pending: 100}
		kind("report", `"percentage":50`)
		e.Notify("window/workDoneProgress/cancel", lsptest.Object{"token": create.Token})
		roundTrip(t, e)
		if diff := cmp.Diff([]string{"Pause"}, w.Calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		w.States <- api.State{State: api.StatePaused, Pending: 100, Message: "100 files wait"}
		kind("end", "100 files wait")
		e.Await("ambit/status", field("state", "paused"))
		w.States <- api.State{State: api.StateIndexing, Done: 1, Total: 2}
		w.States <- api.State{State: api.StateReady, Files: 200}
		e.Await("ambit/status", field("files", 200.0))
	})
}

func TestAUserWithoutStatusSeesAProblemOnce(t *testing.T) {
	e, w := begin(t, &Opener{}, lsptest.Client{})
	full := api.State{State: api.StateFailed, Message: "no space left on the device; make room"}
	w.States <- full
	e.Await("window/showMessage", field("message", "ambit: "+full.Message))
	w.States <- api.State{State: api.StateReady, Files: 1}
	w.States <- full
	w.States <- api.State{State: api.StateReady, Files: 2, Message: "out of watches"}
	e.Await("window/showMessage", field("message", "ambit: out of watches"))
	w.Options.Tell("the index was damaged")
	e.Await("window/showMessage", field("message", "ambit: the index was damaged"))
	n := 0
	for _, m := range e.Session() {
		n += strings.Count(string(m.Data), "window/showMessage")
	}
	if n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
}

func TestANewStateIsSentAtOnceAndNewCountsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, w := begin(t, &Opener{}, lsptest.Client{Options: lsptest.Object{"statusNotifications": true}})
		defer e.Close()
		time.Sleep(time.Second) // of the bubble: the first states have been sent
		start := time.Now()
		tell := func(st api.State, name string, value any) time.Duration {
			w.States <- st
			e.Await("ambit/status", field(name, value))
			return time.Since(start)
		}
		if took := tell(api.State{State: api.StateIndexing, Pending: 2}, "state", "indexing"); took != 0 {
			t.Errorf("indexing is sent after %v", took)
		}
		if took := tell(api.State{State: api.StateReady, Files: 7}, "files", 7.0); took != 0 {
			t.Errorf("ready is sent only after %v", took)
		}
		if took := tell(api.State{State: api.StateReady, Files: 8}, "files", 8.0); took == 0 {
			t.Error("a count is sent at once")
		}
	})
}

func TestEachOpeningOfAFolderIsSentInOrder(t *testing.T) {
	opener := &Opener{}
	e, w := begin(t, opener, lsptest.Client{Bare: true, Options: lsptest.Object{"statusNotifications": true}})
	const openings = 20
	var want []api.State
	for i := 1; ; i++ {
		ready := api.State{Folder: "file:///w", State: api.StateReady, Files: i}
		want = append(want, api.State{Folder: "file:///w", State: api.StateStarting}, ready)
		w.States <- ready
		e.Await("ambit/status", field("files", float64(i)))
		if i == openings {
			break
		}
		e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{"ambit": lsptest.Object{"maxTokens": 100 + i}}})
		w = opener.Opened(i + 1)
	}
	var got []api.State
	for _, m := range e.Session() {
		var n struct {
			Method string
			Params api.State
		}
		first := api.State{Folder: "file:///w", State: api.StateReady} // the first of each workspace; another follows at once
		if json.Unmarshal(m.Data, &n) == nil && n.Method == "ambit/status" && n.Params != first {
			got = append(got, n.Params)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestStatesAreSentOnlyToClientsThatAsk(t *testing.T) {
	e, w := begin(t, &Opener{}, lsptest.Client{})
	w.States <- api.State{State: api.StatePaused}
	if err := e.Finish(); err != nil {
		t.Error(err)
	}
	for _, m := range e.Session() {
		if strings.Contains(string(m.Data), `"ambit/status"`) {
			t.Errorf("told %s", m.Data)
		}
	}
}
