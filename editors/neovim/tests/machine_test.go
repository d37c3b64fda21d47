package tests

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"ambit/server/lsp/lsptest"
)

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

// needs is a line of a spec: "-- needs: sources" for a copy of a part of this repository,
// "-- needs: plugin NAME-TAG" for a plugin that tests/install clones, "-- needs: nvim12" for
// that one of [versions] or a later one.
var needs = regexp.MustCompile(`(?m)^-- needs: (\w+) ?(.*)$`)

// provide provides what a spec needs. Skips the test when it cannot.
func (m *machine) provide(spec, version string) {
	m.t.Helper()
	text, err := os.ReadFile(spec)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, need := range needs.FindAllStringSubmatch(string(text), -1) {
		switch what, name := need[1], need[2]; what {
		case "sources":
			copySources(m.t, m.path("ambit"))
		case "plugin":
			m.install(name, ".local/share/nvim/site/pack/others/start")
		default:
			if !slices.Contains(versions, what) {
				m.t.Fatalf("%s needs %q, which is unknown", spec, need[0])
			}
			if version < what {
				m.t.Skipf("%s is for %s and later", filepath.Base(spec), what)
			}
		}
	}
}

// install installs a plugin that tests/install has cloned in a directory of the home. Skips the
// test without it.
func (m *machine) install(plugin, directory string) {
	m.t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		m.t.Fatal(err)
	}
	from := filepath.Join(cache, "ambit-editors/plugins", plugin)
	if _, err := os.Stat(from); err != nil {
		missing(m.t, plugin)
	}
	packages := m.path(directory)
	if err := os.MkdirAll(packages, 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(from, filepath.Join(packages, plugin)); err != nil {
		m.t.Fatal(err)
	}
}

// missing skips a test because of a program or a plugin, or fails it in CI.
func missing(t *testing.T, what string) {
	t.Helper()
	need := what + " is missing; editors/neovim/tests/install installs it"
	if os.Getenv("AMBIT_CI") != "" {
		t.Fatal(need)
	}
	t.Skip(need)
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
