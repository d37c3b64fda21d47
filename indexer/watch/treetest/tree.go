// Package treetest makes random source trees and changes them at random, for the tests
// that compare an index that followed the changes with a new one. A seed determines the
// trees, their texts and the changes.
package treetest

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

// Tree is a tree on disk that a test changes at random.
type Tree struct {
	t   testing.TB
	Dir string    // absolute
	now time.Time // modification time of the next file
}

// New makes a new, empty tree.
func New(t testing.TB, dir string) *Tree {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return &Tree{t: t, Dir: dir, now: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// Step is one change. The seed determines all of it.
type Step struct {
	Kind string // one of the cases of [Tree.Do]
	Seed uint64
}

// kinds are the kinds of changes. The most important ones are listed several times.
var kinds = []string{"write", "write", "write", "write", "edit", "edit", "edit", "copy", "copy", "rename", "rename", "remove", "move", "move", "clear",
	"chmod", "ignore", "ignore", "link", "left", "left", "touch", "now", "odd", "secret", "git", "git", "git", "model", "model", "model", "model", "concern", "concern"}

// Full returns the path on disk.
func (g *Tree) Full(p string) string { return filepath.Join(g.Dir, p) }

// Must ends the test on an error, unless an earlier step explains it, such as a file in
// place of a directory.
func (g *Tree) Must(err error) {
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
func (g *Tree) clear(p string) {
	if info, err := os.Lstat(g.Full(p)); err == nil && !info.Mode().IsRegular() {
		g.Must(os.RemoveAll(g.Full(p)))
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(g.Full(dir)); err == nil && !info.IsDir() {
			g.Must(os.Remove(g.Full(dir)))
		}
	}
}

// Write writes a file with a modification time in the past, different for each write.
func (g *Tree) Write(p, text string) {
	g.t.Helper()
	g.clear(p)
	g.Must(os.MkdirAll(filepath.Dir(g.Full(p)), 0o755))
	g.Must(os.WriteFile(g.Full(p), []byte(text), 0o644))
	g.now = g.now.Add(time.Second)
	g.Must(os.Chtimes(g.Full(p), g.now, g.now))
}

// Put writes a file like any program, with the present as its modification time.
func (g *Tree) Put(p, text string) {
	g.t.Helper()
	g.Must(os.MkdirAll(filepath.Dir(g.Full(p)), 0o755))
	g.Must(os.WriteFile(g.Full(p), []byte(text), 0o644))
}

// Files lists the regular files outside .git.
func (g *Tree) Files() []string {
	var list []string
	_ = filepath.WalkDir(g.Dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			p, _ := filepath.Rel(g.Dir, full)
			list = append(list, filepath.ToSlash(p))
		}
		return nil
	})
	return list
}

// Any returns an existing file, or a path for a new one.
func (g *Tree) Any(a Author) string {
	if list := g.Files(); len(list) > 0 {
		return a.Pick(list)
	}
	return a.Path()
}

// Do makes one change.
func (g *Tree) Do(s Step) {
	g.t.Helper()
	a := NewAuthor(s.Seed)
	switch s.Kind {
	case "write":
		p := a.Path()
		g.Write(p, a.Text(p))
	case "edit":
		g.edit(a, g.Any(a))
	case "copy":
		if data, err := os.ReadFile(g.Full(g.Any(a))); err == nil {
			g.Write(a.Path(), string(data))
		}
	case "rename":
		g.Rename(g.Any(a), a.Path())
	case "move":
		g.Rename(a.Pick(directories[1:]), path.Join(a.Pick(directories), a.Pick([]string{"moved", "cart", "web"})))
	case "remove":
		p := g.Any(a)
		g.Must(os.Remove(g.Full(p)))
	case "clear":
		p := a.Pick(directories[1:])
		g.Must(os.RemoveAll(g.Full(p)))
	case "chmod":
		p := g.Any(a)
		g.Must(os.Chmod(g.Full(p), os.FileMode([]int{0o000, 0o644, 0o600, 0o755}[a.IntN(4)])))
	case "ignore":
		g.ignore(a)
	case "link":
		p := a.Path()
		g.clear(p)
		g.Must(os.MkdirAll(filepath.Dir(g.Full(p)), 0o755))
		_ = os.Remove(g.Full(p))
		g.Must(os.Symlink(a.Pick([]string{"/etc/passwd", "main.go", "..", path.Base(p), "/nowhere", "cart"}), g.Full(p)))
	case "left":
		g.Write(a.Path(), a.Left())
	case "touch":
		p := g.Any(a)
		at := g.now.Add(time.Duration([]int{0, 1, 1e6, -1e9, 3600 * 1e9, 1e18}[a.IntN(6)]))
		g.Must(os.Chtimes(g.Full(p), at, at))
	default:
		g.doRare(s.Kind, a)
	}
}

// doRare makes one change of the rarer kinds.
func (g *Tree) doRare(kind string, a Author) {
	switch kind {
	case "now":
		p := g.Any(a)
		g.clear(p)
		g.Put(p, a.Text(p))
	case "odd": // not a regular file, or an unusual name
		p := path.Join(a.Pick(directories), a.Pick([]string{"pipe.go", "sub.go", "b\xffd.go", "a b.py", "#x.md", "-n.go"}))
		g.clear(p)
		g.Must(os.MkdirAll(filepath.Dir(g.Full(p)), 0o755))
		switch {
		case strings.HasSuffix(p, "pipe.go"):
			g.Must(syscall.Mkfifo(g.Full(p), 0o644))
		case strings.HasSuffix(p, "sub.go"):
			g.Must(os.MkdirAll(g.Full(p), 0o755))
			g.Write(p+"/main.go", a.Text("main.go"))
		default:
			g.Write(p, a.Text(p))
		}
	case "secret":
		p := path.Join(a.Pick(directories), a.Pick([]string{".env", "id_rsa", "server.pem", "package-lock.json", "credentials"}))
		g.Write(p, "A=1\n")
	case "model":
		g.Write(a.ModelPath(), a.Model())
	case "concern":
		if a.IntN(3) == 0 {
			g.Write(a.Pick([]string{"db/schema.rb", "db/schema.rb", "lib/v1/db/schema.rb"}), a.Schema())
			return
		}
		g.Write(a.ConcernPath(), a.Concern())
	case "git":
		g.git(a)
	default:
		g.t.Fatalf("no change is called %q", kind)
	}
}

func (g *Tree) Rename(from, to string) {
	if from == to || strings.HasPrefix(to, from+"/") {
		return
	}
	g.clear(to)
	g.Must(os.MkdirAll(filepath.Dir(g.Full(to)), 0o755))
	g.Must(os.Rename(g.Full(from), g.Full(to)))
}

// edit changes some lines of a file.
func (g *Tree) edit(a Author, p string) {
	data, err := os.ReadFile(g.Full(p))
	if err != nil {
		return
	}
	lines := strings.SplitAfter(string(data), "\n")
	from := a.IntN(len(lines))
	to := min(len(lines), from+a.IntN(4))
	var with []string
	if a.IntN(3) > 0 {
		with = strings.SplitAfter(strings.TrimPrefix(a.Text(p), "package "), "\n")
	}
	g.Write(p, strings.Join(slices.Replace(lines, from, to, with...), ""))
}

// ignore writes or removes a file of ignore rules.
func (g *Tree) ignore(a Author) {
	p := path.Join(a.Pick(directories), a.Pick([]string{".gitignore", ".ambitignore"}))
	if a.IntN(3) == 0 {
		_ = os.Remove(g.Full(p))
		return
	}
	rules := []string{"*.py", "cart/", "/web", "!*.go", "main.*", "**/order.*", "!cart/main.go", "lib/v1", "util*", "# nothing", "*", "!*/", "docs/*.md"}
	g.Write(p, a.Pick(rules)+"\n"+a.Pick(rules)+"\n")
}

// git runs a command of git, or some.
func (g *Tree) git(a Author) {
	if _, err := os.Stat(g.Full(".git/HEAD")); err != nil {
		g.Git("init", "-q", "-b", "main")
	}
	branch := a.Pick([]string{"main", "one", "two"})
	switch a.IntN(5) {
	case 0, 1:
		g.Git("add", "-A")
		g.Git("commit", "-q", "-m", a.Lower(), "--allow-empty")
	case 2:
		g.Git("checkout", "-q", "-f", "-B", branch)
	case 3:
		g.Git("checkout", "-q", "-f", branch)
	default:
		g.Git("stash", "-q", "-u")
	}
}

// Git runs git. A command that git rejects, such as the checkout of a missing branch,
// changes nothing.
func (g *Tree) Git(args ...string) {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.Dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	var refused *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &refused) {
		g.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
}

// Plan returns n steps of up to three changes each, determined by the seed.
func Plan(seed uint64, n int) [][]Step {
	a := NewAuthor(seed)
	steps := make([][]Step, n)
	for i := range steps {
		for range 1 + a.IntN(3) {
			steps[i] = append(steps[i], Step{a.Pick(kinds), a.Uint64()})
		}
	}
	return steps
}

// String returns the step as the source text of its value.
func (s Step) String() string { return fmt.Sprintf("{%q, %#x}", s.Kind, s.Seed) }
