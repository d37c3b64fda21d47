package githist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ambit/indexer/githist"
	"ambit/indexer/gitignore/gittest"
	"ambit/vectors/record"
)

// now is the end of the windows in all tests.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// repo is a git repository made by a test.
type repo struct {
	testing.TB
	dir string
}

// newRepo makes an empty repository, in which git ignores the user's settings.
func newRepo(t testing.TB) *repo {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	r := &repo{t, filepath.Join(t.TempDir(), "repo")}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	return r
}

// git runs git in the repository and returns what it prints, trimmed.
func (r *repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes a commit some days before now. It appends a line to each of files; "-a"
// removes a, and "a>b" renames a to b.
func (r *repo) commit(daysAgo int, files ...string) string {
	r.Helper()
	return r.commitAs("x", daysAgo, files...)
}

// commitAs is commit with a message.
func (r *repo) commitAs(message string, daysAgo int, files ...string) string {
	r.Helper()
	for _, f := range files {
		if from, to, ok := strings.Cut(f, ">"); ok {
			os.MkdirAll(filepath.Dir(filepath.Join(r.dir, to)), 0o755)
			r.git("mv", "-f", from, to)
			continue
		}
		if gone, ok := strings.CutPrefix(f, "-"); ok {
			r.git("rm", "-q", gone)
			continue
		}
		p := filepath.Join(r.dir, f)
		os.MkdirAll(filepath.Dir(p), 0o755)
		old, _ := os.ReadFile(p)
		if old == nil { // enough text of its own for git to detect a rename
			old = []byte(strings.Repeat("a line of "+f+"\n", 20))
		}
		if err := os.WriteFile(p, fmt.Appendf(old, "%d days ago\n", daysAgo), 0o644); err != nil {
			r.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.at(daysAgo, "commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// at runs git with its clock some days before now.
func (r *repo) at(daysAgo int, args ...string) {
	r.Helper()
	date := fmt.Sprintf("%d +0000", now.AddDate(0, 0, -daysAgo).Unix())
	os.Setenv("GIT_AUTHOR_DATE", date)
	os.Setenv("GIT_COMMITTER_DATE", date)
	defer os.Unsetenv("GIT_AUTHOR_DATE")
	defer os.Unsetenv("GIT_COMMITTER_DATE")
	r.git(args...)
}

// read reads the history of a folder of the repository.
func (r *repo) read(sub string) record.History { return r.readAt(sub, githist.Limits{}) }

// readAt is read within limits.
func (r *repo) readAt(sub string, most githist.Limits) record.History {
	r.Helper()
	h, err := githist.ReadAt(context.Background(), filepath.Join(r.dir, sub), now, most)
	if err != nil {
		r.Fatal(err)
	}
	return h
}

// check compares two histories without their heads, their number of commits and the subjects.
func check(t *testing.T, want, got record.History) {
	t.Helper()
	got.Head, got.Commits, got.Subjects = want.Head, want.Commits, want.Subjects
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("Read (-want +got):\n%s", diff)
	}
}

func TestFrequencyFollowsTheWindows(t *testing.T) {
	r := newRepo(t)
	r.commit(500, "dormant")
	r.commit(366, "dormant2")
	r.commit(364, "stable")
	r.commit(91, "nearly", "nearly2")
	for day := 89; day >= 80; day-- {
		r.commit(day, "hot")
	}
	for day := 70; day > 61; day-- {
		r.commit(day, "active")
	}
	r.commit(30, "nearly")
	r.commit(29, "nearly")
	check(t, record.History{
		Files: []record.FileHistory{
			{Path: "active", Frequency: record.Active, Commits90: 9, Commits: 9},
			{Path: "dormant", Frequency: record.Dormant, Commits: 1},
			{Path: "dormant2", Frequency: record.Dormant, Commits: 1},
			{Path: "hot", Frequency: record.Hot, Commits90: 10, Commits: 10},
			{Path: "nearly", Frequency: record.Stable, Commits90: 2, Commits: 3},
			{Path: "nearly2", Frequency: record.Stable, Commits: 1},
			{Path: "stable", Frequency: record.Stable, Commits: 1},
		},
		Pairs: []record.CoChange{{A: "nearly", B: "nearly2", Weight: 0.5}},
	}, r.read(""))
}

func TestFrequencyCountsBackFromHead(t *testing.T) {
	r := newRepo(t)
	for day := 4010; day > 4000; day-- {
		r.commit(day, "hot")
	}
	h, err := githist.Read(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	check(t, record.History{Files: []record.FileHistory{{Path: "hot", Frequency: record.Hot, Commits90: 10, Commits: 10}}}, h)
}

func TestCoChangeIsWeightedByTheSizeOfTheCommit(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "a", "b", "c")
	r.commit(8, "a", "b")
	r.commit(7, "c")
	var many []string
	for i := range 31 {
		many = append(many, fmt.Sprintf("many/%02d", i))
	}
	r.commit(6, many...)
	r.commit(5, many[1:]...)
	h := r.read("")
	if len(h.Pairs) != 3+30*29/2 {
		t.Errorf("Read found %d pairs, want the pairs of the commits of 3 and of 30 files", len(h.Pairs))
	}
	h.Files = nil
	h.Pairs = h.Pairs[:3]
	check(t, record.History{Pairs: []record.CoChange{
		{A: "a", B: "b", Weight: 1./3 + 1./2}, {A: "a", B: "c", Weight: 1. / 3}, {A: "b", B: "c", Weight: 1. / 3},
	}}, h)
}

func TestReadFollowsRenames(t *testing.T) {
	r := newRepo(t)
	r.commit(50, "old", "with")
	r.commit(40, "old")
	r.commit(30, "old>dir/mid", "dir/other")
	r.commit(29, "old") // another file of the old name
	r.commit(20, "dir/mid>new")
	r.commit(10, "-with")
	check(t, record.History{
		Files: []record.FileHistory{
			{Path: "dir/other", Frequency: record.Stable, Commits90: 1, Commits: 1},
			{Path: "new", Frequency: record.Active, Commits90: 4, Commits: 4},
			{Path: "old", Frequency: record.Stable, Commits90: 1, Commits: 1},
		},
		Pairs: []record.CoChange{{A: "dir/other", B: "new", Weight: 0.5}},
	}, r.read(""))
}

func TestFilesThatChangePlacesKeepTheirHistory(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "a")
	r.commit(8, "a")
	r.commit(7, "b")
	r.git("mv", "a", "tmp")
	r.git("mv", "b", "a")
	r.git("mv", "tmp", "b")
	r.at(6, "-c", "diff.renames=true", "commit", "-q", "-m", "swap")
	check(t, record.History{
		// git shows a swap as two modifications, so the names keep their counts.
		Files: []record.FileHistory{
			{Path: "a", Frequency: record.Active, Commits90: 3, Commits: 3},
			{Path: "b", Frequency: record.Stable, Commits90: 2, Commits: 2},
		},
		Pairs: []record.CoChange{{A: "a", B: "b", Weight: 0.5}},
	}, r.read(""))
}

func TestReadSkipsMerges(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "base")
	r.git("checkout", "-q", "-b", "side")
	r.commit(8, "side")
	r.git("checkout", "-q", "main")
	r.commit(7, "base")
	r.at(6, "merge", "-q", "--no-ff", "-m", "merge", "side")
	check(t, record.History{Files: []record.FileHistory{
		{Path: "base", Frequency: record.Stable, Commits90: 2, Commits: 2},
		{Path: "side", Frequency: record.Stable, Commits90: 1, Commits: 1},
	}}, r.read(""))
}

func TestPathsAreRelativeToARootBelowTheTop(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "sub/a", "sub/b", "outside", "subway")
	r.commit(8, "outside")
	r.commit(7, "outside>sub/inside")
	check(t, record.History{
		Files: []record.FileHistory{
			{Path: "a", Frequency: record.Stable, Commits90: 1, Commits: 1},
			{Path: "b", Frequency: record.Stable, Commits90: 1, Commits: 1},
			{Path: "inside", Frequency: record.Stable, Commits90: 2, Commits: 2},
		},
		Pairs: []record.CoChange{{A: "a", B: "b", Weight: 0.25}, {A: "a", B: "inside", Weight: 0.25}, {A: "b", B: "inside", Weight: 0.25}},
	}, r.read("sub"))
}

func TestReadReadsOnlyTheLastCommits(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "sub/a")
	r.commit(8, "sub/b")
	r.commit(7, "sub/c", "d")
	r.commit(6, "e")
	for _, tt := range []struct {
		what, sub, files, cut string
		commits               int
		most                  githist.Limits
	}{
		{"2 commits", "", "d e sub/c", "commits before the last 2", 2, githist.Limits{Commits: 2}},
		{"2 commits below a folder", "sub", "b c", "commits before the last 2", 2, githist.Limits{Commits: 2}},
		{"all 4 commits", "", "d e sub/a sub/b sub/c", "", 4, githist.Limits{Commits: 4}},
		{"2 commits of the repository", "sub", "c", "commits before the last 2 of the repository", 1, githist.Limits{Walked: 2}},
		{"all 4 commits of the repository", "sub", "a b c", "", 3, githist.Limits{Walked: 4}},
		{"bytes within the third commit", "", "d e sub/c", "commits before the last 2, whose log has 0 MB", 2, githist.Limits{Bytes: 70}},
		{"bytes within the first commit", "", "", "commits before the last 0, whose log has 0 MB", 0, githist.Limits{Bytes: 14}},
	} {
		h := r.readAt(tt.sub, tt.most)
		var files []string
		for _, f := range h.Files {
			files = append(files, string(f.Path))
		}
		if got := strings.Join(files, " "); got != tt.files || h.Cut != tt.cut || h.Commits != tt.commits {
			t.Errorf("%s: %d commits of %q without %q, want %d of %q without %q", tt.what, h.Commits, got, h.Cut, tt.commits, tt.files, tt.cut)
		}
	}
}

func TestTheHistoryOfASlowGitIsThatOfAFastOne(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "a", "b")
	want := r.read("")
	running := gittest.Stall(t)
	got := make(chan record.History, 1)
	go func() { got <- r.read("") }()
	resume := running()
	select {
	case h := <-got:
		t.Errorf("Read returned %+v before git did", h)
	default:
	}
	resume()
	check(t, want, <-got)
}

func TestReadEndsWithItsContextWhenGitStalls(t *testing.T) {
	r := newRepo(t)
	r.commit(9, "a")
	running := gittest.Stall(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop, ended := errors.New("stop"), make(chan error, 1)
	go func() {
		_, err := githist.Read(ctx, r.dir)
		ended <- err
	}()
	defer running()()
	cancel(stop)
	if err := <-ended; !errors.Is(err, stop) {
		t.Errorf("Read = %v, want the cause of the context", err)
	}
}

func TestReadKeepsUnusualNames(t *testing.T) {
	r := newRepo(t)
	names := []string{"a b", "new\nline", "\x01ctl", "quo\"te", "umläut", "\xff\xfe", "tab\t", ":colon"}
	r.commit(9, names...)
	for _, f := range r.read("").Files {
		if f.Commits != 1 {
			t.Errorf("%q has %d commits, want 1", f.Path, f.Commits)
		}
		names = deleteName(names, string(f.Path))
	}
	if len(names) > 0 {
		t.Errorf("Read lost %q", names)
	}
}

func deleteName(names []string, name string) (rest []string) {
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

func TestTheHistoryIsEmptyWithoutAReadableLog(t *testing.T) {
	r := newRepo(t)
	t.Run("no commit yet", func(t *testing.T) { check(t, record.History{}, r.read("")) })
	r.commit(1, "a")
	plain := &repo{t, t.TempDir()}
	t.Run("no repository", func(t *testing.T) { check(t, record.History{}, plain.read("")) })
	t.Run("no such folder", func(t *testing.T) { check(t, record.History{}, plain.read("none")) })
	t.Run("damaged", func(t *testing.T) {
		broken := newRepo(t)
		broken.commit(1, "a")
		os.RemoveAll(filepath.Join(broken.dir, ".git", "objects"))
		os.Mkdir(filepath.Join(broken.dir, ".git", "objects"), 0o755)
		h := broken.read("")
		if !strings.HasPrefix(h.Cut, "all commits: git log: fatal: ") || strings.Contains(h.Cut, "\n") {
			t.Errorf("Cut = %q, want what git says", h.Cut)
		}
		check(t, record.History{Cut: h.Cut}, h)
	})
	t.Run("no git", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		check(t, record.History{Cut: "all commits: git is not installed"}, r.read(""))
	})
	t.Run("context ends", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		if _, err := githist.Read(ctx, r.dir); !errors.Is(err, stop) {
			t.Errorf("Read = %v, want the cause of the context", err)
		}
	})
}

func TestReadExecutesNoProgramOfTheRepository(t *testing.T) {
	r := newRepo(t)
	r.commit(3, "a.txt", "b.txt")
	r.commit(2, "a.txt>c.txt")
	r.signHead()
	marker := filepath.Join(t.TempDir(), "marker")
	script := filepath.Join(t.TempDir(), "evil.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch '"+marker+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.pager": script, "pager.log": "true", "diff.external": script, "diff.evil.textconv": script, "diff.evil.command": script,
		"gpg.program": script, "log.showSignature": "true", "core.sshCommand": script, "core.hooksPath": filepath.Dir(script), "alias.log": "!" + script,
		"diff.relative": "true", "log.follow": "true", "color.ui": "always", "format.pretty": "fuller", "log.diffMerges": "on", "log.date": "relative", "diff.renames": "false",
	} {
		r.git("config", key, value)
	}
	os.WriteFile(filepath.Join(r.dir, ".git", "info", "attributes"), []byte("* diff=evil filter=evil\n"), 0o644)
	r.git("--no-pager", "log", "-1", "-p", "--ext-diff")
	if os.Remove(marker) != nil {
		t.Fatal("git executes no program with these settings, so the test proves nothing")
	}
	check(t, record.History{
		Files: []record.FileHistory{
			{Path: "b.txt", Frequency: record.Stable, Commits90: 1, Commits: 1},
			{Path: "c.txt", Frequency: record.Stable, Commits90: 2, Commits: 2},
		},
		Pairs: []record.CoChange{{A: "b.txt", B: "c.txt", Weight: 0.5}},
	}, r.read(""))
	if _, err := os.Stat(marker); err == nil {
		t.Error("Read executed a program of the repository's settings")
	}
}

// signHead replaces the last commit by one with a signature, which git would check
// with the program that the repository names.
func (r *repo) signHead() {
	r.Helper()
	body := r.git("--no-pager", "cat-file", "commit", "HEAD")
	head, message, _ := strings.Cut(body, "\n\n")
	signed := head + "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n\n" + message + "\n"
	file := filepath.Join(r.TempDir(), "commit")
	if err := os.WriteFile(file, []byte(signed), 0o644); err != nil {
		r.Fatal(err)
	}
	r.git("reset", "-q", "--soft", r.git("hash-object", "-t", "commit", "-w", file))
}

func TestHeadIsTheCheckedOutCommit(t *testing.T) {
	r := newRepo(t)
	head := func(dir, want string) {
		t.Helper()
		if got := githist.Head(dir); got != want {
			t.Errorf("Head(%s) = %q, want %q", dir, got, want)
		}
	}
	head(r.dir, "")
	first := r.commit(3, "sub/a")
	second := r.commit(2, "sub/a")
	head(r.dir, second)
	head(filepath.Join(r.dir, "sub"), second)
	r.git("pack-refs", "--all")
	head(r.dir, second)
	r.git("worktree", "add", "-q", "-b", "feature/x", "../linked", first)
	linked := filepath.Join(r.dir, "..", "linked")
	head(linked, first)
	if h := (&repo{t, linked}).read(""); h.Head != first || len(h.Files) != 1 {
		t.Errorf("Read of a linked worktree = %+v, want one file at %s", h, first)
	}
	r.git("pack-refs", "--all")
	head(linked, first)
	r.git("checkout", "-q", "--detach", first)
	head(r.dir, first)
	r.git("symbolic-ref", "HEAD", "refs/heads/main")
	head(r.dir, second)
	head(t.TempDir(), "")
	for _, text := range []string{"", "ref: refs/heads/../../../../etc/passwd", "ref: HEAD", "not a commit", "ref: refs/heads/none"} {
		os.WriteFile(filepath.Join(r.dir, ".git", "HEAD"), []byte(text), 0o644)
		head(r.dir, "")
	}
}

// BenchmarkRead reads 2,000 commits of a repository of 1,000 files.
func BenchmarkRead(b *testing.B) {
	r := newRepo(b)
	var s strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&s, "commit refs/heads/main\ncommitter t <t@t> %d +0000\ndata 1\nx\n", now.Unix()-int64(2000-i)*3600)
		for j := range 1 + i%5 {
			fmt.Fprintf(&s, "M 644 inline dir%d/file%d.go\ndata %d\n%d\n", (i*7+j)%40, (i*13+j*j)%1000, len(fmt.Sprint(i))+1, i)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(s.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git fast-import: %v\n%s", err, out)
	}
	for b.Loop() {
		if h := r.read(""); len(h.Files) == 0 {
			b.Fatal("no files")
		}
	}
	b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// Subjects are kept of commits of few files, under the present names of the files, and are cut.
func TestSubjectsOfSmallCommitsAreKept(t *testing.T) {
	r := newRepo(t)
	r.commitAs("first  \x02 line\nof two\n\nbody", 9, "a", "b")
	r.commitAs("rename b", 8, "b>c")
	var many []string
	for i := range 16 {
		many = append(many, fmt.Sprintf("many/%02d", i))
	}
	r.commitAs("import", 7, many...)
	r.commitAs(strings.Repeat("ä long subject ", 30), 6, "a")
	r.commitAs("outside", 5, "a")
	h := r.read("")
	if len(h.Subjects) != 4 {
		t.Fatalf("subjects: %q", h.Subjects)
	}
	long := h.Subjects[1].Text
	if !strings.HasPrefix(long, "ä long subject ä long") || utf8.RuneCountInString(long) > 200 {
		t.Errorf("the long subject has %d letters: %q", utf8.RuneCountInString(long), long)
	}
	want := []record.Subject{{Text: "outside", Files: []record.Path{"a"}}, {Text: long, Files: []record.Path{"a"}}, {Text: "rename b", Files: []record.Path{"c"}}, {Text: "first  \x02 line of two", Files: []record.Path{"a", "c"}}}
	if diff := cmp.Diff(want, h.Subjects); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
