package gitignore_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ambit/indexer/gitignore/gittest"
)

// sample is a random repository with ignore files.
type sample struct {
	root  string   // the directory to scan: the top of the repository or a directory in it
	files []string // git's files below root, with nested repositories, sorted
	rules string   // the ignore files, for the message of a failure
}

// newSample makes the repository of a seed. home is the result of [gittest.Home].
func newSample(t testing.TB, home string, seed uint64) sample {
	t.Helper()
	r := &randomRepo{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, dir: t.TempDir(), home: home}
	root := r.build()
	files := gitFiles(t, root)
	for _, nested := range r.nested {
		rel, err := filepath.Rel(root, nested)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range gitFiles(t, nested) {
			files = append(files, rel+"/"+path)
		}
	}
	slices.Sort(files)
	return sample{root, files, strings.Join(r.texts, "\n")}
}

// randomRepo makes trees that exercise the corner cases of the ignore rules.
type randomRepo struct {
	*rand.Rand
	t      testing.TB
	dir    string
	home   string
	nested []string // repositories below the root, not ignored
	texts  []string // of the ignore files, for the report
}

var (
	names = []string{"a", "b", "ab", "abc", "a.b", "x.log", "foo", "foo.c", "bar ", "b]", "a-b", "#x", "!y", "[c]", "dir", "lib", "é", "a*b", `a\b`, "\xff"}
	atoms = []string{"a", "b", "c", "foo", "*", "*", "**", "?", "[ab]", "[!a]", "[^a]", "[a-c]", "[[:alpha:]]", "[[:upper:]x]", "[]]", "[", "[[:no:]]", `\*`, `\a`,
		".", ".log", ".c", "dir", "lib", "ab", "x", "]", "é", "-", "#", "!", `\`, " ", "A", "FOO", "\t"}
)

// pick returns a random element.
func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// build makes the repository and returns the root to scan.
func (r *randomRepo) build() string {
	fold := r.IntN(6) == 0
	global := "[core]\n"
	if fold {
		global += "\tignoreCase = true\n"
	}
	os.RemoveAll(filepath.Join(r.home, "xdg"))
	switch r.IntN(4) {
	case 0:
		r.write(filepath.Join(r.home, "xdg", "git", "ignore"), r.ignoreText())
	case 1:
		global += "\texcludesFile = \"~/my ignore\" ; comment\n"
		r.write(filepath.Join(r.home, "my ignore"), r.ignoreText())
	case 2:
		global += "[include]\n\tpath = more\n"
		r.write(filepath.Join(r.home, "more"), "[Core]\nexcludesfile="+filepath.Join(r.home, "third")+"\n")
		r.write(filepath.Join(r.home, "third"), r.ignoreText())
	}
	r.write(filepath.Join(r.home, ".gitconfig"), global)

	top := filepath.Join(r.dir, "top")
	gitDir := r.makeRepo(top)
	r.fill(top, 3)
	if r.IntN(3) == 0 {
		r.write(filepath.Join(gitDir, "info", "exclude"), r.ignoreText())
	}
	r.track(top)
	if nested := filepath.Join(top, "dir", "inner"); r.IntN(5) == 0 && (isDir(filepath.Dir(nested)) || !exists(filepath.Dir(nested))) {
		r.makeRepo(nested)
		r.fill(nested, 2)
		r.track(nested)
		if exec.Command("git", "-C", top, "check-ignore", "-q", "dir").Run() != nil &&
			exec.Command("git", "-C", top, "check-ignore", "-q", "dir/inner").Run() != nil {
			r.nested = append(r.nested, nested)
		}
	}
	root := top
	if sub := filepath.Join(top, "lib"); r.nested == nil && r.IntN(4) == 0 && isDir(sub) &&
		exec.Command("git", "-C", top, "check-ignore", "-q", "--no-index", "lib").Run() != nil {
		root = sub
	}
	return root
}

func isDir(p string) bool {
	fi, err := os.Lstat(p)
	return err == nil && fi.IsDir()
}

// makeRepo makes a repository as `git init` does, sometimes with .git as a file.
func (r *randomRepo) makeRepo(top string) (gitDir string) {
	gitDir = filepath.Join(top, ".git")
	if r.IntN(5) == 0 {
		gitDir = top + "-elsewhere"
		if strings.HasSuffix(top, "inner") {
			gitDir = filepath.Join(r.dir, "inner-elsewhere")
		}
		r.write(filepath.Join(top, ".git"), "gitdir: "+gitDir+"\n")
	}
	for _, d := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(gitDir, d), 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
	r.write(filepath.Join(gitDir, "HEAD"), "ref: refs/heads/main\n")
	return gitDir
}

// fill makes files, folders and ignore files below dir.
func (r *randomRepo) fill(dir string, depth int) {
	if r.IntN(3) > 0 {
		r.write(filepath.Join(dir, ".gitignore"), r.ignoreText())
	}
	for range 2 + r.IntN(5) {
		p := filepath.Join(dir, pick(r.Rand, names))
		switch {
		case exists(p):
		case depth > 0 && r.IntN(2) == 0:
			r.fill(p, depth-1)
		case r.IntN(12) == 0:
			os.MkdirAll(dir, 0o755)
			os.Symlink(".", p)
		default:
			r.write(p, "")
		}
	}
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// track adds some files to the index, ignored ones too.
func (r *randomRepo) track(top string) {
	var some []string
	filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && d.Name() != ".git" && r.IntN(6) == 0 {
			some = append(some, p)
		}
		return nil
	})
	if len(some) == 0 || r.IntN(3) == 0 {
		return
	}
	version := fmt.Sprintf("index.version=%d", 2+2*r.IntN(2))
	gittest.Run(r.t, top, append([]string{"--literal-pathspecs", "-c", version, "add", "-f", "--"}, some...)...)
	if r.IntN(4) == 0 {
		gittest.Run(r.t, top, "update-index", "--split-index")
	}
}

// ignoreText is a random ignore file.
func (r *randomRepo) ignoreText() string {
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range 1 + r.IntN(5) {
		if r.IntN(4) == 0 {
			b.WriteByte('!')
		}
		if r.IntN(5) == 0 {
			b.WriteByte('/')
		}
		for range 1 + r.IntN(4) {
			b.WriteString(pick(r.Rand, atoms))
			if r.IntN(5) == 0 {
				b.WriteByte('/')
			}
		}
		b.WriteString(pick(r.Rand, []string{"", "", "", "", "/", "/*", "/**", " ", `\ `, "  ", "\r", "\x00a"}))
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), pick(r.Rand, []string{"", "\n"}))
}

func (r *randomRepo) write(p, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
	if strings.Contains(p, "ignore") || strings.HasSuffix(p, "exclude") || strings.HasSuffix(p, "third") {
		r.texts = append(r.texts, fmt.Sprintf("%s: %q", strings.TrimPrefix(p, r.dir), text))
	}
}

// gitFiles returns the files that git lists in dir and that exist, sorted, without links
// and without the files of a repository below dir.
func gitFiles(t testing.TB, dir string) []string {
	t.Helper()
	files := []string{}
	for p := range strings.SplitSeq(gittest.Run(t, dir, "ls-files", "-co", "--exclude-standard", "-z"), "\x00") {
		fi, err := os.Lstat(filepath.Join(dir, p))
		if p != "" && err == nil && fi.Mode().IsRegular() && !slices.Contains(files, p) {
			files = append(files, p)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
