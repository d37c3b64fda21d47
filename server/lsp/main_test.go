package lsp_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loadModel reads the meta model once.
var loadModel = sync.OnceValues(func() (*lsptest.Model, error) {
	return lsptest.LoadModel("../../testdata/protocol/metaModel.json")
})

// start starts a session whose messages and workspaces are checked when the test ends.
func start(t testing.TB, opener *Opener, o lsp.Options) *lsptest.Editor {
	t.Helper()
	model, err := loadModel()
	if err != nil {
		t.Fatal(err)
	}
	if o.Await == nil {
		o.Await = func(ctx context.Context, _ int) { <-ctx.Done() }
	}
	t.Cleanup(func() {
		for _, w := range opener.All() {
			for _, misuse := range w.Misuse() {
				t.Errorf("workspace %q: %s", w.Root(), misuse)
			}
			if !w.Closed() {
				t.Errorf("workspace %q was not closed", w.Root())
			}
		}
	})
	return lsptest.Start(t, model, opener, o)
}

// begin starts a session with one folder, /w, and returns its workspace.
func begin(t testing.TB, opener *Opener, c lsptest.Client) (*lsptest.Editor, *Workspace) {
	t.Helper()
	if c.Folders == nil {
		c.Folders = []string{"file:///w"}
	}
	e := start(t, opener, lsp.Options{})
	e.Begin(c)
	w := opener.Opened(1)
	if err := e.Command("ambit.search", lsptest.Object{"query": "the workspace is open"}, nil); err != nil {
		t.Fatal(err)
	}
	return e, w
}

// code returns the code of an error of the server, 0 for none.
func code(err error) int {
	if e, ok := err.(*lsptest.Error); ok {
		return e.Code
	}
	return 0
}

// roundTrip waits until the server has handled everything that was sent before.
func roundTrip(t testing.TB, e *lsptest.Editor) {
	t.Helper()
	if err := e.Call("ambit/unknown", nil, nil); code(err) != -32601 && code(err) != -32600 {
		t.Fatalf("unknown request: %v", err)
	}
}

// field returns a predicate for parameters that have a field with a value.
func field(name string, want any) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var o map[string]any
		return json.Unmarshal(raw, &o) == nil && o[name] == want
	}
}
