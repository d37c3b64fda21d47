// Package tests tests the Neovim plugin in real Neovims with the real server: the specs in
// tests/spec, the screens, and that every message of the server conforms to the protocol.
// tests/install installs the Neovims.
package tests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"ambit/server/cli"
	"ambit/server/lsp/lsptest"
)

// trafficVariable names the directory for the logs of the servers' messages.
const trafficVariable = "AMBIT_TEST_TRAFFIC"

// TestMain makes the test binary the ambit on the PATH, so that go test notices when cached
// results are outdated.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ambit": func() {
			if dir := os.Getenv(trafficVariable); dir != "" && len(os.Args) > 1 && os.Args[1] == "lsp" {
				os.Exit(lsptest.Tee(dir, "ambit-server", os.Args[1:]...))
			}
			os.Exit(cli.Main())
		},
		"ambit-server": func() { os.Exit(cli.Main()) },
	})
}

// versions are the oldest supported Neovim and the latest.
var versions = []string{"nvim10", "nvim12"}

// editor returns the path of an editor that tests/install installs. Skips the test without it.
func editor(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real editor; make test-neovim runs this")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(cache, "ambit-editors", "bin", name)
	if err := exec.Command(program, "--version").Run(); err != nil {
		missing(t, name)
	}
	return program
}

// runSpec runs a file of Lua, and ends Neovim with exit code 1 when the file throws.
const runSpec = `lua local ok, err = pcall(dofile, [[%s]]) if not ok then io.stdout:write(err) vim.cmd('cquit 1') end`

// Each file of tests/spec passes in each Neovim.
func TestSpecs(t *testing.T) {
	specs, err := filepath.Glob("spec/*_spec.lua")
	if err != nil || len(specs) == 0 {
		t.Fatalf("specs: %v, %v", specs, err)
	}
	for _, version := range versions {
		for _, spec := range specs {
			t.Run(version+"/"+strings.TrimSuffix(filepath.Base(spec), "_spec.lua"), func(t *testing.T) {
				t.Parallel()
				nvim := editor(t, version)
				m := freshMachine(t, true)
				m.provide(spec, version)
				script, err := filepath.Abs(spec)
				if err != nil {
					t.Fatal(err)
				}
				out := m.run("shop", nvim, "-n", "--headless", "-c", fmt.Sprintf(runSpec, script))
				if testing.Verbose() && !t.Failed() {
					t.Log(out)
				}
				m.checkTraffic()
			})
		}
	}
}

// doc/ambit.txt is the output of scripts/vimdoc.lua, and its tags are valid.
func TestTheHelpIsUpToDate(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, version)
			m := freshMachine(t, true)
			plugin := m.path(".local/share/nvim/site/pack/ambit/start/ambit")
			m.run("shop", nvim, "-l", filepath.Join(plugin, "scripts/vimdoc.lua"), m.path("ambit.txt"))
			want, err := os.ReadFile(m.path("ambit.txt"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile("../doc/ambit.txt")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("run nvim -l editors/neovim/scripts/vimdoc.lua (-want +got):\n%s", diff)
			}
			m.run("shop", nvim, "--headless", "-c", "helptags ALL", "-c", "help ambit.context()", "-c", "quitall")
		})
	}
}

// The screen in tmux shows what the user sees.
func TestAPersonSeesTheContext(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, version)
			m := freshMachine(t, true)
			s := newScreen(m, 100, 30)
			s.start("shop", nvim, "-n", "+/) Total", "cart.go")
			s.awaits("func (c *Cart) Total")
			s.keys(":Ambit status", "Enter")
			s.awaits("ready")
			s.keys("q", ":Ambit context budget=600", "Enter")
			s.awaits("5 sources")
			s.keys("zM")
			s.matches("folded")
			s.keys("]]", "zo", "?")
			s.matches("help")
			s.keys("q", "q", ":Ambit related", "Enter")
			s.awaits("Type number")
			s.matches("related")
			s.keys("q", "Enter", ":quitall!", "Enter")
			s.ends()
			m.checkTraffic()
		})
	}
}

// The plugin loads no module at the start. The test prints how long the start takes, but
// does not check it: it would fail on a busy machine.
func TestThePluginStartsFast(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			nvim := editor(t, version)
			m := freshMachine(t, true)
			for range 5 {
				m.run("shop", nvim, "-n", "--headless", "--startuptime", m.path("times"), "+quit")
			}
			text, err := os.ReadFile(m.path("times"))
			if err != nil {
				t.Fatal(err)
			}
			var times []float64
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "ambit/plugin/ambit.lua") {
					var clock, with, own float64
					if _, err := fmt.Sscanf(line, "%f %f %f:", &clock, &with, &own); err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					times = append(times, with)
				}
				if strings.Contains(line, "require('ambit") {
					t.Errorf("loaded at the start: %s", line)
				}
			}
			if len(times) != 5 {
				t.Fatalf("the plugin is sourced %d times in 5 starts:\n%s", len(times), text)
			}
			slices.Sort(times)
			t.Logf("plugin/ambit.lua takes %.2f ms of the start at the median, %.2f at least", times[2], times[0])
		})
	}
}

// The server ends when Neovim is killed.
func TestTheServerEndsWhenNeovimIsKilled(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, version)
			m := freshMachine(t, true)
			command := exec.CommandContext(t.Context(), nvim, "-n", "--headless", "cart.go",
				"-c", "lua assert(not require('ambit').context({ query = 'what is a cart?' }))",
				"-c", "lua vim.uv.kill(vim.uv.os_getpid(), 'sigkill')")
			command.Dir, command.Env = m.path("shop"), m.environment()
			var exit *exec.ExitError
			if out, err := command.CombinedOutput(); !errors.As(err, &exit) || exit.Exited() {
				t.Errorf("Neovim was not killed: %v\n%s", err, out)
			}
			m.checkTraffic()
		})
	}
}
