package githist_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/githist"
)

// write writes a file of the repository.
func (r *repo) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// save commits everything with a message.
func (r *repo) save(message string) (id string) {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// open opens the repository at a folder of it.
func (r *repo) open(folder string) *githist.Repository {
	r.Helper()
	opened, err := githist.Open(r.Context(), filepath.Join(r.dir, folder))
	if err != nil {
		r.Fatal(err)
	}
	return opened
}

func TestOpenSaysWhyThereIsNoHistory(t *testing.T) {
	r := newRepo(t)
	if _, err := githist.Open(t.Context(), r.dir); !errors.Is(err, githist.ErrNoCommit) {
		t.Errorf("a repository without a commit: got %v", err)
	}
	if _, err := githist.Open(t.Context(), t.TempDir()); !errors.Is(err, githist.ErrNoRepository) {
		t.Errorf("no repository: got %v", err)
	}
	r.write("a", "1\n")
	r.save("one")
	r.write("a", "2\n")
	r.save("two")
	shallow := filepath.Join(t.TempDir(), "shallow")
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, shallow)
	if _, err := githist.Open(t.Context(), shallow); !errors.Is(err, githist.ErrShallow) {
		t.Errorf("a shallow clone: got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := r.open("").Commits(t.Context(), time.Time{}, 9); !errors.Is(err, githist.ErrNoGit) {
		t.Errorf("without git: got %v", err)
	}
}

func TestCommitsHaveMessagesAndFiles(t *testing.T) {
	r := newRepo(t)
	r.write("sub/a", "one\ntwo\nthree\nfour\n")
	r.write("b", "one\n")
	first := r.save("first\n\nwith a body\n\nM\tno file")
	r.git("mv", "sub/a", "sub/c")
	second := r.save("move a")
	r.git("mv", "sub/c", "sub/d")
	r.write("sub/d", "one\ntwo\nthree\nfive\n")
	third := r.save("move c and change it")
	r.git("checkout", "-q", "-b", "side", first)
	r.write("b", "two\n")
	side := r.save("side")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge it", "side")

	type row struct {
		ID, Message string
		Parents     int
		Changes     []githist.Change
	}
	read := func(folder string) map[string]row {
		commits, err := r.open(folder).Commits(t.Context(), time.Time{}, 9)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]row{}
		for _, c := range commits {
			got[c.ID] = row{c.ID, c.Message, len(c.Parents), c.Changes}
		}
		return got
	}
	merge := r.git("rev-parse", "HEAD")
	want := map[string]row{
		merge:  {merge, "merge it\n", 2, nil},
		side:   {side, "side\n", 1, []githist.Change{{Status: 'M', Path: "b", From: "b"}}},
		third:  {third, "move c and change it\n", 1, []githist.Change{{Status: 'R', Path: "sub/d", From: "sub/c"}}},
		second: {second, "move a\n", 1, []githist.Change{{Status: 'R', Same: true, Path: "sub/c", From: "sub/a"}}},
		first: {first, "first\n\nwith a body\n\nM\tno file\n", 0, []githist.Change{
			{Status: 'A', Path: "b", From: "b"}, {Status: 'A', Path: "sub/a", From: "sub/a"}}},
	}
	if diff := cmp.Diff(want, read("")); diff != "" {
		t.Errorf("all commits (-want +got):\n%s", diff)
	}
	delete(want, merge)
	delete(want, side)
	want[third] = row{third, want[third].Message, 1, []githist.Change{{Status: 'R', Path: "d", From: "c"}}}
	want[second] = row{second, want[second].Message, 1, []githist.Change{{Status: 'R', Same: true, Path: "c", From: "a"}}}
	want[first] = row{first, want[first].Message, 0, []githist.Change{{Status: 'A'}, {Status: 'A', Path: "a", From: "a"}}}
	if diff := cmp.Diff(want, read("sub")); diff != "" {
		t.Errorf("commits below a folder (-want +got):\n%s", diff)
	}
}

func TestChangedLinesAreThoseOfTheParent(t *testing.T) {
	r := newRepo(t)
	r.write("sub/a b", "1\n-- 2\n3\n4\n5\n6\n")
	r.write("sub/\u00fc", "1\n2\n")
	r.write("gone", "1\n2\n")
	r.write("outside", "1\n")
	parent := r.save("before")
	r.write("sub/a b", "1\n++ 2\n3\n4\nnew\n5")
	r.write("sub/\u00fc", "0\n1\n2\n")
	r.write("added", "other text\n")
	r.git("rm", "-q", "gone")
	commit := r.save("after")
	read := func(folder string) map[string][]githist.LineRange {
		changed, err := r.open(folder).Changed(t.Context(), parent, commit)
		if err != nil {
			t.Fatal(err)
		}
		return changed
	}
	ab := []githist.LineRange{{First: 2, Last: 2}, {First: 4, Last: 4, Insertion: true}, {First: 5, Last: 6}}
	got := read("")
	if diff := cmp.Diff([]githist.LineRange{{First: 1, Last: 2}}, got["gone"]); diff != "" {
		t.Errorf("a removed file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]githist.LineRange{{Insertion: true}}, got["sub/\u00fc"]); diff != "" {
		t.Errorf("a line at the top (-want +got):\n%s", diff)
	}
	if len(got["added"]) > 0 {
		t.Errorf("an added file has lines %v in the parent", got["added"])
	}
	for path, changed := range map[string][]githist.LineRange{"sub/a b": got["sub/a b"], "a b": read("sub")["a b"]} {
		// git may take the rest of the file for one change or for two
		if len(changed) < 2 || changed[0] != ab[0] || changed[len(changed)-1].Last != 6 {
			t.Errorf("%s: got %v, want about %v", path, changed, ab)
		}
	}
	if len(read("sub")) != 2 {
		t.Errorf("below a folder: got %v, want two files", read("sub"))
	}
}

func TestABorrowedRepositoryEndsAtItsHead(t *testing.T) {
	r := newRepo(t)
	r.write("sub/a", "1\n")
	r.write("sub/deep/b", "bytes\x00")
	first := r.save("first")
	r.write("sub/a", "2\n")
	r.save("second")
	before := r.git("status", "--porcelain") + listing(t, r.dir)

	dir := t.TempDir()
	b, err := r.open("").Borrow(dir)
	if err == nil {
		err = b.SetHead(first)
	}
	if err != nil {
		t.Fatal(err)
	}
	inside := &repo{t, dir}
	if got := inside.git("log", "--format=%s"); got != "first" {
		t.Errorf("got the history %q, want the first commit", got)
	}
	history, err := githist.Read(t.Context(), dir)
	if err != nil || history.Commits != 1 || history.Cut != "" {
		t.Errorf("got %d commits, cut %q and %v, want one", history.Commits, history.Cut, err)
	}
	if err := b.SetHead("../main"); err == nil {
		t.Error("a HEAD that is no commit was set")
	}

	sub := r.open("sub")
	files, err := sub.Files(t.Context(), first)
	if err != nil || len(files) != 2 || files[0].Path != "a" || files[0].Size != 2 || files[1].Path != "deep/b" {
		t.Fatalf("got %v and %v, want a and deep/b", files, err)
	}
	contents, err := sub.Contents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1\n", "bytes\x00"} {
		if got, err := contents.Read(files[i].ID); err != nil || string(got) != want {
			t.Errorf("got %q and %v, want %q", got, err, want)
		}
	}
	if _, err := contents.Read(strings.Repeat("0", 40)); err == nil {
		t.Error("a blob that is not there was read")
	}
	if err := contents.Close(); err != nil {
		t.Error(err)
	}
	if after := r.git("status", "--porcelain") + listing(t, r.dir); after != before {
		t.Errorf("the repository has changed:\n%s\nnow\n%s", before, after)
	}
}

// listing returns the names and sizes of all files below a directory.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && info.Name() != "index" { // git status refreshes it
			b.WriteString(path + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
