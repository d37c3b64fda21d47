package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/server/api"
	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

// stubborn returns an opener whose contexts wait for release, and ignore their ctx,
// and a channel that has a value for each context that began.
func stubborn() (opener *Opener, began chan struct{}, release func()) {
	began, held := make(chan struct{}, 10_000), make(chan struct{})
	return &Opener{Hold: func(_ context.Context, method string) error {
		if method == "Context" {
			began <- struct{}{}
			<-held
		}
		return nil
	}}, began, sync.OnceFunc(func() { close(held) })
}

func TestASlowRequestDelaysNoOther(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	e.Open(uriA, "go", "alpha")
	slow := e.GoCommand("ambit.context", lsptest.At(uriA, 0, 0))
	<-began
	e.Change(uriA, 2, lsptest.Whole("beta"))
	var a struct{ Results []any }
	if err := e.Command("ambit.search", lsptest.Object{"query": "beta"}, &a); err != nil || len(a.Results) != 1 {
		t.Errorf("search beside it: %v, %v", a, err)
	}
	release()
	var answer struct{ Sources []struct{ Identifier string } }
	if err := slow.Await(&answer); err != nil || answer.Sources[0].Identifier != "alpha" {
		t.Errorf("the slow one: %+v, %v; want the text as it was asked of", answer, err)
	}
}

func TestACancelledRequestIsAnsweredAtOnce(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	p := e.Go("workspace/executeCommand", lsptest.Object{
		"command": "ambit.context", "arguments": []any{lsptest.Object{"query": "x"}}, "workDoneToken": "bar",
	})
	<-began
	p.Cancel()
	if err := p.Await(nil); code(err) != -32800 {
		t.Errorf("cancelled: %v, want RequestCancelled", err)
	}
	q := e.Go("workspace/executeCommand", lsptest.Object{
		"command": "ambit.context", "arguments": []any{lsptest.Object{"query": "x"}}, "workDoneToken": 7,
	})
	<-began
	e.Notify("window/workDoneProgress/cancel", lsptest.Object{"token": 7})
	if err := q.Await(nil); code(err) != -32800 {
		t.Errorf("cancelled by its progress: %v, want RequestCancelled", err)
	}
	p.Cancel() // what is answered is not cancelled any more
	release()
	if err := e.Finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestARequestThatWaitsForAFolderIsCancelledToo(t *testing.T) {
	opening := make(chan struct{})
	opener := &Opener{Before: func(ctx context.Context, _ string) error {
		close(opening)
		<-ctx.Done()
		return ctx.Err()
	}}
	e := start(t, opener, lsp.Options{})
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}})
	p := e.GoCommand("ambit.search", lsptest.Object{"query": "x"})
	q := e.GoCommand("ambit.search", lsptest.Object{"query": "x"})
	<-opening
	p.Cancel()
	if err := p.Await(nil); code(err) != -32800 {
		t.Errorf("cancelled: %v", err)
	}
	var status struct{ State string }
	if err := e.Command("ambit.status", nil, &status); err != nil || status.State != "starting" {
		t.Errorf("status: %+v, %v", status, err)
	}
	e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{}, "removed": []lsptest.Object{{"uri": "file:///w", "name": "w"}},
	}})
	if err := q.Await(nil); err == nil {
		t.Error("the request to a folder that is gone was answered")
	}
}

func TestAClosedFolderEndsItsRequests(t *testing.T) {
	began := make(chan struct{}, 1)
	opener := &Opener{Hold: func(ctx context.Context, method string) error {
		if method != "Context" {
			return nil
		}
		began <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}}
	e, _ := begin(t, opener, lsptest.Client{})
	p := e.GoCommand("ambit.context", lsptest.Object{"query": "x"})
	<-began
	e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{}, "removed": []lsptest.Object{{"uri": "file:///w", "name": "w"}},
	}})
	if err := p.Await(nil); code(err) != -32802 {
		t.Errorf("context: %v, want ServerCancelled", err)
	}
}

func TestShutdownAnswersWhatIsUnderWay(t *testing.T) {
	opener, began, release := stubborn()
	defer release()
	e, _ := begin(t, opener, lsptest.Client{})
	p := e.GoCommand("ambit.context", lsptest.Object{"query": "x"})
	<-began
	shutdown := e.Go("shutdown", nil)
	if err := p.Await(nil); code(err) != -32802 {
		t.Errorf("under way: %v, want ServerCancelled", err)
	}
	release()
	if err := shutdown.Await(nil); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	e.Notify("exit", nil)
	if err := e.Wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	var all []*lsptest.Pending
	for range 1200 {
		all = append(all, e.GoCommand("ambit.context", lsptest.Object{"query": "x"}))
	}
	refused := 0
	for _, p := range all[1024:] {
		if err := p.Await(nil); code(err) == -32802 {
			refused++
		}
	}
	if refused != 1200-1024 {
		t.Errorf("%d refused, want %d", refused, 1200-1024)
	}
	if n := len(began); n > 8 {
		t.Errorf("%d answers are made at once", n)
	}
	release()
	for i, p := range all[:1024] {
		if err := p.Await(nil); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}

func TestAnIDThatIsTakenIsRefused(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	defer release()
	p := e.GoCommand("ambit.context", lsptest.Object{"query": "x"})
	<-began
	e.SendRaw([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover","params":{}}`, p.ID)))
	if err := p.Await(nil); code(err) != -32600 {
		t.Errorf("the second of an id: %v, want InvalidRequest", err)
	}
}

// Random interleavings of edits, questions and cancellations: every question is
// answered once, a question sees the text as it stood when it was asked, and the text
// ends as the edits say.
func TestInterleavingsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		opener := &Opener{}
		e, w := begin(t, opener, lsptest.Client{})
		defer e.Close()
		text, version := "v1", 1
		e.Open(uriA, "go", text)
		type asked struct {
			*lsptest.Pending
			want      string
			cancelled bool
		}
		var questions []*asked
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				version++
				text = fmt.Sprintf("v%d", version)
				e.Change(uriA, version, lsptest.Edit(0, 0, 0, 99, text))
			case 2, 3:
				questions = append(questions, &asked{e.GoCommand("ambit.context", lsptest.At(uriA, 0, 0)), text, false})
			case 4:
				if len(questions) > 0 {
					q := questions[rapid.IntRange(0, len(questions)-1).Draw(rt, "which")]
					q.cancelled = true
					q.Cancel()
				}
			case 5:
				e.CloseDocument(uriA)
				e.Open(uriA, "go", text)
			}
		}
		for i, q := range questions {
			var a struct{ Sources []struct{ Identifier string } }
			err := q.Await(&a)
			switch {
			case err != nil && !(q.cancelled && code(err) == -32800):
				rt.Errorf("question %d: %v", i, err)
			case err == nil && a.Sources[0].Identifier != q.want:
				rt.Errorf("question %d sees %s, want %s", i, a.Sources[0].Identifier, q.want)
			}
		}
		roundTrip(t, e)
		if got, _ := w.Document("a.go"); got != text {
			rt.Errorf("the text ends as %q, want %q", got, text)
		}
	})
}

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

func TestAWrongSettingIsLoggedOnce(t *testing.T) {
	opener := &Opener{}
	e, _ := begin(t, opener, lsptest.Client{Bare: true, Options: lsptest.Object{"exclude": []string{"gen"}}})
	told := func(raw json.RawMessage) bool { return strings.Contains(string(raw), "exclude") }
	e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{"ambit": lsptest.Object{"exclude": 7}}})
	e.Await("window/logMessage", told)
	opener.Opened(2) // the folder is opened anew, without the setting
	roundTrip(t, e)
	n := 0
	for _, m := range e.Session() {
		if strings.Contains(string(m.Data), "window/logMessage") && told(m.Data) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("it was told %d times, want once", n)
	}
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

func TestAnotherStateIsSentAtOnceAndOtherCountsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, w := begin(t, &Opener{}, lsptest.Client{Options: lsptest.Object{"statusNotifications": true}})
		defer e.Close()
		time.Sleep(time.Second) // of the bubble: the states of the start were sent long ago
		start := time.Now()
		tell := func(st api.State, name string, value any) time.Duration {
			w.States <- st
			e.Await("ambit/status", field(name, value))
			return time.Since(start)
		}
		if took := tell(api.State{State: api.StateIndexing, Pending: 2}, "state", "indexing"); took != 0 {
			t.Errorf("indexing is told after %v", took)
		}
		if took := tell(api.State{State: api.StateReady, Files: 7}, "files", 7.0); took != 0 {
			t.Errorf("ready is told after %v, as if nobody waited for it", took)
		}
		if took := tell(api.State{State: api.StateReady, Files: 8}, "files", 8.0); took == 0 {
			t.Error("a count is told at once, as every file of many would be")
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
		first := api.State{Folder: "file:///w", State: api.StateReady} // of each workspace; another follows it at once
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

func TestSettingsComeFromTheClientAndChangeLive(t *testing.T) {
	var settings atomic.Value
	settings.Store(lsptest.Object{"budget": 1000, "maxTokens": 100})
	opener := &Opener{}
	e := start(t, opener, lsp.Options{})
	e.Handle("workspace/configuration", func(params json.RawMessage) (any, error) {
		var p struct{ Items []any }
		err := json.Unmarshal(params, &p)
		all := make([]any, len(p.Items))
		for i := range all {
			all[i] = settings.Load()
		}
		return all, err
	})
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}, Options: lsptest.Object{"budget": 500, "encoding": "cl100k_base"}})
	budget := func() int {
		var a struct{ Budget int }
		if err := e.Command("ambit.context", lsptest.Object{"query": "x"}, &a); err != nil {
			t.Fatal(err)
		}
		return a.Budget
	}
	change := func(o lsptest.Object) {
		settings.Store(o)
		e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": nil})
	}
	if got := budget(); got != 1000 {
		t.Errorf("budget %d, want that of the configuration", got)
	}
	if got := opener.Opened(1).Options.Settings; got.MaxTokens != 100 || got.Encoding != "cl100k_base" {
		t.Errorf("opened with %+v", got)
	}
	change(lsptest.Object{"budget": 2000, "maxTokens": 100})
	for budget() != 2000 { // as soon as the client has answered
	}
	if n := len(opener.All()); n != 1 {
		t.Errorf("opened %d times for a budget", n)
	}
	e.Open(uriA, "go", "needle")
	change(lsptest.Object{"budget": 2000, "maxTokens": 200})
	w := opener.Opened(2)
	if got := w.Options.Settings.MaxTokens; got != 200 {
		t.Errorf("opened anew with maxTokens %d", got)
	}
	var a struct{ Results []any }
	if err := e.Command("ambit.search", lsptest.Object{"query": "needle"}, &a); err != nil || len(a.Results) != 1 {
		t.Errorf("search after: %v, %v", a, err)
	}
	change(lsptest.Object{"budget": -1, "maxTokens": 200})
	e.Await("window/logMessage", func(raw json.RawMessage) bool { return strings.Contains(string(raw), "budget") })
}

func TestNothingIsLostWhenAFolderIsOpenedAnew(t *testing.T) {
	began := make(chan string, 100)
	var anew atomic.Bool
	opener := &Opener{Hold: func(ctx context.Context, method string) error {
		if began <- method; method != "Context" && method != "Reindex" || anew.Load() {
			return nil
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}}
	e, w := begin(t, opener, lsptest.Client{Bare: true})
	<-began // begin's own
	e.Open(uriA, "go", "alpha")
	under := e.GoCommand("ambit.context", lsptest.At(uriA, 0, 0))
	<-began
	reindex := e.GoCommand("ambit.reindex", nil)
	<-began
	w.States <- api.State{State: api.StatePaused}
	w.States <- api.State{State: api.StatePaused} // the first has been seen
	anew.Store(true)
	e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{"ambit": lsptest.Object{"maxTokens": 300}}})
	e.Change(uriA, 2, lsptest.Whole("beta"))
	after := e.GoCommand("ambit.context", lsptest.At(uriA, 0, 0))
	for want, p := range map[string]*lsptest.Pending{"alpha": under, "beta": after} {
		var a struct{ Sources []struct{ Identifier string } }
		if err := p.Await(&a); err != nil || len(a.Sources) != 1 || a.Sources[0].Identifier != want {
			t.Errorf("context: %+v, %v; want %s", a, err, want)
		}
	}
	if err := reindex.Await(nil); err != nil {
		t.Errorf("reindex: %v", err)
	}
	if err := e.Command("ambit.explain", lsptest.Object{"source": "a.go:1"}, nil); err != nil {
		t.Errorf("explain the answer from before: %v", err)
	}
	next := opener.Opened(2)
	if calls := next.Calls(); len(calls) < 2 || calls[0] != "Pause" || !strings.HasPrefix(calls[1], "SetDocument a.go") {
		t.Errorf("calls %q, want the pause and the buffer first", calls)
	}
	if !w.Closed() || next.Options.Settings.MaxTokens != 300 {
		t.Errorf("closed %v, opened anew with %+v", w.Closed(), next.Options.Settings)
	}
}

func TestTheSettingsOfTheWorkspaceChangeLive(t *testing.T) {
	dir := t.TempDir()
	opener := &Opener{}
	folder := (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
	e, w := begin(t, opener, lsptest.Client{Folders: []string{folder}})
	if got := w.Options.Settings.MaxTokens; got != 700 {
		t.Errorf("opened with maxTokens %d", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ambit.toml"), []byte("maxTokens = 300\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Notify("workspace/didChangeWatchedFiles", lsptest.Object{"changes": []lsptest.Object{{"uri": folder + "/.ambit.toml", "type": 1}}})
	if got := opener.Opened(2).Options.Settings.MaxTokens; got != 300 {
		t.Errorf("opened anew with maxTokens %d", got)
	}
	if !w.Closed() {
		t.Error("the index was opened a second time before it was closed")
	}
}

func TestAClientThatDoesNotSendItsSettingsIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &Opener{}, lsp.Options{})
		silent := make(chan struct{})
		e.Handle("workspace/configuration", func(json.RawMessage) (any, error) {
			<-silent
			return []any{nil, nil}, nil
		})
		e.Begin(lsptest.Client{Folders: []string{"file:///w"}})
		if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); err != nil {
			t.Errorf("search: %v", err)
		}
		close(silent)
		e.Close()
	})
}

func TestTheTraceLevelIsHonoured(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	e.Begin(lsptest.Client{Trace: "off", Folders: []string{"file:///w", "vscode-vfs://x/y"}})
	count := func(method string) (n int) {
		for _, m := range e.Session() {
			if strings.Contains(string(m.Data), `"method":"`+method+`"`) {
				n++
			}
		}
		return n
	}
	if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); err != nil {
		t.Fatal(err)
	}
	roundTrip(t, e)
	if n := count("$/logTrace") + count("window/logMessage"); n != 0 {
		t.Errorf("%d messages with trace off", n)
	}
	e.Notify("$/setTrace", lsptest.Object{"value": "messages"})
	if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); err != nil {
		t.Fatal(err)
	}
	if p := e.Await("$/logTrace", nil); strings.Contains(string(p), "verbose") {
		t.Errorf("verbose without being asked: %s", p)
	}
	e.Notify("$/setTrace", lsptest.Object{"value": "verbose"})
	if err := e.Command("ambit.context", nil, nil); err == nil {
		t.Error("context of nothing")
	}
	e.Await("$/logTrace", func(raw json.RawMessage) bool {
		return strings.Contains(string(raw), "refused") && strings.Contains(string(raw), "verbose")
	})
}
