package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ambit/server/tokens"
)

// agent is a client of ambit mcp.
type agent struct {
	*mcp.ClientSession
	t testing.TB
}

// hire starts ambit mcp in a directory, as an agent does.
func hire(t testing.TB, dir string, args ...string) *agent {
	t.Helper()
	command := exec.Command("ambit", append([]string{"mcp"}, args...)...)
	command.Dir, command.Stderr = dir, os.Stderr
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the server did not end well: %v", err)
		}
	})
	return &agent{s, t}
}

// call calls a tool. It returns its text and whether the call failed.
func (a *agent) call(name string, args map[string]any) (text string, failed bool) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text, r.IsError
}

// private gives the test a cache and settings of its own.
func private(t testing.TB) {
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
}

func TestAnAgentWorksItsWayThroughAWorkspace(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	a := hire(t, dir)
	steps := []struct {
		tool string
		args map[string]any
		want []string
	}{
		{"overview", map[string]any{}, []string{"go", "cart.go", "[index: up to date]"}},
		{"search", map[string]any{"query": "sum the prices"}, []string{"method Cart.Total", "sum += priceOf(i)", "id=", "[index: up to date]"}},
		{"context", map[string]any{"symbol": "Cart.Total"}, []string{"func (c *Cart) Total() int", "func priceOf", "[handle: ", "[index: up to date]"}},
		{"context", map[string]any{"path": "item.go", "line": 6}, []string{"query: priceOf"}},
		{"context", map[string]any{"query": "how are prices summed up?", "format": "xml"}, []string{"<codebase_context", "priceOf"}},
		{"read", map[string]any{"symbol": "Cart.Total"}, []string{"cart.go:6-13 method Cart.Total\n", "return sum\n}\n[index: up to date]"}},
		{"impact", map[string]any{"symbol": "priceOf"}, []string{"used by:\n- cart.go:7 method Cart.Total (line 10)"}},
		{"impact", map[string]any{"symbol": "Cart.Total"}, []string{"tests:\n- cart_test.go", "documents:\n- docs/guide.md"}},
	}
	for _, s := range steps {
		text, failed := a.call(s.tool, s.args)
		for _, want := range s.want {
			if failed || !strings.Contains(text, want) {
				t.Errorf("%s %v does not have %q:\n%s", s.tool, s.args, want, text)
			}
		}
	}

	if text, failed := a.call("search", map[string]any{"query": "total", "deps": true}); failed || !strings.Contains(text, "ambit status --deps lists") {
		t.Errorf("a search of no dependencies: %s", text)
	}
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "money"), fstest.MapFS{
		"package.json": {Data: []byte(`{"name": "money", "version": "1.2.0", "types": "index.d.ts"}`)},
		"index.d.ts":   {Data: []byte("/** Rounds cents up. */\nexport declare function round(cents: number): number;\n")},
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"dependencies": {"money": "^1.0.0"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, failed := a.call("search", map[string]any{"query": "round cents", "deps": true}); failed || !strings.Contains(text, "money@1.2.0/index.d.ts:1-2 function round") || strings.Contains(text, "id=") {
		t.Errorf("a search of dependencies: %s", text)
	}

	found, _ := a.call("search", map[string]any{"query": "sum the prices"})
	id := regexp.MustCompile(`id=(\S+)`).FindStringSubmatch(found)
	if text, failed := a.call("read", map[string]any{"id": id[1]}); failed || !strings.Contains(text, "return sum") {
		t.Errorf("read by id: %s", text)
	}
	long, _ := folder(t, map[string]string{"long.go": "package p\n\nfunc Long() {\n" + strings.Repeat("\tprintln(\"a line of some length\")\n", 100) + "}\n"})
	b := hire(t, long)
	first, _ := b.call("read", map[string]any{"symbol": "Long", "budget": 300})
	next := regexp.MustCompile(`from=(\d+)`).FindStringSubmatch(first)
	if next == nil {
		t.Fatalf("a long unit is not cut:\n%s", first)
	}
	var line int
	fmt.Sscan(next[1], &line)
	if rest, failed := b.call("read", map[string]any{"symbol": "Long", "from": line}); failed || !strings.Contains(rest, fmt.Sprintf("long.go:%d-104 of 3-104", line)) {
		t.Errorf("the rest: %s", rest)
	}
}

func TestAnAgentSeesWhatChangedAndOnlyWhatIsNew(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	a := hire(t, dir)
	first, _ := a.call("context", map[string]any{"symbol": "Cart.Total"})
	handle := regexp.MustCompile(`\[handle: (\w+)\]`).FindStringSubmatch(first)
	if handle == nil {
		t.Fatalf("no handle:\n%s", first)
	}
	since := map[string]any{"symbol": "Cart.Total", "since": handle[1]}
	if again, failed := a.call("context", since); failed || strings.Contains(again, "sum += priceOf") {
		t.Errorf("what was shown is shown again:\n%s", again)
	}
	text := strings.Replace(shop["item.go"], "return i.cents", "return i.cents * 2", 1)
	if err := os.WriteFile(filepath.Join(dir, "item.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, failed := a.call("context", since); failed || strings.Contains(again, "sum += priceOf") || !strings.Contains(again, "i.cents * 2") {
		t.Errorf("after a change of priceOf:\n%s", again)
	}
	if text, failed := a.call("context", map[string]any{"symbol": "Cart.Total", "since": "ffffffff"}); !failed || !strings.Contains(text, "no earlier answer ffffffff") {
		t.Errorf("an unknown handle: %s", text)
	}
}

func TestAWrongCallOfAnAgentSaysWhatToDo(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	other, _ := folder(t, shop)
	a := hire(t, dir)
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"context", nil, "give a symbol, or a path with a line, or a query"},
		{"context", map[string]any{"symbol": "Total", "query": "both"}, "not both"},
		{"context", map[string]any{"symbol": "nosuch"}, "no declaration is named nosuch"},
		{"context", map[string]any{"path": "/etc/passwd"}, "outside of the workspace"},
		{"context", map[string]any{"path": "../../etc/passwd"}, "outside of the workspace"},
		{"context", map[string]any{"path": ".env"}, "not indexed"},
		{"context", map[string]any{"path": "nosuch.go"}, "no file nosuch.go"},
		{"context", map[string]any{"symbol": "Total", "budget": 7}, "budget: use a whole number from 200"},
		{"context", map[string]any{"symbol": "Total", "format": "pdf"}, "format: use one of"},
		{"context", map[string]any{"symbol": "Total", "nosuch": 1}, "nosuch"},
		{"context", map[string]any{"symbol": "Total", "workspace": other}, "in none of the workspaces of this server"},
		{"context", map[string]any{"symbol": "Total", "workspace": "/"}, "in none of the workspaces"},
		{"search", map[string]any{"query": " "}, "query: give it"},
		{"search", map[string]any{"query": "total", "language": "cobol"}, "it has go"},
		{"search", map[string]any{"query": "total", "kind": "nosuch"}, "kind: use one of function, method"},
		{"read", nil, "symbol: give it"},
		{"read", map[string]any{"id": "7"}, "use the id of a result of search"},
		{"read", map[string]any{"path": "/etc/passwd", "line": 1}, "outside of the workspace"},
		{"read", map[string]any{"path": ".env", "line": 1}, "not indexed"},
		{"impact", map[string]any{"symbol": "nosuch"}, "no declaration is named nosuch"},
	} {
		text, failed := a.call(tt.tool, tt.args)
		if !failed || !strings.Contains(text, tt.want) {
			t.Errorf("%s %v: failed %t, want %q:\n%s", tt.tool, tt.args, failed, tt.want, text)
		}
		if strings.Contains(text, "hunter2") || strings.Contains(text, "root:x:") {
			t.Errorf("%s %v shows what it must refuse:\n%s", tt.tool, tt.args, text)
		}
	}
	if text, failed := a.call("search", map[string]any{"query": "zebra", "path": "docs", "kind": "class"}); failed || !strings.Contains(text, "search again without them") {
		t.Errorf("an empty search: %s", text)
	}
	two := hire(t, dir, "--root", dir, "--root", other)
	if text, failed := two.call("read", map[string]any{"symbol": "priceOf", "workspace": filepath.Join(other, "docs")}); failed {
		t.Errorf("a directory in a second root: %s", text)
	}
}

// The client sends the definitions with every request to its model.
func TestTheToolsAreShort(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	tools, err := hire(t, dir).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tools.Tools)
	if err != nil {
		t.Fatal(err)
	}
	counter, err := tokens.New(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	if n := counter.Count(string(text)); n >= 1500 || len(tools.Tools) != 5 {
		t.Errorf("%d tools take %d tokens:\n%s", len(tools.Tools), n, text)
	}
}

func TestAnAgentHasAFewWorkspacesOpen(t *testing.T) {
	private(t)
	var dirs, args []string
	for range 9 {
		dir, _ := folder(t, map[string]string{"a.go": "package a\n\nfunc Moor() {}\n"})
		dirs, args = append(dirs, dir), append(args, "--root", dir)
	}
	a := hire(t, dirs[0], args...)
	for i, dir := range dirs {
		text, failed := a.call("search", map[string]any{"query": "Moor", "workspace": dir})
		want := "function Moor"
		if i == 8 {
			want = "8 workspaces are open"
		}
		if failed != (i == 8) || !strings.Contains(text, want) {
			t.Errorf("workspace %d: want %q:\n%s", i, want, text)
		}
	}
}

// A client of an older revision of the protocol says initialize first.
func TestAnOlderAgentIsServed(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	for _, version := range []string{"2024-11-05", "2025-06-18", "2025-11-25"} {
		command := exec.Command("ambit", "mcp")
		command.Dir, command.Stderr = dir, os.Stderr
		in, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		answer := func(request string) string {
			t.Helper()
			if _, err := io.WriteString(in, request+"\n"); err != nil {
				t.Fatal(err)
			}
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			return line
		}
		if got := answer(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`); !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
			t.Errorf("%s: %s", version, got)
		}
		if got := answer(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"symbol":"priceOf"}}}`); !strings.Contains(got, "return i.cents") {
			t.Errorf("%s: %s", version, got)
		}
		in.Close()
		if err := command.Wait(); err != nil { // the end of its input ends it
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestAgentsAreServedOverHTTP(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	command := exec.CommandContext(t.Context(), "ambit", "mcp", "--http", "127.0.0.1:0")
	command.Dir = dir
	errs, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(errs).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`serving (http://\S+); header: Authorization: (Bearer \S+)`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the first line is %q", line)
	}
	post := func(headers map[string]string) int {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m[1], bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if code := post(nil); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", code)
	}
	if code := post(map[string]string{"Authorization": m[2] + "x"}); code != http.StatusUnauthorized {
		t.Errorf("with a wrong token: %d", code)
	}
	if code := post(map[string]string{"Authorization": m[2], "Origin": "http://evil.example"}); code != http.StatusForbidden {
		t.Errorf("from a page of a browser: %d", code)
	}
	transport := &mcp.StreamableClientTransport{Endpoint: m[1], HTTPClient: &http.Client{Transport: withToken(m[2])}}
	var all sync.WaitGroup
	for range 8 { // agents at once
		all.Go(func() {
			s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			a := &agent{s, t}
			if text, failed := a.call("context", map[string]any{"symbol": "Cart.Total"}); failed || !strings.Contains(text, "priceOf") {
				t.Errorf("over HTTP: %s", text)
			}
		})
	}
	all.Wait()
	if err := command.Cancel(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, errs); err != nil {
		t.Error(err)
	}
	_ = command.Wait() // an interrupt is an exit code of its own
	refused := exec.CommandContext(context.WithoutCancel(t.Context()), "ambit", "mcp", "--http", "0.0.0.0:0")
	if out, err := refused.CombinedOutput(); err == nil || !strings.Contains(string(out), "use a loopback address") {
		t.Errorf("an address of all networks: %v %s", err, out)
	}
}

// withToken adds a header to requests.
type withToken string

// RoundTrip implements [http.RoundTripper].
func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(w))
	return http.DefaultTransport.RoundTrip(r)
}
