// Package tests tries the Neovim plugin in real Neovims with the real server: what
// tests/spec says, what a person sees, and that every message is as the protocol wants
// it. tests/install puts the Neovims in place.
package tests

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ambit/server/cli"
	"ambit/server/lsp/lsptest"
)

// trafficVariable names the directory where a server's traffic is kept.
const trafficVariable = "AMBIT_TEST_TRAFFIC"

// Neovim finds this very program on its path under the name of ambit, so that go test
// knows when its results are old.
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

// versions are the oldest Neovim that is served and the latest.
var versions = []string{"nvim10", "nvim12"}

// editor returns a program of tests/install.
func editor(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(cmp.Or(os.Getenv("XDG_CACHE_HOME"), cache), "ambit-editors", "bin", name)
	if err := exec.Command(program, "--version").Run(); err != nil {
		need := name + " is missing; editors/neovim/tests/install puts it in place"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	return program
}

// machine is a home with the plugin installed as a package, and workspaces.
type machine struct {
	t       *testing.T
	home    string
	traffic string
}

// freshMachine returns one whose only software is Neovim, ambit and, with plugin, the
// plugin.
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

// environment is that of every process. Nothing of the tester's own is in it.
func (m *machine) environment() []string {
	return []string{
		"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GORACE=atexit_sleep_ms=0", trafficVariable + "=" + m.traffic, "XDG_RUNTIME_DIR=" + m.home, "TMPDIR=" + m.t.TempDir(),
	}
}

// maxRun bounds one process: what a slow machine needs, several times over.
const maxRun = time.Minute

// run runs a command in a folder of the home and returns what it prints.
func (m *machine) run(dir, program string, args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), maxRun)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env, command.WaitDelay = m.path(dir), m.environment(), time.Second
	out, err := command.CombinedOutput()
	if err != nil {
		m.t.Errorf("%s %q: %v\n%s", filepath.Base(program), args, err, out)
	}
	return string(out)
}

// copyTree copies the files below a directory. It reads them itself, so that go test
// sees when they change.
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

// checkTraffic holds every session of the machine against the protocol.
func (m *machine) checkTraffic() {
	m.t.Helper()
	model, err := lsptest.LoadModel("../../../testdata/protocol/metaModel.json")
	if err != nil {
		m.t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(m.traffic, "*"))
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

// runSpec runs a file of Lua and ends Neovim with 1 when that breaks off.
const runSpec = `lua local ok, err = pcall(dofile, [[%s]]) if not ok then io.stdout:write(err) vim.cmd('cquit 1') end`

// Each file of tests/spec holds in each Neovim.
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

// copySources copies a part of this repository: a real tree.
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
