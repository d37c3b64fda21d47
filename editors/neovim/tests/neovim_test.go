// Package tests tests the Neovim plugin in real Neovims with the real server: the specs in
// tests/spec, the screens, and that every message of the server conforms to the protocol.
// tests/install installs the Neovims.
package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
		need := name + " is missing; editors/neovim/tests/install installs it"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	return program
}

// machine is a home directory with workspaces.
type machine struct {
	t       *testing.T
	home    string
	traffic string
}

// freshMachine returns a machine without configuration. With plugin, the Neovim plugin is
// installed as a package.
func freshMachine(t *testing.T, plugin bool) *machine {
	t.Helper()
	m := &machine{t: t, home: t.TempDir(), traffic: t.TempDir()}
	copyTree(t, "testdata/shop", m.path("shop"))
	m.run("shop", "git", "init", "-q")
	if plugin {
		copyTree(t, "..", m.path(".local/share/nvim/site/pack/ambit/start/ambit"))
	}
	return m
}

// path returns a path below the home.
func (m *machine) path(name string) string { return filepath.Join(m.home, filepath.FromSlash(name)) }

// environment returns the environment of every process, without settings of the tester.
func (m *machine) environment() []string {
	return []string{
		"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GORACE=atexit_sleep_ms=0", trafficVariable + "=" + m.traffic, "XDG_RUNTIME_DIR=" + m.home, "TMPDIR=" + m.t.TempDir(),
	}
}

// maxRun limits one process. A slow machine needs much less.
const maxRun = 10 * time.Minute

// run runs a command in a folder of the home and returns its output.
func (m *machine) run(dir, program string, args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), maxRun)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env, command.WaitDelay = m.path(dir), m.environment(), 30*time.Second
	out, err := command.CombinedOutput()
	if err != nil {
		m.t.Errorf("%s %q: %v\n%s", filepath.Base(program), args, err, out)
	}
	return string(out)
}

// eventually calls look until the value is wanted, for at most maxRun. It returns the last
// value, and whether it was wanted.
func eventually[T any](t *testing.T, look func() T, wanted func(T) bool) (T, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), maxRun)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		v := look()
		if wanted(v) {
			return v, true
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return v, false
		}
	}
}

// copyTree copies the files below a directory. It reads them itself, so that go test
// notices when they change.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkTraffic waits until every server has ended, and checks the messages of all servers
// against the protocol.
func (m *machine) checkTraffic() {
	m.t.Helper()
	running, ok := eventually(m.t, func() []string {
		files, _ := filepath.Glob(filepath.Join(m.traffic, "*.part")) // the pattern is good
		return files
	}, func(files []string) bool { return len(files) == 0 })
	if !ok {
		m.t.Errorf("servers that have not ended: %v", running)
	}
	m.checkMessages("*.jsonl")
}

// checkMessages checks the messages in the files of a pattern against the protocol.
func (m *machine) checkMessages(pattern string) {
	m.t.Helper()
	model, err := lsptest.LoadModel("../../../testdata/protocol/metaModel.json")
	if err != nil {
		m.t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(m.traffic, pattern))
	if err != nil {
		m.t.Fatal(err)
	}
	if len(logs) == 0 {
		m.t.Error("no server was started")
	}
	for _, log := range logs {
		session, err := lsptest.ReadTraffic(log)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, problem := range model.CheckServer(session) {
			m.t.Errorf("protocol: %s", problem)
		}
	}
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
				if text, err := os.ReadFile(spec); err != nil {
					t.Fatal(err)
				} else if bytes.Contains(text, []byte("-- needs: sources")) {
					copySources(t, m.path("ambit"))
				}
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

// copySources copies a part of this repository, as a real workspace.
func copySources(t *testing.T, to string) {
	t.Helper()
	for _, dir := range []string{"vectors/record", "vectors/flat", "vectors/lexical", "indexer/chunk", "indexer/graph"} {
		copyTree(t, filepath.Join("../../..", dir), filepath.Join(to, dir))
	}
	for _, file := range []string{"go.mod", "README.md"} {
		text, err := os.ReadFile(filepath.Join("../../..", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, file), text, 0o600); err != nil {
			t.Fatal(err)
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
