package lsp_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

func TestHoverDescribesTheSymbolOrIsNull(t *testing.T) {
	hover := func(e *lsptest.Editor, line, character int) (h struct {
		Contents struct{ Kind, Value string }
		Range    any
	}) {
		if err := e.Call("textDocument/hover", lsptest.At(uriA, line, character), &h); err != nil {
			t.Errorf("hover: %v", err)
		}
		return h
	}
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", "😀 alpha\n// no\n")
	h := hover(e, 0, 4)
	want := "**ambit** [`alpha`](file:///w/a.go#L1) (function) · used in 2 files · changes: hot  \n" +
		"**user** [``a`b``](file:///w/x%20%281%29.go#L3)  \n**tests** [`Testalpha`](file:///w/x_test.go#L9)\n"
	if diff := cmp.Diff(want, h.Contents.Value); diff != "" || h.Contents.Kind != "markdown" {
		t.Errorf("hover %s (-want +got):\n%s", h.Contents.Kind, diff)
	}
	if diff := cmp.Diff(any(map[string]any{
		"start": map[string]any{"line": 0.0, "character": 3.0}, "end": map[string]any{"line": 0.0, "character": 8.0},
	}), h.Range); diff != "" {
		t.Errorf("range (-want +got):\n%s", diff)
	}
	for _, at := range [][2]int{{1, 3}, {9, 9}} {
		if h := hover(e, at[0], at[1]); h.Contents.Value != "" {
			t.Errorf("hover at %v says %q", at, h.Contents.Value)
		}
	}
}

func TestHoverInPlainTextAndTurnedOff(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{Bare: true})
	e.Open(uriA, "go", "alpha")
	var h struct{ Contents struct{ Kind, Value string } }
	if err := e.Call("textDocument/hover", lsptest.At(uriA, 0, 0), &h); err != nil || h.Contents.Kind != "plaintext" ||
		!strings.HasPrefix(h.Contents.Value, "ambit alpha a.go:1 (function)") {
		t.Errorf("hover: %+v, %v", h, err)
	}
	e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{"ambit": lsptest.Object{"hover": false}}})
	var off json.RawMessage
	if err := e.Call("textDocument/hover", lsptest.At(uriA, 0, 0), &off); err != nil || string(off) != "null" {
		t.Errorf("hover turned off: %s, %v", off, err)
	}
}

func TestCodeActionsCarryTheCommand(t *testing.T) {
	tests := []struct {
		name   string
		client lsptest.Client
		only   []string
		want   []string
	}{
		{"literals", lsptest.Client{}, nil, []string{"Copy context for a language model", "Show related context"}},
		{"commands", lsptest.Client{Bare: true}, nil, []string{"Copy context for a language model", "Show related context"}},
		{"only source", lsptest.Client{}, []string{"source"}, []string{"Copy context for a language model", "Show related context"}},
		{"only one", lsptest.Client{}, []string{"source.ambit.showRelated"}, []string{"Show related context"}},
		{"only others", lsptest.Client{}, []string{"quickfix"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := begin(t, &Opener{}, tt.client)
			e.Open(uriA, "go", "alpha")
			context := lsptest.Object{"diagnostics": []any{}}
			if tt.only != nil {
				context["only"] = tt.only
			}
			var actions []struct{ Title string }
			err := e.Call("textDocument/codeAction", lsptest.Object{
				"textDocument": lsptest.Object{"uri": uriA}, "range": lsptest.Range(0, 1, 0, 1), "context": context,
			}, &actions)
			var got []string
			for _, a := range actions {
				got = append(got, a.Title)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestShowingAnAnswerAsADocument(t *testing.T) {
	e, _ := begin(t, &Opener{Files: map[string]map[string]string{"/w": {"b.go": "alpha"}}}, lsptest.Client{})
	shown := make(chan string, 1)
	e.Handle("window/showDocument", func(params json.RawMessage) (any, error) {
		var p struct{ URI string }
		err := json.Unmarshal(params, &p)
		shown <- p.URI
		return lsptest.Object{"success": true}, err
	})
	e.Open(uriA, "go", "alpha beta")
	for command, want := range map[string]string{"ambit.copyContext": "alpha beta", "ambit.showRelated": "file:///w/b.go#L1"} {
		var a struct{ Text string }
		if err := e.Command(command, lsptest.At(uriA, 0, 0), &a); err != nil || !strings.Contains(a.Text, want) {
			t.Fatalf("%s: %+v, %v", command, a, err)
		}
		uri := <-shown
		if !strings.HasPrefix(uri, "ambit-context:/") || !strings.Contains(uri, "/alpha.md?") {
			t.Errorf("%s shows %s", command, uri)
		}
		var content struct{ Text string }
		if err := e.Call("workspace/textDocumentContent", lsptest.Object{"uri": uri}, &content); err != nil {
			t.Errorf("content of %s: %v", uri, err)
		}
		if diff := cmp.Diff(a.Text, content.Text); diff != "" {
			t.Errorf("%s (-answer +document):\n%s", command, diff)
		}
	}
	for _, uri := range []string{"file:///w/a.go", "ambit-context:/other/a.md?{}", "ambit-context:/context/a.md?%7B", "ambit-context:", "x"} {
		e.SendRaw([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"workspace/textDocumentContent","params":{"uri":%q}}`, uri, uri)))
	}
}

// Requests that wait for the client to show a document delay no request for its text.
func TestManyAnswersAreShownAtOnce(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", "alpha beta")
	const n = 20 // more than the answers that are made at once
	var all sync.WaitGroup
	all.Add(n)
	e.Handle("window/showDocument", func(params json.RawMessage) (any, error) {
		all.Done()
		all.Wait()
		var p struct{ URI string }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		err := e.Call("workspace/textDocumentContent", lsptest.Object{"uri": p.URI}, nil)
		return lsptest.Object{"success": err == nil}, err
	})
	var asked []*lsptest.Pending
	for range n {
		asked = append(asked, e.GoCommand("ambit.copyContext", lsptest.At(uriA, 0, 0)))
	}
	for _, p := range asked {
		if err := p.Await(nil); err != nil {
			t.Error(err)
		}
	}
}

func TestASourceInAnArchiveIsADocument(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	var content struct{ Text string }
	for _, uri := range []string{"ambit-context:/jar/home/u/a%20b-sources.jar%21/com/a/A.java", "ambit-context:/jar/home/u/a%20b-sources.jar!/com/a/A.java"} {
		if err := e.Call("workspace/textDocumentContent", lsptest.Object{"uri": uri}, &content); err != nil || content.Text != "class A {}\n" {
			t.Errorf("content of %s: %q, %v", uri, content.Text, err)
		}
	}
	err := e.Call("workspace/textDocumentContent", lsptest.Object{"uri": "ambit-context:/jar/etc/passwd"}, &content)
	if err == nil || !strings.Contains(err.Error(), "it is in no archive") {
		t.Errorf("content of another file: %v, want the reason of the workspace", err)
	}
}

func TestADocumentInJSONIsTheWholeAnswer(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", "alpha beta")
	question := `{"textDocument":{"uri":"` + uriA + `"},"position":{"line":0,"character":0},"format":"json"}`
	var content struct{ Text string }
	uri := "ambit-context:/context/alpha.json?" + url.PathEscape(question)
	if err := e.Call("workspace/textDocumentContent", lsptest.Object{"uri": uri}, &content); err != nil {
		t.Fatal(err)
	}
	var got, want api.Answer
	if err := json.Unmarshal([]byte(content.Text), &got); err != nil {
		t.Fatalf("%v in %s", err, content.Text)
	}
	if err := e.Command("ambit.context", json.RawMessage(question), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-answer +document):\n%s", diff)
	}
}

func TestAnAnswerIsShownAsAFileWithoutContentDocuments(t *testing.T) {
	opener, dir := &Opener{}, t.TempDir()
	e := start(t, opener, lsp.Options{ScratchDir: filepath.Join(dir, "scratch")})
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}, NoContent: true})
	e.Open(uriA, "go", "alpha beta")
	if err := e.Command("ambit.copyContext", lsptest.At(uriA, 0, 0), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "scratch", "ambit-context.md"))
	if err != nil || !strings.Contains(string(text), "alpha beta") {
		t.Errorf("file: %q, %v", text, err)
	}
}

func TestAClientThatCanShowNothingGetsAMessage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scratch")
	for scratch, want := range map[string]string{"": "ambit context FILE:LINE:COL", dir: filepath.Join(dir, "ambit-context.md")} {
		e := start(t, &Opener{}, lsp.Options{ScratchDir: scratch})
		e.Begin(lsptest.Client{Folders: []string{"file:///w"}, Bare: true})
		e.Open(uriA, "go", "alpha")
		if err := e.Command("ambit.copyContext", lsptest.At(uriA, 0, 0), nil); err != nil {
			t.Fatal(err)
		}
		e.Await("window/showMessage", func(raw json.RawMessage) bool {
			var p struct{ Message string }
			return json.Unmarshal(raw, &p) == nil && strings.Contains(p.Message, want)
		})
	}
}

func TestCodeActionsAreOfferedOnASymbolOnly(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", "alpha\n\n// alpha\n")
	for trigger := range 3 { // none, invoked, automatic
		for line, want := range []int{2, 0, 0, 0, 0} { // the last is outside of the document
			context := lsptest.Object{"diagnostics": []any{}}
			if trigger > 0 {
				context["triggerKind"] = trigger
			}
			var actions []any
			err := e.Call("textDocument/codeAction", lsptest.Object{
				"textDocument": lsptest.Object{"uri": uriA}, "range": lsptest.Range(line, 0, line, 0), "context": context,
			}, &actions)
			if err != nil || len(actions) != want {
				t.Errorf("trigger %d, line %d: %d actions, want %d; %v", trigger, line, len(actions), want, err)
			}
		}
	}
}
