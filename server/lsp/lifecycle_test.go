package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

func TestAnOrderlySessionEndsWithNil(t *testing.T) {
	e, w := begin(t, &Opener{}, lsptest.Client{})
	if err := e.Finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if !w.Closed() {
		t.Error("the workspace was not closed before Serve returned")
	}
}

func TestASessionWithoutShutdownEndsAbruptly(t *testing.T) {
	tests := []struct {
		name string
		end  func(e *lsptest.Editor)
		want error
	}{
		{"exit without shutdown", func(e *lsptest.Editor) { e.Notify("exit", nil) }, lsp.ErrAbrupt},
		{"the stream closed", func(e *lsptest.Editor) { e.Hangup() }, lsp.ErrAbrupt},
		{"the stream closed within a message", func(e *lsptest.Editor) {
			e.SendBytes([]byte("Content-Length: 20\r\n\r\n{"))
			e.Hangup()
		}, lsp.ErrAbrupt},
		{"the stream closed after shutdown", func(e *lsptest.Editor) {
			_ = e.Call("shutdown", nil, nil)
			e.Hangup()
		}, nil},
		{"the context cancelled", func(e *lsptest.Editor) { e.Cancel() }, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := begin(t, &Opener{}, lsptest.Client{})
			tt.end(e)
			if err := e.Wait(); !errors.Is(err, tt.want) {
				t.Errorf("Serve = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestExitBeforeInitializeEndsAbruptly(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	e.Notify("exit", nil)
	if err := e.Wait(); !errors.Is(err, lsp.ErrAbrupt) {
		t.Errorf("Serve = %v", err)
	}
}

func TestAnInvalidHeaderEndsTheSession(t *testing.T) {
	for _, header := range []string{"no colon\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Type: a\r\n\r\n", "Content-Length: 99999999999\r\n\r\n"} {
		e := start(t, &Opener{}, lsp.Options{})
		e.SendBytes([]byte(header))
		if err := e.Wait(); err == nil {
			t.Errorf("%q: Serve = nil", header)
		}
	}
}

func TestRequestsOutsideOfTheSessionAreRefused(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	if err := e.Command("ambit.status", nil, nil); code(err) != -32002 {
		t.Errorf("before initialize: %v, want ServerNotInitialized", err)
	}
	e.Open("file:///w/a.go", "go", "ignored")
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}})
	if err := e.Call("initialize", lsptest.Object{"processId": nil, "rootUri": nil, "capabilities": lsptest.Object{}}, nil); code(err) != -32600 {
		t.Errorf("second initialize: %v, want InvalidRequest", err)
	}
	if err := e.Call("shutdown", nil, nil); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := e.Command("ambit.status", nil, nil); code(err) != -32600 {
		t.Errorf("after shutdown: %v, want InvalidRequest", err)
	}
	e.Notify("exit", nil)
	if err := e.Wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestTheServerEndsWithTheProcessThatStartedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opener := &Opener{}
		gone := make(chan struct{})
		e := start(t, opener, lsp.Options{Await: func(ctx context.Context, pid int) {
			select {
			case <-gone:
				if pid == 42 {
					return
				}
			case <-ctx.Done():
			}
			<-ctx.Done()
		}})
		e.Begin(lsptest.Client{Folders: []string{"file:///w"}, ProcessID: 42})
		opener.Opened(1)
		close(gone)
		if err := e.Wait(); !errors.Is(err, lsp.ErrAbrupt) {
			t.Errorf("Serve = %v", err)
		}
		e.Hangup()
	})
}

func TestAClientThatNeverSendsInitializedIsServed(t *testing.T) {
	opener := &Opener{}
	e := start(t, opener, lsp.Options{})
	e.Initialize(lsptest.Client{Folders: []string{"file:///w"}})
	e.Open("file:///w/a.go", "go", "needle")
	var result struct{ Results []any }
	if err := e.Command("ambit.search", lsptest.Object{"query": "needle"}, &result); err != nil || len(result.Results) != 1 {
		t.Errorf("search: %v, %v", result, err)
	}
}

func TestTheFoldersAreThoseTheClientNames(t *testing.T) {
	tests := []struct {
		name   string
		client lsptest.Client
		want   []string
	}{
		{"folders", lsptest.Client{Folders: []string{"file:///a%20b", "file:///c"}}, []string{"/a b", "/c"}},
		{"root", lsptest.Client{RootURI: "file:///r"}, []string{"/r"}},
		{"folders before root", lsptest.Client{Folders: []string{"file:///a"}, RootURI: "file:///r"}, []string{"/a"}},
		{"root null", lsptest.Client{}, nil},
		{"the root of the file system is none", lsptest.Client{RootURI: "file:///"}, nil},
		{"what is not on disk is none", lsptest.Client{RootURI: "vscode-vfs://github/a/b"}, nil},
		{"one folder twice", lsptest.Client{Folders: []string{"file:///a", "file:///a/"}}, []string{"/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := start(t, &Opener{}, lsp.Options{})
			e.Begin(tt.client)
			if diff := cmp.Diff(tt.want, roots(t, e)); diff != "" {
				t.Errorf("folders (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnEmptyRootIsNoFolder(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	e.SendRaw([]byte(`{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"processId":null,"rootUri":"","capabilities":{}}}`))
	if got := roots(t, e); got != nil {
		t.Errorf("folders %v", got)
	}
	if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); code(err) != -32803 {
		t.Errorf("search without folder: %v, want RequestFailed", err)
	}
}

// roots returns the folders of ambit.status.
func roots(t *testing.T, e *lsptest.Editor) (roots []string) {
	t.Helper()
	var status struct{ Folders []struct{ Root string } }
	if err := e.Command("ambit.status", nil, &status); err != nil {
		t.Fatalf("status: %v", err)
	}
	for _, f := range status.Folders {
		roots = append(roots, f.Root)
	}
	return roots
}

func TestTheEncodingIsNegotiated(t *testing.T) {
	tests := []struct {
		offered []string
		want    string
	}{
		{nil, "utf-16"},
		{[]string{"utf-16"}, "utf-16"},
		{[]string{"utf-32", "utf-8", "utf-16"}, "utf-8"},
		{[]string{"utf-32", "utf-16"}, "utf-32"},
		{[]string{"utf-16", "utf-32"}, "utf-16"},
		{[]string{"utf-7"}, "utf-16"},
	}
	for _, tt := range tests {
		e := start(t, &Opener{}, lsp.Options{})
		if got := e.Begin(lsptest.Client{Encodings: tt.offered})["positionEncoding"]; got != tt.want {
			t.Errorf("offered %v: %v, want %s", tt.offered, got, tt.want)
		}
	}
}

func TestAnInvalidCapabilityDoesNotAffectTheRest(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	e.SendRaw([]byte(`{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"processId":"seven","rootUri":"file:///r",
		"capabilities":{"window":7,"general":{"positionEncodings":["utf-8"]},"workspace":{"diagnostic":{"new":true}}}}}`))
	if diff := cmp.Diff([]string{"/r"}, roots(t, e)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
}

func TestTheServerSendsOnlyTheRequestsThatTheClientTakes(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	e.Begin(lsptest.Client{Bare: true, RootURI: "file:///r"})
	roots(t, e)
	for _, m := range e.Session() {
		var call struct {
			ID     any
			Method string
		}
		if err := json.Unmarshal(m.Data, &call); err == nil && m.FromServer && call.ID != nil && call.Method != "" {
			t.Errorf("the server asked %s", m.Data)
		}
	}
}

func TestFileEventsAndSettingsAreRegistered(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}})
	var p struct{ Registrations []struct{ Method string } }
	if err := json.Unmarshal(e.Await("client/registerCapability", nil), &p); err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, r := range p.Registrations {
		got = append(got, r.Method)
	}
	if diff := cmp.Diff([]string{"workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"}, got); diff != "" {
		t.Errorf("registered (-want +got):\n%s", diff)
	}
}

func TestInvalidMessagesAreAnsweredOrIgnored(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	for _, raw := range []string{
		``, `{`, `null`, `7`, `[]`, `{}`, `[{"jsonrpc":"2.0","id":9,"method":"shutdown"}]`, "\x00\xff", `{"jsonrpc":"1.0","id":1000,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}`, `{"jsonrpc":"2.0","id":77,"result":null}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"$/unknown"}`, `{"jsonrpc":"2.0","method":"textDocument/didOpen"}`, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":7}`,
		`{"jsonrpc":"2.0","id":1001,"method":"textDocument/hover"}`, `{"jsonrpc":"2.0","id":"s","method":"workspace/executeCommand","params":[]}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"workspace/executeCommand","params":{"command":"ambit.status"}}`,
		`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":{}}}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":true}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":7}}`, `{"jsonrpc":"2.0","method":"initialized"}`,
	} {
		e.SendRaw([]byte(raw))
	}
	if err := e.Finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}
