package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// client is an agent, or an editor with one.
type client struct {
	name    string // for --client
	title   string
	program string   // on the PATH
	dirs    []string // in the user's home directory, that show that it is installed
	targets func(env Environment) []target
}

// installed reports whether the client is on the machine.
func (c *client) installed(env Environment) bool {
	for _, dir := range env.Path {
		for _, ending := range []string{"", ".exe", ".cmd"} {
			if exists(filepath.Join(dir, c.program+ending)) {
				return true
			}
		}
	}
	return slices.ContainsFunc(c.dirs, func(dir string) bool {
		info, err := os.Stat(filepath.Join(env.Home, filepath.FromSlash(dir)))
		return err == nil && info.IsDir()
	})
}

// clients are the known ones. Where each keeps its servers is what its own documents say.
var clients = []client{
	{"claude", "Claude Code", "claude", []string{".claude"}, func(env Environment) []target {
		return []target{
			server("Claude Code", inHome(env, ".claude.json"), []string{"mcpServers"}, `{ "type": "stdio", "command": `+quoted(env.Command)+`, "args": ["mcp"] }`),
			whole("Claude Code", inHome(env, ".claude/skills/ambit/SKILL.md"), skill),
		}
	}},
	{"codex", "Codex", "codex", []string{".codex"}, func(env Environment) []target {
		return []target{codexServer(env)}
	}},
	{"gemini", "Gemini CLI", "gemini", []string{".gemini"}, func(env Environment) []target {
		return []target{server("Gemini CLI", inHome(env, ".gemini/settings.json"), []string{"mcpServers"}, startedBy(env))}
	}},
	{"cursor", "Cursor", "cursor", []string{".cursor"}, func(env Environment) []target {
		return []target{server("Cursor", inHome(env, ".cursor/mcp.json"), []string{"mcpServers"}, startedBy(env))}
	}},
	{"vscode", "VS Code", "code", nil, func(env Environment) []target {
		return []target{server("VS Code", filepath.Join(env.ConfigDir, "Code", "User", "mcp.json"), []string{"servers"},
			`{ "type": "stdio", "command": `+quoted(env.Command)+`, "args": ["mcp", "--root", "${workspaceFolder}"] }`)}
	}},
	{"zed", "Zed", "zed", []string{".config/zed"}, func(env Environment) []target {
		dir := filepath.Join(env.Home, ".config", "zed")
		if runtime.GOOS == "windows" {
			dir = filepath.Join(env.ConfigDir, "Zed")
		}
		return []target{server("Zed", filepath.Join(dir, "settings.json"), []string{"context_servers"}, startedBy(env))}
	}},
	{"opencode", "opencode", "opencode", []string{".config/opencode"}, func(env Environment) []target {
		file := inHome(env, ".config/opencode/opencode.json")
		if other := inHome(env, ".config/opencode/opencode.jsonc"); exists(other) {
			file = other
		}
		return []target{server("opencode", file, []string{"mcp"}, `{ "type": "local", "command": [`+quoted(env.Command)+`, "mcp"], "enabled": true }`)}
	}},
}

// startedBy is the entry of most clients.
func startedBy(env Environment) string {
	return `{ "command": ` + quoted(env.Command) + `, "args": ["mcp"] }`
}

// Names lists the names of all clients.
func Names() string {
	var names []string
	for i := range clients {
		names = append(names, clients[i].name)
	}
	return strings.Join(names, ", ")
}

// clientNamed returns the client with a name, nil when there is none.
func clientNamed(name string) *client {
	for i := range clients {
		if clients[i].name == name {
			return &clients[i]
		}
	}
	return nil
}

// chosen reports whether a client is among the names, or there are none.
func chosen(c *client, only []string) bool { return len(only) == 0 || slices.Contains(only, c.name) }

// inHome returns the path of a file in the user's home directory.
func inHome(env Environment, name string) string {
	return filepath.Join(env.Home, filepath.FromSlash(name))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
