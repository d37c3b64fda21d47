package session_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// randomTree is a tree on disk that a test changes at random.
type randomTree struct {
	t   *testing.T
	dir string
	now time.Time // modification time of the next file
}

// newRandomTree makes a new, empty tree.
func newRandomTree(t *testing.T, dir string) *randomTree {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return &randomTree{t: t, dir: dir, now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// step is one change. The seed determines all of it.
type step struct {
	kind string
	seed uint64
}

// kinds are the kinds of changes. The most important ones are listed several times.
var kinds = []string{"write", "write", "write", "write", "edit", "edit", "edit", "copy", "copy", "rename", "rename", "remove", "move", "move", "clear",
	"chmod", "ignore", "ignore", "link", "left", "left", "touch", "now", "odd", "secret", "git", "git", "git", "model", "model", "model", "model", "concern", "concern"}

// full returns the path on disk.
func (g *randomTree) full(p string) string { return filepath.Join(g.dir, p) }

// must ends the test on an error, unless an earlier step explains it, such as a file in
// place of a directory.
func (g *randomTree) must(err error) {
	g.t.Helper()
	for _, expected := range []error{syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENOTEMPTY, syscall.EINVAL, fs.ErrExist, fs.ErrNotExist} {
		if errors.Is(err, expected) {
			return
		}
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

// clear removes anything at the path that is not a regular file.
func (g *randomTree) clear(p string) {
	if info, err := os.Lstat(g.full(p)); err == nil && !info.Mode().IsRegular() {
		g.must(os.RemoveAll(g.full(p)))
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(g.full(dir)); err == nil && !info.IsDir() {
			g.must(os.Remove(g.full(dir)))
		}
	}
}

// write writes a file with a modification time in the past, different for each write.
func (g *randomTree) write(p, text string) {
	g.t.Helper()
	g.clear(p)
	g.must(os.MkdirAll(filepath.Dir(g.full(p)), 0o755))
	g.must(os.WriteFile(g.full(p), []byte(text), 0o644))
	g.now = g.now.Add(time.Second)
	g.must(os.Chtimes(g.full(p), g.now, g.now))
}

// files lists the regular files outside .git.
func (g *randomTree) files() []string {
	var list []string
	_ = filepath.WalkDir(g.dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			p, _ := filepath.Rel(g.dir, full)
			list = append(list, filepath.ToSlash(p))
		}
		return nil
	})
	return list
}

// any returns an existing file, or a path for a new one.
func (g *randomTree) any(a author) string {
	if list := g.files(); len(list) > 0 {
		return a.pick(list)
	}
	return a.path()
}

// do makes one change.
func (g *randomTree) do(s step) {
	g.t.Helper()
	a := newAuthor(s.seed)
	switch s.kind {
	case "write":
		p := a.path()
		g.write(p, a.text(p))
	case "edit":
		g.edit(a, g.any(a))
	case "copy":
		if data, err := os.ReadFile(g.full(g.any(a))); err == nil {
			g.write(a.path(), string(data))
		}
	case "rename":
		g.rename(g.any(a), a.path())
	case "move":
		g.rename(a.pick(directories[1:]), path.Join(a.pick(directories), a.pick([]string{"moved", "cart", "web"})))
	case "remove":
		p := g.any(a)
		g.must(os.Remove(g.full(p)))
	case "clear":
		p := a.pick(directories[1:])
		g.must(os.RemoveAll(g.full(p)))
	case "chmod":
		p := g.any(a)
		g.must(os.Chmod(g.full(p), os.FileMode([]int{0o000, 0o644, 0o600, 0o755}[a.IntN(4)])))
	case "ignore":
		g.ignore(a)
	case "link":
		p := a.path()
		g.clear(p)
		g.must(os.MkdirAll(filepath.Dir(g.full(p)), 0o755))
		_ = os.Remove(g.full(p))
		g.must(os.Symlink(a.pick([]string{"/etc/passwd", "main.go", "..", path.Base(p), "/nowhere", "cart"}), g.full(p)))
	case "left":
		g.write(a.path(), a.left())
	case "touch":
		p := g.any(a)
		at := g.now.Add(time.Duration([]int{0, 1, 1e6, -1e9, 3600 * 1e9, 1e18}[a.IntN(6)]))
		g.must(os.Chtimes(g.full(p), at, at))
	default:
		g.doRare(s.kind, a)
	}
}

// doRare makes one change of the rarer kinds.
func (g *randomTree) doRare(kind string, a author) {
	switch kind {
	case "now": // like any program: the modification time is the present
		p := g.any(a)
		g.clear(p)
		g.must(os.MkdirAll(filepath.Dir(g.full(p)), 0o755))
		g.must(os.WriteFile(g.full(p), []byte(a.text(p)), 0o644))
	case "odd": // not a regular file, or an unusual name
		p := path.Join(a.pick(directories), a.pick([]string{"pipe.go", "sub.go", "b\xffd.go", "a b.py", "#x.md", "-n.go"}))
		g.clear(p)
		g.must(os.MkdirAll(filepath.Dir(g.full(p)), 0o755))
		switch {
		case strings.HasSuffix(p, "pipe.go"):
			g.must(syscall.Mkfifo(g.full(p), 0o644))
		case strings.HasSuffix(p, "sub.go"):
			g.must(os.MkdirAll(g.full(p), 0o755))
			g.write(p+"/main.go", a.text("main.go"))
		default:
			g.write(p, a.text(p))
		}
	case "secret":
		p := path.Join(a.pick(directories), a.pick([]string{".env", "id_rsa", "server.pem", "package-lock.json", "credentials"}))
		g.write(p, "A=1\n")
	case "model":
		g.write(a.modelPath(), a.model())
	case "concern":
		if a.IntN(3) == 0 {
			g.write(a.pick([]string{"db/schema.rb", "db/schema.rb", "lib/v1/db/schema.rb"}), a.schema())
			return
		}
		g.write(a.concernPath(), a.concern())
	case "git":
		g.git(a)
	default:
		g.t.Fatalf("no change is called %q", kind)
	}
}

func (g *randomTree) rename(from, to string) {
	if from == to || strings.HasPrefix(to, from+"/") {
		return
	}
	g.clear(to)
	g.must(os.MkdirAll(filepath.Dir(g.full(to)), 0o755))
	g.must(os.Rename(g.full(from), g.full(to)))
}

// edit changes some lines of a file.
func (g *randomTree) edit(a author, p string) {
	data, err := os.ReadFile(g.full(p))
	if err != nil {
		return
	}
	lines := strings.SplitAfter(string(data), "\n")
	from := a.IntN(len(lines))
	to := min(len(lines), from+a.IntN(4))
	var with []string
	if a.IntN(3) > 0 {
		with = strings.SplitAfter(strings.TrimPrefix(a.text(p), "package "), "\n")
	}
	g.write(p, strings.Join(slices.Replace(lines, from, to, with...), ""))
}

// ignore writes or removes a file of ignore rules.
func (g *randomTree) ignore(a author) {
	p := path.Join(a.pick(directories), a.pick([]string{".gitignore", ".ambitignore"}))
	if a.IntN(3) == 0 {
		_ = os.Remove(g.full(p))
		return
	}
	rules := []string{"*.py", "cart/", "/web", "!*.go", "main.*", "**/order.*", "!cart/main.go", "lib/v1", "util*", "# nothing", "*", "!*/", "docs/*.md"}
	g.write(p, a.pick(rules)+"\n"+a.pick(rules)+"\n")
}

// git runs a command of git, or some.
func (g *randomTree) git(a author) {
	if _, err := os.Stat(g.full(".git/HEAD")); err != nil {
		g.run("init", "-q", "-b", "main")
	}
	branch := a.pick([]string{"main", "one", "two"})
	switch a.IntN(5) {
	case 0, 1:
		g.run("add", "-A")
		g.run("commit", "-q", "-m", a.lower(), "--allow-empty")
	case 2:
		g.run("checkout", "-q", "-f", "-B", branch)
	case 3:
		g.run("checkout", "-q", "-f", branch)
	default:
		g.run("stash", "-q", "-u")
	}
}

// run runs git. A command that git rejects, such as the checkout of a missing branch,
// changes nothing.
func (g *randomTree) run(args ...string) {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var refused *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &refused) {
		g.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
}

// plan returns n steps of up to three changes each, determined by the seed.
func plan(seed uint64, n int) [][]step {
	a := newAuthor(seed)
	steps := make([][]step, n)
	for i := range steps {
		for range 1 + a.IntN(3) {
			steps[i] = append(steps[i], step{a.pick(kinds), a.Uint64()})
		}
	}
	return steps
}

func (s step) String() string { return fmt.Sprintf("{%q, %#x}", s.kind, s.seed) }
