package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/server/cli"
	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

// shop is a small workspace.
var shop = map[string]string{
	"go.mod":        "module shop\n",
	"cart.go":       "package shop\n\n// Cart holds items.\ntype Cart struct{ items []Item }\n\n// Total sums the prices up.\nfunc (c *Cart) Total() int {\n\tsum := 0 // the sum\n\tfor _, i := range c.items {\n\t\tsum += priceOf(i)\n\t}\n\treturn sum\n}\n",
	"item.go":       "package shop\n\n// Item is for sale.\ntype Item struct{ cents int }\n\nfunc priceOf(i Item) int { return i.cents }\n",
	"cart_test.go":  "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif (&Cart{}).Total() != 0 {\n\t\tt.Fail()\n\t}\n}\n",
	"docs/guide.md": "# Guide\n\nCall `Cart.Total` to sum the prices up.\n",
	".env":          "PASSWORD=hunter2\n",
}

// folder writes files below a new directory and returns it with its URI.
func folder(t testing.TB, files map[string]string) (dir, uri string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, "file://" + dir
}

// serve starts ambit's language server on real workspaces, with a cache of its own.
// At the end of the test every message is checked and the server has ended.
func serve(t testing.TB) *lsptest.Editor {
	t.Helper()
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	model, err := lsptest.LoadModel("../../testdata/protocol/metaModel.json")
	if err != nil {
		t.Fatal(err)
	}
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
	return lsptest.Start(t, model, cli.Opener, lsp.Options{Await: func(ctx context.Context, _ int) { <-ctx.Done() }})
}

// edit begins a session with folders and waits until all are indexed.
func edit(t testing.TB, uris ...string) *lsptest.Editor {
	t.Helper()
	e := serve(t)
	e.Begin(lsptest.Client{Folders: uris, Options: lsptest.Object{"statusNotifications": true}})
	for _, uri := range uris {
		e.Await("ambit/status", isReady(uri))
	}
	return e
}

// hover returns the answer to a hover.
func hover(t testing.TB, e *lsptest.Editor, uri string, line, character int) string {
	t.Helper()
	var answer json.RawMessage
	if err := e.Call("textDocument/hover", lsptest.At(uri, line, character), &answer); err != nil {
		t.Errorf("hover: %v", err)
	}
	return string(answer)
}

// isReady returns a predicate for the state of the folder at uri.
func isReady(uri string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var st struct{ State, Folder string }
		return json.Unmarshal(raw, &st) == nil && st.State == "ready" && st.Folder == uri
	}
}

func hasState(want string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var st struct{ State string }
		return json.Unmarshal(raw, &st) == nil && st.State == want
	}
}

// command runs a command and returns its answer as text.
func command(t testing.TB, e *lsptest.Editor, name string, argument any) string {
	t.Helper()
	var answer json.RawMessage
	if err := e.Command(name, argument, &answer); err != nil {
		t.Errorf("%s %v: %v", name, argument, err)
	}
	return string(answer)
}

// holds fails unless text holds every one of the words.
func holds(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not hold %q:\n%s", what, w, text)
		}
	}
}

// lacks fails when text holds one of the words.
func lacks(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%s holds %q:\n%s", what, w, text)
		}
	}
}

func TestAnEditorIsServedFromARealWorkspace(t *testing.T) {
	_, uri := folder(t, shop)
	e := edit(t, uri)
	cart := uri + "/cart.go"
	total := lsptest.At(cart, 6, 17)
	holds(t, "context", command(t, e, "ambit.context", total),
		`"identifier":"Cart.Total"`, `"identifier":"priceOf"`, `"identifier":"TestTotal"`, `"state":"ready"`, `"pending":0`)
	holds(t, "context of words", command(t, e, "ambit.context", lsptest.Object{"query": "how are prices summed up?"}), "Cart.Total")
	holds(t, "search", command(t, e, "ambit.search", lsptest.Object{"query": "price of an item"}), `"uri":"`+uri+`/item.go"`, `"language":"go"`)
	holds(t, "search below", command(t, e, "ambit.search", lsptest.Object{"query": "sum the prices", "path": "docs"}), "guide.md")
	holds(t, "related", command(t, e, "ambit.related", total), `"identifier":"priceOf"`, `"identifier":"TestTotal"`, `"role":"test"`)
	holds(t, "explain", command(t, e, "ambit.explain", lsptest.Object{"source": "item.go:6", "query": "priceOf"}), `"rank":`, `"section":`)
	holds(t, "chunks", command(t, e, "ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": cart}}), "Cart.Total", `"start_line":1`)
	status := command(t, e, "ambit.status", nil)
	holds(t, "status", status, `"state":"ready"`, `"go":3`, `"path":".env"`, `"reason":"secret"`)
	holds(t, "reindex", command(t, e, "ambit.reindex", lsptest.Object{"path": "docs"}), `{"files":1}`)
	if err := e.Finish(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

func TestHoverDescribesNamesOnly(t *testing.T) {
	_, uri := folder(t, shop)
	e := edit(t, uri)
	e.Open(uri+"/cart.go", "go", shop["cart.go"])
	at := func(line, character int) string { return hover(t, e, uri+"/cart.go", line, character) }
	holds(t, "hover on a declaration", at(6, 17), "Cart.Total", "TestTotal", "guide.md", "priceOf")
	holds(t, "hover on a use", at(9, 11), "priceOf", "item.go#L6")
	for what, p := range map[string][2]int{"comment": {5, 12}, "keyword": {11, 3}, "literal": {7, 8}, "local": {9, 3}, "blank": {1, 0}, "package": {0, 9}} {
		if got := at(p[0], p[1]); got != "null" {
			t.Errorf("hover on a %s says %s", what, got)
		}
	}
}

func TestThePathOfAnImportIsItsModule(t *testing.T) {
	_, uri := folder(t, map[string]string{
		"web/app.ts":   "import { one } from \"./lib\"\nimport fs from \"node:fs\"\n\nexport const x = one()\n",
		"web/lib.ts":   "export function one() { return 1 }\nexport function two() { return 2 }\n",
		"web/other.ts": "import { two } from './lib'\n\nexport const y = two()\n",
	})
	e := edit(t, uri)
	app := uri + "/web/app.ts"
	e.Open(app, "typescript", "import { one } from \"./lib\"\nimport fs from \"node:fs\"\n\nexport const x = one()\n")
	holds(t, "context", command(t, e, "ambit.context", lsptest.At(app, 0, 24)),
		`"symbol":{"name":"./lib","identifier":"./lib","kind":"module","path":"web/lib.ts"`, `"identifier":"one"`, `"identifier":"two"`)
	holds(t, "related", command(t, e, "ambit.related", lsptest.At(app, 0, 24)), `"identifier":"one"`, `"role":"definition"`, `"identifier":"two"`, `"role":"uses"`)
	holds(t, "hover", hover(t, e, app, 0, 24), "./lib", "(module)", "lib.ts#L1", "one", "two")
	if got := hover(t, e, app, 1, 23); got != "null" {
		t.Errorf("hover on a module from outside says %s", got)
	}
}

func TestACursorInTheFileOfADependency(t *testing.T) {
	home, homeURI := folder(t, map[string]string{
		"mod/example.com/!web@v1.2.0/web.go":    "package web\n\n// Start starts the server. Its token is ghp_aBcD1234eFgH5678iJkL9012mNoP3456qRsT.\nfunc Start() { listen() }\n\nfunc listen() {}\n",
		"mod/example.com/other@v1.0.0/other.go": "package other\n\nfunc Other() {}\n",
	})
	t.Setenv("GOMODCACHE", filepath.Join(home, "mod"))
	_, uri := folder(t, map[string]string{
		"go.mod":  "module shop\n\ngo 1.22\n\nrequire example.com/Web v1.2.0\n",
		"main.go": "package main\n\nimport web \"example.com/Web\"\n\nfunc serve() { web.Start() }\n",
	})
	_, other := folder(t, shop)
	e := edit(t, other, uri)

	web := homeURI + "/mod/example.com/%21web%40v1.2.0/web.go"
	text := command(t, e, "ambit.context", lsptest.At(web, 3, 6))
	holds(t, "context", text, `"section":"primary","role":"definition"`, "example.com/Web@v1.2.0/web.go", "main.go", "web.listen")
	lacks(t, "context", text, "ghp_aBcD")

	e.Open(web, "go", "package web\n") // an editor opens it; its text is that of the file
	holds(t, "context of an open file", command(t, e, "ambit.context", lsptest.At(web, 3, 6)), "main.go", "web.listen")

	var answer json.RawMessage
	err := e.Command("ambit.context", lsptest.At(homeURI+"/mod/example.com/other@v1.0.0/other.go", 2, 6), &answer)
	if err == nil || !strings.Contains(err.Error(), "in no folder that is open and of no package") {
		t.Errorf("context in another module: %s, %v; want the reason", answer, err)
	}
}

func TestUnsavedTextCountsUntilTheDocumentIsClosed(t *testing.T) {
	dir, uri := folder(t, shop)
	e := edit(t, uri)
	item := uri + "/item.go"
	e.Open(item, "go", shop["item.go"])
	e.Change(item, 2, lsptest.Edit(5, 0, 5, 0, "func zebraDiscount(i Item) int { return priceOf(i) / 2 }\n\n"))
	search := func() string { return command(t, e, "ambit.search", lsptest.Object{"query": "zebra discount"}) }
	holds(t, "search", search(), `"identifier":"zebraDiscount"`)
	holds(t, "context", command(t, e, "ambit.context", lsptest.At(item, 5, 8)), "zebraDiscount", "priceOf")
	holds(t, "context elsewhere", command(t, e, "ambit.context", lsptest.At(uri+"/cart.go", 9, 11)), "zebraDiscount")
	holds(t, "chunks", command(t, e, "ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": item}}), "zebraDiscount")
	holds(t, "hover on what the buffer uses", hover(t, e, item, 7, 7), "priceOf", "zebraDiscount")
	if n := strings.Count(command(t, e, "ambit.search", lsptest.Object{"query": "priceOf"}), `"identifier":"priceOf"`); n != 1 {
		t.Errorf("priceOf is found %d times, want the buffer's and not the file's beside it", n)
	}
	e.CloseDocument(item)
	lacks(t, "search after closing", search(), "zebraDiscount")
	text, err := os.ReadFile(filepath.Join(dir, "item.go"))
	if err != nil || string(text) != shop["item.go"] {
		t.Errorf("the file on disk is %q, %v", text, err)
	}
}

func TestDocumentsThatWereNeverSaved(t *testing.T) {
	_, uri := folder(t, shop)
	for name, uris := range map[string][]string{"beside a folder": {uri}, "alone": {}} {
		t.Run(name, func(t *testing.T) {
			e := edit(t, uris...)
			e.Open("untitled:Untitled-1", "go", "package p\n\nfunc giraffe() int { return okapi() }\n\nfunc okapi() int { return 1 }\n")
			answer := command(t, e, "ambit.context", lsptest.At("untitled:Untitled-1", 2, 7))
			holds(t, "context", answer, `"identifier":"giraffe"`, `"identifier":"okapi"`)
			holds(t, "search", command(t, e, "ambit.search", lsptest.Object{"query": "giraffe"}), "untitled:Untitled-1")
		})
	}
}

func TestSecretsInUnsavedTextStaySecret(t *testing.T) {
	_, uri := folder(t, shop)
	e := edit(t, uri)
	e.Open(uri+"/new/.env", "plaintext", "PASSWORD=swordfish\n")
	lacks(t, "search", command(t, e, "ambit.search", lsptest.Object{"query": "swordfish password"}), ".env")
	if err := e.Command("ambit.context", lsptest.At(uri+"/new/.env", 0, 3), nil); err == nil || !strings.Contains(err.Error(), "secret") {
		t.Errorf("context in a secret file: %v", err)
	}
}

func TestSavedFilesAreIndexed(t *testing.T) {
	dir, uri := folder(t, shop)
	e := edit(t, uri)
	mark := e.Mark() // the server may notice the file before the notification
	if err := os.WriteFile(filepath.Join(dir, "new.go"), []byte("package shop\n\nfunc walrus() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Notify("workspace/didChangeWatchedFiles", lsptest.Object{"changes": []any{lsptest.Object{"uri": uri + "/new.go", "type": 1}}})
	e.AwaitSince(mark, "ambit/status", func(raw json.RawMessage) bool {
		var st struct {
			State string
			Files int
		}
		return json.Unmarshal(raw, &st) == nil && st.State == "ready" && st.Files == len(shop)
	})
	holds(t, "search", command(t, e, "ambit.search", lsptest.Object{"query": "walrus"}), "new.go")
}

func TestSettingsOfTheIndexTakeEffectLive(t *testing.T) {
	files := maps.Clone(shop)
	files["long.txt"] = strings.Repeat("A walrus sleeps on the ice, and then it swims a while.\n\n", 100)
	_, uri := folder(t, files)
	e := serve(t)
	var settings atomic.Value
	settings.Store(lsptest.Object{})
	e.Handle("workspace/configuration", func(params json.RawMessage) (any, error) {
		var p struct{ Items []any }
		err := json.Unmarshal(params, &p)
		return slices.Repeat([]any{settings.Load()}, len(p.Items)), err
	})
	e.Begin(lsptest.Client{Folders: []string{uri}, Options: lsptest.Object{"statusNotifications": true, "exclude": []string{"docs/"}}})
	e.Await("ambit/status", isReady(uri))
	search := func(query string) string { return command(t, e, "ambit.search", lsptest.Object{"query": query}) }
	chunks := func(name string) string {
		return command(t, e, "ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": uri + name}})
	}
	lacks(t, "search with initializationOptions", search("sum the prices"), "guide.md")
	e.Open(uri+"/item.go", "go", shop["item.go"]+"\nfunc zebra() {}\n")
	long := strings.Count(chunks("/long.txt"), `"start_line"`)

	change := func(o lsptest.Object) {
		t.Helper()
		settings.Store(o)
		mark := e.Mark()
		e.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": nil})
		beside := e.GoCommand("ambit.context", lsptest.At(uri+"/cart.go", 6, 17))
		starting := true // until the first state
		e.AwaitSince(mark, "ambit/status", func(raw json.RawMessage) bool {
			starting = starting && !hasState("starting")(raw)
			return !starting && isReady(uri)(raw)
		})
		if err := beside.Await(nil); err != nil {
			t.Errorf("a question beside the change: %v", err)
		}
		holds(t, "search of the buffer", search("zebra"), `"identifier":"zebra"`)
		if diff := cmp.Diff([]string{"starting", "ready"}, states(e, mark, uri)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	}
	change(lsptest.Object{"exclude": []string{"*_test.go"}})
	found := search("TestTotal sum the prices")
	holds(t, "search with another exclude", found, "guide.md")
	lacks(t, "search with another exclude", found, "cart_test.go")
	change(lsptest.Object{"include": []string{"*.go"}, "exclude": []string{}})
	lacks(t, "search with include", search("sum the prices"), "guide.md")
	holds(t, "search with include", search("TestTotal"), "cart_test.go")
	change(lsptest.Object{"maxFileBytes": 2000, "exclude": []string{}})
	holds(t, "status with less room", command(t, e, "ambit.status", nil), `"path":"long.txt"`)
	lacks(t, "search with less room", search("walrus"), "long.txt")
	change(lsptest.Object{"maxTokens": 100, "overlapTokens": 0, "exclude": []string{}})
	if n := strings.Count(chunks("/long.txt"), `"start_line"`); n <= long {
		t.Errorf("%d chunks of prose when they are smaller, %d before", n, long)
	}
	change(lsptest.Object{"astChunking": false, "exclude": []string{}})
	lacks(t, "chunks of code cut as text", chunks("/cart.go"), "Cart.Total")
	change(lsptest.Object{"exclude": []string{}})
	holds(t, "chunks of code again", chunks("/cart.go"), "Cart.Total")
}

// states returns the states of a folder since a mark, each run of one once, without
// indexing, which may end before it is reported, and without the last state of the folder
// before it was opened again.
func states(e *lsptest.Editor, mark lsptest.Mark, uri string) (states []string) {
	for _, m := range e.Session()[mark:] {
		var n struct {
			Method string
			Params struct{ State, Folder string }
		}
		if json.Unmarshal(m.Data, &n) == nil && m.FromServer && n.Method == "ambit/status" && n.Params.Folder == uri {
			states = append(states, n.Params.State)
		}
	}
	states = states[max(slices.Index(states, "starting"), 0):]
	return slices.Compact(slices.DeleteFunc(states, func(s string) bool { return s == "indexing" }))
}

func TestFoldersComeAndGo(t *testing.T) {
	_, one := folder(t, shop)
	_, two := folder(t, map[string]string{"z.py": "def quokka():\n    return 1\n"})
	e := edit(t, one, two)
	search := func() string { return command(t, e, "ambit.search", lsptest.Object{"query": "quokka"}) }
	holds(t, "search in both", search(), "z.py")
	e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{}, "removed": []any{lsptest.Object{"uri": two, "name": "two"}}}})
	lacks(t, "search in the first", search(), "z.py")
	e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{lsptest.Object{"uri": two, "name": "two"}}, "removed": []any{}}})
	e.Await("ambit/status", isReady(two))
	holds(t, "search in both again", search(), "z.py")
}

func TestPauseAndResume(t *testing.T) {
	_, uri := folder(t, shop)
	e := edit(t, uri)
	command(t, e, "ambit.pause", nil)
	e.Await("ambit/status", hasState("paused"))
	holds(t, "context", command(t, e, "ambit.context", lsptest.At(uri+"/cart.go", 6, 17)), `"state":"paused"`, "Cart.Total")
	command(t, e, "ambit.resume", nil)
	e.Await("ambit/status", hasState("ready"))
}

func TestTwoEditorsShareOneIndex(t *testing.T) {
	dir, uri := folder(t, shop)
	first := edit(t, uri)
	model, err := lsptest.LoadModel("../../testdata/protocol/metaModel.json")
	if err != nil {
		t.Fatal(err)
	}
	second := lsptest.Start(t, model, cli.Opener, lsp.Options{Await: func(ctx context.Context, _ int) { <-ctx.Done() }})
	second.Begin(lsptest.Client{Folders: []string{uri}, Options: lsptest.Object{"statusNotifications": true}})
	second.Await("ambit/status", isReady(uri))
	item := uri + "/item.go"
	for name, e := range map[string]*lsptest.Editor{"okapi": first, "zebra": second} {
		e.Open(item, "go", shop["item.go"]+"\nfunc "+name+"() {}\n")
	}
	search := func(e *lsptest.Editor, query string) string {
		return command(t, e, "ambit.search", lsptest.Object{"query": query})
	}
	for _, tt := range []struct {
		e           *lsptest.Editor
		own, theirs string
	}{{first, "okapi", "zebra"}, {second, "zebra", "okapi"}} {
		found := search(tt.e, tt.own) + command(t, tt.e, "ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": item}})
		holds(t, "the editor with "+tt.own, found, `"identifier":"`+tt.own+`"`)
		lacks(t, "the editor with "+tt.own, found+search(tt.e, tt.theirs), tt.theirs)
	}
	if err := os.WriteFile(filepath.Join(dir, "new.go"), []byte("package shop\n\nfunc walrus() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	second.Notify("workspace/didChangeWatchedFiles", lsptest.Object{"changes": []any{lsptest.Object{"uri": uri + "/new.go", "type": 1}}})
	first.Await("ambit/status", func(raw json.RawMessage) bool {
		var st struct{ Files int }
		return isReady(uri)(raw) && json.Unmarshal(raw, &st) == nil && st.Files == len(shop)
	})
	holds(t, "search of the first", command(t, first, "ambit.search", lsptest.Object{"query": "walrus"}), "new.go")
	if err := first.Finish(); err != nil {
		t.Errorf("the first server ended with %v", err)
	}
	holds(t, "the second when the first has gone", search(second, "zebra"), `"identifier":"zebra"`)
}

func TestTheExitCodeFollowsTheProtocol(t *testing.T) {
	for _, tt := range []struct {
		name   string
		bodies []string
		want   int
	}{
		{"shutdown and exit", []string{`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`}, 0},
		{"exit without shutdown", []string{`{"jsonrpc":"2.0","method":"exit"}`}, 1},
		{"the editor goes away", nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			_, uri := folder(t, shop)
			begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"` + uri + `","capabilities":{}}}`
			var in strings.Builder
			for _, body := range append([]string{begin, `{"jsonrpc":"2.0","method":"initialized","params":{}}`}, tt.bodies...) {
				fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(body), body)
			}
			var stdout, stderr strings.Builder
			command := exec.Command("ambit", "lsp", "--stdio")
			command.Stdout, command.Stderr = &stdout, &stderr
			stdin, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(stdin, in.String()); err != nil {
				t.Error(err)
			}
			if tt.bodies == nil { // an editor that says exit is there until the server has ended
				if err := stdin.Close(); err != nil {
					t.Error(err)
				}
			}
			err = command.Wait() // closes stdin
			if got := command.ProcessState.ExitCode(); got != tt.want {
				t.Errorf("got exit code %d, %v; want %d", got, err, tt.want)
			}
			if stderr.String() != "" || !strings.HasPrefix(stdout.String(), "Content-Length: ") || !strings.Contains(stdout.String(), `"id":1`) {
				t.Errorf("got standard output %q and error %q, want the protocol and nothing", &stdout, &stderr)
			}
		})
	}
}

func TestTheServerEndsWithTheProcessOfItsEditor(t *testing.T) {
	t.Parallel() // without a report of the system, the server polls every five seconds
	editor := exec.Command("ambit", "version")
	if err := editor.Run(); err != nil {
		t.Fatal(err)
	}
	_, uri := folder(t, shop)
	command := exec.Command("ambit", "lsp")
	command.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	in, err := command.StdinPipe() // stays open
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"rootUri":%q,"capabilities":{}}}`, editor.Process.Pid, uri)
	if _, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
	ended, err := command.Process.Wait()
	if err != nil || ended.ExitCode() != 1 {
		t.Errorf("got exit code %d, %v; want 1", ended.ExitCode(), err)
	}
	in.Close()
}
