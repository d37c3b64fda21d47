package lsp_test

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"ambit/server/api"
	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

func TestAWrongSettingIsLoggedOnce(t *testing.T) {
	opener := &Opener{}
	e, _ := begin(t, opener, lsptest.Client{Bare: true, Options: lsptest.Object{"exclude": []string{"gen"}}})
	told := func(raw json.RawMessage) bool { return strings.Contains(string(raw), "exclude") }
	e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{"ambit": lsptest.Object{"exclude": 7}}})
	e.Await("window/logMessage", told)
	opener.Opened(2) // the folder is opened again, without the setting
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

func TestNothingIsLostWhenAFolderIsOpenedAgain(t *testing.T) {
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
	<-began // the request of begin
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

func TestTheTraceLevelTakesEffect(t *testing.T) {
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
