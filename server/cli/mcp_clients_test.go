package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ambit/server/tokens"
)

// call is a call of a tool: its arguments, and a text that the answer has, of a failure
// after "!".
type call struct {
	tool string
	args map[string]any
	want string
}

// surface calls every tool, in the tree of shop.
var surface = []call{
	{"overview", map[string]any{}, "cart.go"},
	{"search", map[string]any{"query": "sum the prices", "language": "Go", "limit": 3}, "method Cart.Total"},
	{"context", map[string]any{"symbol": "Cart.Total", "budget": 2000, "format": "markdown"}, "func priceOf"},
	{"context", map[string]any{"query": "how are prices summed up?"}, "[handle: "},
	{"read", map[string]any{"path": "cart.go", "line": 8}, "return sum"},
	{"impact", map[string]any{"symbol": "priceOf"}, "cart.go:7 method Cart.Total"},
	{"context", map[string]any{"symbol": "nosuch"}, "!no declaration is named nosuch"},
	{"search", map[string]any{"query": "zebra", "path": "docs", "kind": "class"}, "search again without them"},
}

// check checks the answer to a call.
func (c *call) check(t *testing.T, text string, failed bool) {
	t.Helper()
	want, fails := strings.CutPrefix(c.want, "!")
	if failed != fails || !strings.Contains(text, want) {
		t.Errorf("%s %v: failed %t, want %q in:\n%s", c.tool, c.args, failed, c.want, text)
	}
}

func TestTheGoSDKUsesAllToolsInEachRevision(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			command := exec.Command("ambit", "mcp")
			command.Dir, command.Stderr = dir, os.Stderr
			s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
				&mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("the revision is %s", got)
			}
			a := &agent{s, t}
			for _, c := range surface {
				text, failed := a.call(c.tool, c.args)
				c.check(t, text, failed)
			}
		})
	}
}

// The SDK comes from npm: make test-mcp installs it and sets AMBIT_MCP_SDK to its folder.
func TestTheTypeScriptSDKUsesAllToolsInEachRevision(t *testing.T) {
	sdk := os.Getenv("AMBIT_MCP_SDK")
	if sdk == "" {
		t.Skip("AMBIT_MCP_SDK names no folder with the SDK; make test-mcp installs it")
	}
	private(t)
	dir, _ := folder(t, shop)
	script, err := filepath.Abs("testdata/agent.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var calls [][]any
	for _, c := range surface {
		calls = append(calls, []any{c.tool, c.args})
	}
	wire, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"initialize", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), "node", script, sdk, revision, string(wire))
			command.Dir, command.Stderr = dir, os.Stderr
			out, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Server  string
				Tools   []string
				Answers []struct {
					Text   string
					Failed bool
				}
			}
			if err := json.Unmarshal(out, &got); err != nil || len(got.Answers) != len(surface) {
				t.Fatalf("%v, %d answers: %s", err, len(got.Answers), out)
			}
			slices.Sort(got.Tools)
			if want := []string{"context", "impact", "overview", "read", "search"}; got.Server != "ambit" || !slices.Equal(got.Tools, want) {
				t.Errorf("the server is %q with the tools %q", got.Server, got.Tools)
			}
			for i, c := range surface {
				c.check(t, got.Answers[i].Text, got.Answers[i].Failed)
			}
		})
	}
}

func TestEightAgentsAtOnceGetAllAnswers(t *testing.T) {
	private(t)
	dir, _ := folder(t, shop)
	const agents, rounds = 8, 5
	var all sync.WaitGroup
	for range agents {
		a := hire(t, dir)
		all.Go(func() {
			for range rounds {
				for _, c := range surface {
					text, failed := a.call(c.tool, c.args)
					c.check(t, text, failed)
				}
			}
		})
	}
	all.Wait()
}

// The trees are directories with real projects, in AMBIT_BENCH_TREES, separated as in PATH.
func TestAnAgentFindsItsWayThroughRealProjects(t *testing.T) {
	trees := filepath.SplitList(os.Getenv("AMBIT_BENCH_TREES"))
	if len(trees) == 0 {
		t.Skip("AMBIT_BENCH_TREES names no directories")
	}
	private(t)
	counter, err := tokens.New(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(\S+):(\d+)-\d+ (\S+) (\S+) [0-9.]+ id=(\S+)$`)
	for _, tree := range trees {
		t.Run(filepath.Base(tree), func(t *testing.T) {
			a := hire(t, tree)
			ask := func(tool string, most int, args map[string]any) string {
				t.Helper()
				text, failed := a.call(tool, args)
				if n := counter.Count(text); failed || n > most || !strings.Contains(text, "[index: ") {
					t.Fatalf("%s %v: failed %t, %d tokens:\n%.2000s", tool, args, failed, n, text)
				}
				return text
			}
			ask("overview", 4100, map[string]any{})
			places := found.FindStringSubmatch(ask("search", 20_000, map[string]any{"query": "read the settings and apply the defaults", "kind": "function"}))
			if places == nil {
				t.Fatal("the search lists no place")
			}
			path, line, id := places[1], places[2], places[5]
			if text := ask("context", 8100, map[string]any{"path": path, "line": number(t, line)}); !strings.Contains(text, path) {
				t.Errorf("the context of %s:%s:\n%.2000s", path, line, text)
			}
			if text := ask("read", 20_000, map[string]any{"id": id}); !strings.HasPrefix(text, path+":") {
				t.Errorf("the text of %s:%s:\n%.2000s", path, line, text)
			}
			ask("impact", 20_000, map[string]any{"id": id})
		})
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
