package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

const (
	uriA = "file:///w/a.go"
	idA  = "0b2c7c34-7f0e-5d5a-9e2b-0a4b1a9b7c11"
)

func TestTheCommandsAreAdvertised(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	capabilities := e.Begin(lsptest.Client{Options: lsptest.Object{"clientCommands": []string{"ambit.copyContext"}}})
	got := capabilities["executeCommandProvider"].(map[string]any)["commands"]
	want := []any{"ambit.chunks", "ambit.context", "ambit.explain", "ambit.pause", "ambit.reindex", "ambit.related",
		"ambit.resume", "ambit.search", "ambit.showRelated", "ambit.status"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestContextAnswersForAPlaceInADocument(t *testing.T) {
	e, _ := begin(t, &Opener{Files: map[string]map[string]string{"/w": {"b.go": "x 😀 onDisk"}}}, lsptest.Client{})
	e.Open(uriA, "go", "😀 alpha\n")
	e.Change(uriA, 2, lsptest.Edit(0, 3, 0, 8, "beta"))
	tests := []struct {
		name string
		at   lsptest.Object
		want string
	}{
		{"an open document", lsptest.At(uriA, 0, 3), "beta"},
		{"in another spelling", lsptest.At("file:///w/%61.go", 0, 3), "beta"},
		{"by the name of this machine", lsptest.At("file://localhost/w/a.go", 0, 3), "beta"},
		{"a file", lsptest.At("file:///w/b.go", 0, 5), "onDisk"},
	}
	for _, tt := range tests {
		var a struct {
			Symbol  any
			Format  string
			Sources []struct{ Identifier, URI string }
		}
		if err := e.Command("ambit.context", tt.at, &a); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(a.Sources) != 1 || a.Sources[0].Identifier != tt.want || a.Format != "plain" {
			t.Errorf("%s: %+v, want %s", tt.name, a, tt.want)
		}
	}
}

func TestColumnsAreInTheNegotiatedEncoding(t *testing.T) {
	for encoding, want := range map[string]float64{"utf-8": 5, "utf-16": 3, "utf-32": 2} {
		e, _ := begin(t, &Opener{}, lsptest.Client{Encodings: []string{encoding}})
		e.Open(uriA, "go", "😀 needle")
		var a struct {
			Results []struct{ Range map[string]map[string]float64 }
		}
		if err := e.Command("ambit.search", lsptest.Object{"query": "needle"}, &a); err != nil || len(a.Results) != 1 {
			t.Fatalf("%s: %v, %v", encoding, a, err)
		}
		if got := a.Results[0].Range["start"]["character"]; got != want {
			t.Errorf("%s: starts at %v, want %v", encoding, got, want)
		}
	}
}

func TestSearchAsksAllFolders(t *testing.T) {
	opener := &Opener{Files: map[string]map[string]string{"/w": {"a": "needle"}, "/v": {"b": "needle\nneedle"}}}
	e, _ := begin(t, opener, lsptest.Client{Folders: []string{"file:///w", "file:///v"}})
	search := func(argument lsptest.Object) (uris []string) {
		var a struct{ Results []struct{ URI string } }
		if err := e.Command("ambit.search", argument, &a); err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Results {
			uris = append(uris, r.URI)
		}
		return uris
	}
	if diff := cmp.Diff([]string{"file:///w/a", "file:///v/b", "file:///v/b"}, search(lsptest.Object{"query": "needle"})); diff != "" {
		t.Errorf("everywhere (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"file:///v/b"}, search(lsptest.Object{"query": "needle", "folder": "file:///v", "limit": 1})); diff != "" {
		t.Errorf("in one (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"file:///v/b", "file:///v/b"}, search(lsptest.Object{"query": "needle", "path": "/v"})); diff != "" {
		t.Errorf("in the folder that a path names (-want +got):\n%s", diff)
	}
	for want, wrong := range map[string]lsptest.Object{
		"language: no file is nosuch":                                       {"query": "nothing", "language": "NoSuch"},
		"kind: use one of function, method":                                 {"query": "nothing", "kind": "nosuch"},
		"layer: no document is of the layer nosuch; use one of api, guides": {"query": "nothing", "layer": "nosuch"},
	} {
		if err := e.Command("ambit.search", wrong, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("search %v: %v, want %s", wrong, err, want)
		}
	}
}

func TestASearchKeepsTheOrderOfEachFolder(t *testing.T) {
	opener := &Opener{Files: map[string]map[string]string{"/w": {"a": "it scores 3\nit scores 1\nit scores 2"}, "/v": {"b": "it scores 1.5"}}}
	e, _ := begin(t, opener, lsptest.Client{Folders: []string{"file:///w", "file:///v"}})
	var a struct{ Results []struct{ Score float64 } }
	if err := e.Command("ambit.search", lsptest.Object{"query": "it"}, &a); err != nil {
		t.Fatal(err)
	}
	var scores []float64
	for _, r := range a.Results {
		scores = append(scores, r.Score)
	}
	if diff := cmp.Diff([]float64{3, 1.5, 1, 2}, scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestAFieldThatACommandDoesNotHaveIsNamedInAWarning(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	question := lsptest.Object{"query": "alpha", "limits": 3, "textDocument": lsptest.Object{"uri": uriA, "versions": 1}}
	if err := e.Command("ambit.search", question, nil); err != nil {
		t.Fatal(err)
	}
	e.Await("window/logMessage", func(raw json.RawMessage) bool {
		return strings.Contains(string(raw), "fields=limits, textDocument.versions")
	})
}

func TestASymbolIsAskedForInTheFolderThatHasIt(t *testing.T) {
	opener := &Opener{Files: map[string]map[string]string{"/w": {"a": "alone both"}, "/v": {"sub/b": "both other"}}}
	e, _ := begin(t, opener, lsptest.Client{Folders: []string{"file:///w", "file:///v"}})
	tests := []struct {
		question lsptest.Object
		want     string // the URI of the source, or a part of the error
	}{
		{lsptest.Object{"symbol": "alone"}, "file:///w/a"},
		{lsptest.Object{"symbol": "other"}, "file:///v/sub/b"},
		{lsptest.Object{"symbol": "both"}, "more than one folder has it"},
		{lsptest.Object{"symbol": "both", "folder": "file:///v"}, "file:///v/sub/b"},
		{lsptest.Object{"symbol": "both", "path": "sub"}, "file:///v/sub/b"},
		{lsptest.Object{"symbol": "both", "path": "/v/sub"}, "file:///v/sub/b"},
		{lsptest.Object{"symbol": "both", "path": "file:///w/a"}, "file:///w/a"},
		{lsptest.Object{"symbol": "both", "path": "/etc/passwd"}, "in no folder that is open"},
		{lsptest.Object{"symbol": "none"}, "no declaration is named none"},
		{lsptest.Object{"symbol": "alone", "query": "words"}, "without query and position"},
		{lsptest.Object{"path": "a", "line": 0}, "line"},
	}
	for _, tt := range tests {
		var a struct{ Sources []struct{ URI string } }
		got := ""
		if err := e.Command("ambit.context", tt.question, &a); err != nil {
			got = err.Error()
		} else if len(a.Sources) == 1 {
			got = a.Sources[0].URI
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%v: got %q, want %q", tt.question, got, tt.want)
		}
	}
}

func TestAFileOutsideIsAskedForOnceInTheFolderThatDependsOnIt(t *testing.T) {
	asked := 0
	opener := &Opener{
		Files: map[string]map[string]string{"/w": {}, "/v": {}, "/u": {"/mod/web.go": "package web"}},
		Hold: func(_ context.Context, method string) error {
			if method == "Context" || method == "SourceText" {
				asked++
			}
			return nil
		},
	}
	e, _ := begin(t, opener, lsptest.Client{Folders: []string{"file:///w", "file:///v", "file:///u"}})
	for _, tt := range []struct {
		uri, want string
		asked     int
	}{
		{"file:///mod/web.go", "/u depends on /mod/web.go", 3},
		{"file:///mod/web.go", "/u depends on /mod/web.go", 1}, // the folder that answered last comes first
		{"file:///mod/other.go", "in no folder that is open and of no package", 3},
		{"file:///mod/web.go", "/u depends on /mod/web.go", 1},
	} {
		var a struct{ Text string }
		asked = 0
		if err := e.Command("ambit.context", lsptest.At(tt.uri, 0, 0), &a); err != nil {
			a.Text = err.Error()
		}
		if !strings.Contains(a.Text, tt.want) || asked != tt.asked {
			t.Errorf("%s: %q after %d questions, want %q after %d", tt.uri, a.Text, asked, tt.want, tt.asked)
		}
	}
}

// An agent may not ask about a file that is only open in the editor.
func TestAnAgentIsRefusedADocumentOfNoFolder(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{Folders: []string{"file:///w"}})
	e.Open("file:///etc/private.go", "go", "private")
	asked := lsptest.At("file:///etc/private.go", 0, 0)
	if err := e.Command("ambit.context", asked, nil); err != nil {
		t.Errorf("the user's own question: %v", err)
	}
	asked["agent"] = true
	if err := e.Command("ambit.context", asked, nil); err == nil || !strings.Contains(err.Error(), "in no folder that is open") {
		t.Errorf("the question of an agent: %v", err)
	}
}

func TestEveryCommandAnswers(t *testing.T) {
	e, w := begin(t, &Opener{Files: map[string]map[string]string{"/w": {"b.go": "alpha"}}}, lsptest.Client{})
	e.Open(uriA, "go", "alpha beta\n")
	for _, tt := range []struct {
		command  string
		argument any
		holds    string
	}{
		{"ambit.context", lsptest.At(uriA, 0, 1), `"identifier":"alpha"`},
		{"ambit.context", lsptest.Object{"query": "how", "format": "xml", "budget": 300}, `"budget":300`},
		{"ambit.context", lsptest.Object{"query": "how", "pin": []string{idA}, "drop": nil}, `"identifier":"pinned ` + idA},
		{"ambit.context", lsptest.Object{"query": "how", "drop": []string{idA}}, `"reason":"dropped"`},
		{"ambit.explain", lsptest.Object{"id": idA}, `"rank":1`},
		{"ambit.explain", lsptest.Object{"source": "a.go:7", "query": "how"}, `"start_line":7`},
		{"ambit.explain", lsptest.Object{"source": lsptest.Object{"path": "a.go", "start_line": 3}}, `"start_line":3`},
		{"ambit.related", lsptest.At(uriA, 0, 1), `"role":"user"`},
		{"ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": uriA}}, `"end_line":2`},
		{"ambit.status", nil, `"state":"ready"`},
		{"ambit.status", lsptest.Object{"unknown": 7}, `"left_out":[]`},
		{"ambit.reindex", nil, `{"files":2}`},
		{"ambit.reindex", lsptest.Object{"path": "sub/dir"}, `{"files":2}`},
		{"ambit.pause", nil, `null`},
		{"ambit.resume", nil, `null`},
	} {
		var got json.RawMessage
		if err := e.Command(tt.command, tt.argument, &got); err != nil || !strings.Contains(string(got), tt.holds) {
			t.Errorf("%s %v = %s, %v; want it to hold %s", tt.command, tt.argument, got, err, tt.holds)
		}
	}
	want := []string{"SetDocument a.go 1", "Reindex ", "Reindex sub/dir", "Pause", "Resume"}
	if diff := cmp.Diff(want, w.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestWrongParametersAreRefusedByName(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", "alpha")
	with := func(name string, value any) lsptest.Object {
		o := lsptest.At(uriA, 0, 0)
		o[name] = value
		return o
	}
	for _, tt := range []struct {
		command  string
		argument any
		field    string
	}{
		{"ambit.unknown", nil, "command"},
		{"ambit.context", 7, "arguments"},
		{"ambit.context", nil, "position"},
		{"ambit.context", lsptest.Object{"position": lsptest.Position(0, 0)}, "textDocument"},
		{"ambit.context", lsptest.Object{"textDocument": 7, "position": lsptest.Position(0, 0)}, "textDocument"},
		{"ambit.context", with("position", lsptest.Object{"line": -1, "character": 0}), "position"},
		{"ambit.context", with("position", lsptest.Object{"line": 0.5, "character": 0}), "position"},
		{"ambit.context", with("position", lsptest.Position(9, 0)), "position"},
		{"ambit.context", with("query", "both"), "query"},
		{"ambit.context", with("query", 7), "query"},
		{"ambit.context", with("budget", "many"), "budget"},
		{"ambit.context", with("budget", -5), "budget"},
		{"ambit.context", with("format", "pdf"), "format"},
		{"ambit.context", with("encoding", "gpt"), "encoding"},
		{"ambit.context", with("contextMode", true), "contextMode"},
		{"ambit.context", with("scope", "wide"), "scope"},
		{"ambit.context", with("include", "x"), "include"},
		{"ambit.context", with("pin", idA), "pin"},
		{"ambit.context", with("pin", []string{idA, "cart.go:7"}), "pin"},
		{"ambit.context", with("pin", slices.Repeat([]string{idA}, 1001)), "pin"},
		{"ambit.context", with("drop", []int{7}), "drop"},
		{"ambit.search", lsptest.Object{"query": " "}, "query"},
		{"ambit.search", lsptest.Object{"query": "a", "limit": 0}, "limit"},
		{"ambit.search", lsptest.Object{"query": "a", "tags": []int{1}}, "tags"},
		{"ambit.search", lsptest.Object{"query": "a", "folder": "file:///other"}, "folder"},
		{"ambit.search", lsptest.Object{"query": strings.Repeat("a", 1<<20+1)}, "query"},
		{"ambit.related", with("limit", "all"), "limit"},
		{"ambit.explain", lsptest.Object{}, "id"},
		{"ambit.explain", lsptest.Object{"source": 7}, "source"},
		{"ambit.chunks", lsptest.Object{}, "textDocument"},
		{"ambit.reindex", lsptest.Object{"path": "../x"}, "path"},
	} {
		err := e.Command(tt.command, tt.argument, nil)
		if code(err) != -32602 || !strings.Contains(err.Error(), ": "+tt.field+": ") && !strings.Contains(err.Error(), " "+tt.field+": ") {
			t.Errorf("%s %v: %v, want InvalidParams of %s", tt.command, tt.argument, err, tt.field)
		}
	}
	for _, tt := range []struct{ method, params, field string }{
		{"workspace/executeCommand", `{"command":"ambit.status","arguments":[{},{}]}`, "arguments"},
		{"workspace/executeCommand", `{"command":7}`, "command"},
		{"workspace/executeCommand", `{"command":"ambit.status","arguments":"x"}`, "arguments"},
		{"workspace/executeCommand", `[]`, "params"},
		{"textDocument/hover", `{"textDocument":{"uri":7},"position":{"line":0,"character":0}}`, "textDocument.uri"},
		{"textDocument/hover", `{"textDocument":{"uri":"file:///w/a.go"}}`, "position"},
		{"textDocument/codeAction", `"x"`, "params"},
		{"textDocument/codeAction", `{"textDocument":{"uri":"file:///w/a.go"},"context":{}}`, "range"},
		{"workspace/textDocumentContent", `{"uri":7}`, "uri"},
	} {
		e.SendRaw([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, tt.params, tt.method, tt.params)))
		if m := rawAnswer(e, tt.params); m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, tt.field+": ") {
			t.Errorf("%s %s: %+v, want InvalidParams of %s", tt.method, tt.params, m.Error, tt.field)
		}
	}
}

// reply is an answer of the server.
type reply struct {
	Error *lsptest.Error
}

// rawAnswer returns the answer to a raw message with an id.
func rawAnswer(e *lsptest.Editor, id string) (r reply) {
	for {
		if err := e.Call("ambit/unknown", nil, nil); code(err) != -32601 { // earlier requests are answered, except questions to a workspace
			return r
		}
		for _, m := range e.Session() {
			var answer struct {
				ID     any
				Method *string
				reply
			}
			if m.FromServer && json.Unmarshal(m.Data, &answer) == nil && answer.Method == nil && answer.ID == id {
				return answer.reply
			}
		}
	}
}

func TestAQuestionWithoutAnswerIsRefusedWithAReason(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	for uri, want := range map[string]string{
		"git:/w/a.go": "is not open", "file:///elsewhere/a.go": "in no folder", "file:///w/missing.go": "missing.go",
	} {
		err := e.Command("ambit.context", lsptest.At(uri, 0, 0), nil)
		if code(err) != -32803 || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want RequestFailed with %q", uri, err, want)
		}
	}
	if err := e.Command("ambit.explain", lsptest.Object{"id": UnknownID.String()}, nil); code(err) != -32803 {
		t.Errorf("explain before any question: %v", err)
	}
}

func TestAFolderThatDoesNotOpenGivesTheReasonAndIsTriedAgain(t *testing.T) {
	var free atomic.Bool
	opener := &Opener{Before: func(context.Context, string) error {
		if free.Load() {
			return nil
		}
		return errors.New("the index is in use; end the other one")
	}}
	e := start(t, opener, lsp.Options{})
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}, Options: lsptest.Object{"statusNotifications": true}})
	e.Await("ambit/status", field("state", "error"))
	e.Await("window/logMessage", field("type", 1.0))
	if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); code(err) != -32803 || !strings.Contains(err.Error(), "end the other one") {
		t.Errorf("search: %v", err)
	}
	free.Store(true)
	w := opener.Opened(1)
	e.Open("file:///w/a.go", "go", "package a\n")
	err := e.Command("ambit.context", lsptest.At("file:///w/a.go", 0, 0), nil)
	for code(err) == -32803 { // until the server has the workspace that was opened
		err = e.Command("ambit.context", lsptest.At("file:///w/a.go", 0, 0), nil)
	}
	if err != nil {
		t.Errorf("context: %v", err)
	}
	if calls := w.Calls(); !slices.ContainsFunc(calls, func(c string) bool { return strings.Contains(c, "a.go") }) {
		t.Errorf("the workspace did not get the document that is open: %q", calls)
	}
}

func TestAPanicEndsOneRequestOnly(t *testing.T) {
	opener := &Opener{Hold: func(_ context.Context, method string) error {
		if method == "Context" {
			panic("boom")
		}
		return nil
	}}
	e, _ := begin(t, opener, lsptest.Client{})
	if err := e.Command("ambit.context", lsptest.Object{"query": "x"}, nil); code(err) != -32603 {
		t.Errorf("context: %v, want InternalError", err)
	}
	p := e.Await("window/logMessage", field("type", 1.0))
	if !strings.Contains(string(p), "boom") || !strings.Contains(string(p), ".go:") {
		t.Errorf("the log has no stack: %s", p)
	}
	if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); err != nil {
		t.Errorf("search after the panic: %v", err)
	}
}

func TestAPanicOfANotificationDoesNotEndTheSession(t *testing.T) {
	e, w := begin(t, &Opener{Set: func(b *api.Document) {
		if b.Version == 2 {
			panic("boom")
		}
	}}, lsptest.Client{})
	e.Open(uriA, "go", "alpha")
	e.Change(uriA, 2, lsptest.Whole("beta"))
	if p := e.Await("window/logMessage", field("type", 1.0)); !strings.Contains(string(p), "boom") || !strings.Contains(string(p), ".go:") {
		t.Errorf("the log has no stack: %s", p)
	}
	e.Change(uriA, 3, lsptest.Edit(0, 4, 0, 4, "!"))
	roundTrip(t, e)
	if got, _ := w.Document("a.go"); got != "beta!" {
		t.Errorf("then the text is %q", got)
	}
}

func TestAPanicOfTheIndexIsAStatus(t *testing.T) {
	e, w := begin(t, &Opener{}, lsptest.Client{Options: lsptest.Object{"statusNotifications": true}})
	w.States <- api.State{State: "panic"}
	if p := e.Await("ambit/status", field("state", "error")); !strings.Contains(string(p), "panicked") {
		t.Errorf("status %s", p)
	}
	if err := e.Command("ambit.search", lsptest.Object{"query": "x"}, nil); err != nil {
		t.Errorf("search after the panic: %v", err)
	}
}

// commandsThatTakeTime are the commands that wait for a workspace, with an argument each.
func commandsThatTakeTime() map[string]any {
	return map[string]any{
		"ambit.context": lsptest.At(uriA, 0, 0), "ambit.search": lsptest.Object{"query": "x"}, "ambit.related": lsptest.At(uriA, 0, 0),
		"ambit.explain": lsptest.Object{"id": idA, "query": "x"}, "ambit.chunks": lsptest.Object{"textDocument": lsptest.Object{"uri": uriA}},
		"ambit.status": nil, "ambit.reindex": nil, "ambit.copyContext": lsptest.At(uriA, 0, 0), "ambit.showRelated": lsptest.At(uriA, 0, 0),
	}
}

// goWithToken sends a command with its name as the token of its progress.
func goWithToken(e *lsptest.Editor, name string, argument any) *lsptest.Pending {
	params := lsptest.Object{"command": name, "workDoneToken": name}
	if argument != nil {
		params["arguments"] = []any{argument}
	}
	return e.Go("workspace/executeCommand", params)
}

func TestEveryCommandHasProgressAndIsCancellable(t *testing.T) {
	for name, argument := range commandsThatTakeTime() {
		t.Run(name, func(t *testing.T) {
			var held atomic.Bool
			began := make(chan struct{}, 10)
			opener := &Opener{Hold: func(ctx context.Context, _ string) error {
				if !held.Load() {
					return nil
				}
				began <- struct{}{}
				<-ctx.Done()
				return context.Cause(ctx)
			}}
			e, _ := begin(t, opener, lsptest.Client{})
			e.Open(uriA, "go", "alpha")
			told := func(kind string) {
				t.Helper()
				e.Await("$/progress", func(raw json.RawMessage) bool {
					var p struct {
						Token string
						Value struct{ Kind string }
					}
					return json.Unmarshal(raw, &p) == nil && p.Token == name && p.Value.Kind == kind
				})
			}
			p := goWithToken(e, name, argument)
			told("begin")
			told("end")
			if err := p.Await(nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			held.Store(true)
			p = goWithToken(e, name, argument)
			<-began
			told("begin")
			p.Cancel()
			if err := p.Await(nil); code(err) != -32800 {
				t.Errorf("cancelled: %v, want RequestCancelled", err)
			}
		})
	}
}

func TestReindexReportsItsProgress(t *testing.T) {
	e, _ := begin(t, &Opener{}, lsptest.Client{})
	p := goWithToken(e, "ambit.reindex", nil)
	report := e.Await("$/progress", func(raw json.RawMessage) bool { return strings.Contains(string(raw), `"kind":"report"`) })
	for _, want := range []string{`"percentage":50`, "1 of 2 files", `"token":"ambit.reindex"`} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report %s does not hold %s", report, want)
		}
	}
	if err := p.Await(nil); err != nil {
		t.Error(err)
	}
}
