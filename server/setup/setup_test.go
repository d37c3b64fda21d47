package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
)

// samples are files of settings as people and programs write them.
var samples = map[string]string{
	"nothing":            "",
	"an empty object":    "{}",
	"a spaced object":    "{\n}\n",
	"other settings":     "{\n  \"theme\": \"dark\",\n  \"n\": [1, 2]\n}\n",
	"one line":           `{"theme":"dark","mcpServers":{"x":{"command":"x"}}}`,
	"no servers yet":     "{\n  \"mcpServers\": {}\n}\n",
	"another server":     "{\n\t\"mcpServers\": {\n\t\t\"other\": {\n\t\t\t\"command\": \"other\"\n\t\t}\n\t},\n\t\"z\": 1\n}\n",
	"comments":           "// mine\n{\n    // servers\n    \"mcpServers\": {\n        \"other\": { \"command\": \"o\" }, // last\n    },\n}\n",
	"Windows line ends":  "{\r\n  \"theme\": \"dark\"\r\n}\r\n",
	"a brace in a name":  "{\n  \"a{\": \"}\"\n}\n",
	"an ending newline":  "{}\n\n",
	"unicode and escape": "{ \"\\u0061mbit\": \"é😀\" }",
}

func TestAnEntryIsAddedOnceAndTakenBackToTheByte(t *testing.T) {
	add := server("x", "f", []string{"mcpServers"}, startedBy(Environment{Command: `/opt/my "tools"/ambit`}))
	for name, before := range samples {
		t.Run(name, func(t *testing.T) {
			after, added, err := add.add([]byte(before))
			if err != nil || added == "" {
				t.Fatalf("%q, %v", added, err)
			}
			v, err := hujson.Parse(after)
			if err != nil {
				t.Fatalf("%v in\n%s", err, after)
			}
			if v.Find("/mcpServers/ambit/command") == nil {
				t.Errorf("no entry in\n%s", after)
			}
			if strings.Contains(before, "other") && v.Find("/mcpServers/other/command") == nil {
				t.Errorf("the other server is gone:\n%s", after)
			}
			if again, added, err := add.add(after); err != nil || added != "" || string(again) != string(after) {
				t.Errorf("a second time: %q, %v\n%s", added, err, again)
			}
			back, _, err := add.remove(after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, string(back)); diff != "" {
				t.Errorf("taken back (-want +got):\n%s", diff)
			}
			if again, _, err := add.remove(back); err != nil || string(again) != string(back) {
				t.Errorf("taken back twice: %v\n%s", err, again)
			}
		})
	}
}

func TestAnEntryThatTheUserMovedIsTakenBackAlone(t *testing.T) {
	text := "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"o\" },\n    // kept\n    \"ambit\": { \"command\": \"elsewhere\" }\n  }\n}\n"
	remove := server("x", "f", []string{"mcpServers"}, startedBy(Environment{Command: "ambit"}))
	back, _, err := remove.remove([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := hujson.Parse(back)
	if err != nil || v.Find("/mcpServers/ambit") != nil || v.Find("/mcpServers/other") == nil {
		t.Errorf("%v\n%s", err, back)
	}
}

func TestAFileThatIsNotUnderstoodIsLeftAlone(t *testing.T) {
	env := Environment{Home: t.TempDir(), Command: "ambit"}
	files := map[string]string{".claude.json": "{ broken", ".gemini/settings.json": "[]", ".cursor/mcp.json": `{"mcpServers": 7}`, ".codex/config.toml": "mcp_servers = { x = 1 }\n",
		".claude/skills/ambit/SKILL.md": "my own\n"}
	for name, text := range files {
		file := inHome(env, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := Plan(env, []string{"claude", "gemini", "cursor", "codex"}, false)
	if err != nil || len(changes) != len(files) {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	for _, c := range changes {
		if c.Err == nil || c.Needed() || !strings.Contains(c.Err.Error(), "left alone") {
			t.Errorf("%s: needed %t, %v", c.File, c.Needed(), c.Err)
		}
	}
}

func TestAllClientsAreSetUpAndTakenBack(t *testing.T) {
	env := Environment{Home: t.TempDir(), ConfigDir: t.TempDir(), Workspace: t.TempDir(), Path: []string{t.TempDir()}, Command: "ambit"}
	if changes, err := Plan(env, nil, false); err != nil || len(changes) != 0 {
		t.Fatalf("on a machine without clients: %d changes, %v", len(changes), err)
	}
	for i := range clients {
		if err := os.WriteFile(filepath.Join(env.Path[0], clients[i].program), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	agents := filepath.Join(env.Workspace, "AGENTS.md")
	if err := os.WriteFile(agents, []byte("# Mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(agents, filepath.Join(env.Workspace, "CLAUDE.md")); err != nil {
		t.Log("no link is tried: " + err.Error())
	}
	run := func(undo bool) (written int) {
		t.Helper()
		changes, err := Plan(env, nil, undo)
		if err != nil {
			t.Fatal(err)
		}
		for i := range changes {
			if changes[i].Err != nil {
				t.Error(changes[i].Err)
			}
			if changes[i].Needed() {
				written++
				if err := changes[i].Apply(); err != nil {
					t.Error(err)
				}
			}
		}
		return written
	}
	if n := run(false); n != len(clients)+2 {
		t.Errorf("%d files are written", n)
	}
	if n := run(false); n != 0 {
		t.Errorf("%d files are written a second time", n)
	}
	var settings struct {
		Servers map[string]struct{ Command string } `toml:"mcp_servers"`
	}
	if _, err := toml.DecodeFile(inHome(env, ".codex/config.toml"), &settings); err != nil || settings.Servers["ambit"].Command != "ambit" {
		t.Errorf("%+v, %v", settings, err)
	}
	if n := run(true); n != len(clients)+2 {
		t.Errorf("%d files are taken back", n)
	}
	if text, err := os.ReadFile(agents); string(text) != "# Mine" {
		t.Errorf("AGENTS.md is %q, %v", text, err)
	}
	left := 0
	for _, dir := range []string{env.Home, env.ConfigDir} {
		err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				left++
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if left != 0 {
		t.Errorf("%d files are left", left)
	}
}

func TestTheInstructionsAreShort(t *testing.T) {
	if n := strings.Count(textBegin+section+textEnd, "\n"); n > 12 {
		t.Errorf("the section has %d lines", n)
	}
}

func TestAChangedFileIsNotOverwritten(t *testing.T) {
	env := Environment{Home: t.TempDir(), Command: "ambit"}
	changes, err := Plan(env, []string{"gemini"}, false)
	if err != nil {
		t.Fatal(err)
	}
	file := inHome(env, ".gemini/settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := changes[0].Apply(); err == nil || !strings.Contains(err.Error(), "run ambit setup again") {
		t.Errorf("%v", err)
	}
}
