package session_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
)

// git runs git in the tree.
func (w *tree) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// nOther is the number of files that a branch changes; the branch also adds one file and
// removes one.
const nOther = 20

// branches returns a repository with two branches, main and other. Other changes, adds
// and removes files of main.
func branches(t *testing.T) *tree {
	t.Helper()
	files := project(60)
	delete(files, ".git/HEAD")
	w := newTree(t, files)
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "main")
	w.git("checkout", "-q", "-b", "other")
	for i := range nOther {
		path := fmt.Sprintf("pkg%d/file%d.go", i%5, i)
		w.write(path, files[path]+fmt.Sprintf("\n// Other%d is of the other branch.\nfunc Other%d() {}\n", i, i))
	}
	w.remove("pkg4/file39.go")
	w.write("pkg0/file65.go", "package pkg0\n\nfunc Part65() {}\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "other")
	w.git("checkout", "-q", "main")
	return w
}

func TestSwitchingBackToABranchEmbedsNothing(t *testing.T) {
	w := branches(t)
	s := w.open()
	index(t, s)
	first := held(t, s)
	w.git("checkout", "-q", "other")
	there := index(t, s)
	if there.Embedded == 0 || there.Recalled != 0 || there.Indexed != 1+nOther || there.Removed != 1 {
		t.Errorf("other for the first time: got %+v, want 21 files indexed and one removed", there)
	}
	other := held(t, s)
	for range 2 {
		w.git("checkout", "-q", "main")
		if back := index(t, s); back.Embedded != 0 || back.Recalled != 1+nOther || back.Indexed != 1+nOther {
			t.Errorf("back: got %+v, want 21 files recalled and nothing embedded", back)
		}
		if diff := cmp.Diff(first, held(t, s)); diff != "" {
			t.Errorf("back (-before +after):\n%s", diff)
		}
		w.git("checkout", "-q", "other")
		if again := index(t, s); again.Embedded != 0 || again.Recalled != 1+nOther {
			t.Errorf("other again: got %+v, want 21 files recalled and nothing embedded", again)
		}
		if diff := cmp.Diff(other, held(t, s)); diff != "" {
			t.Errorf("there again (-before +after):\n%s", diff)
		}
	}
	memory := status(t, s).Memory
	if memory.Recalled != 4*(1+nOther) || memory.Revisions != 1+nOther || memory.RevisionBytes == 0 {
		t.Errorf("got %+v, want the counts of recalled files and of stored revisions", memory)
	}
}

// rails returns an application of n models. The first ten include one concern, and each
// model is associated with the next.
func rails(n int) map[string]string {
	files := map[string]string{"app/models/concerns/trackable.rb": "module Trackable\n  extend ActiveSupport::Concern\n\n  def track!(at)\n    update!(at: at)\n  end\nend\n"}
	for i := range n {
		concern := ""
		if i < 10 {
			concern = "  include Trackable\n"
		}
		files[fmt.Sprintf("app/models/part%d.rb", i)] = fmt.Sprintf("class Part%d < ApplicationRecord\n%s  has_many :others, class_name: \"Part%d\"\n%s  def total = others.sum(:n)\nend\n",
			i, concern, (i+1)%n, strings.Repeat("  validates :name, presence: true\n", 110))
	}
	return files
}

// A concern changes the chunks of its includers, which a branch does not change. When
// the branch is checked out again, these chunks come from the revision cache.
func TestChangedConcernEmbedsItsIncludersOnce(t *testing.T) {
	const concern, one = "app/models/concerns/trackable.rb", "app/models/part3.rb"
	files := rails(30)
	w := newTree(t, files)
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "main")
	w.git("checkout", "-q", "-b", "other")
	w.write(concern, strings.ReplaceAll(files[concern], "track!", "retrace!"))
	w.write(one, strings.ReplaceAll(files[one], "Part4", "Part20"))
	w.git("commit", "-q", "-a", "-m", "other")
	w.git("checkout", "-q", "main")
	s := w.open()
	if report := index(t, s); report.Enriched != 0 || report.Indexed != len(files) {
		t.Errorf("at first: got %+v, want each file written once", report)
	}
	first := cut(t, s, files)
	w.git("checkout", "-q", "other")
	// The 24 chunks are the concern, the summary and the inlined copy of each of ten
	// includers, and the associations of parts 3, 4 and 20.
	there := index(t, s)
	if there.Indexed != 2 || there.Enriched != 9+1 || there.Embedded != 1+2*10+3 {
		t.Errorf("other: got %+v, want two files indexed, ten enriched and 24 chunks embedded", there)
	}
	other := cut(t, s, files)
	for range 2 {
		w.git("checkout", "-q", "main")
		if back := index(t, s); back.Embedded != 0 || back.Indexed != 2 || back.Enriched != 10 {
			t.Errorf("back: got %+v, want ten files enriched and nothing embedded", back)
		}
		if diff := cmp.Diff(first, cut(t, s, files)); diff != "" {
			t.Errorf("back (-before +after):\n%s", diff)
		}
		w.git("checkout", "-q", "other")
		if again := index(t, s); again.Embedded != 0 || again.Indexed != 2 || again.Enriched != 10 {
			t.Errorf("other again: got %+v, want ten files enriched and nothing embedded", again)
		}
		if diff := cmp.Diff(other, cut(t, s, files)); diff != "" {
			t.Errorf("there again (-before +after):\n%s", diff)
		}
	}
}

// cut returns the chunks of files, with what they quote from other files.
func cut(t *testing.T, s *opened, files map[string]string) map[string][]api.Chunk {
	t.Helper()
	all := map[string][]api.Chunk{}
	for path := range files {
		chunks, err := s.Chunks(t.Context(), chunksOf(path))
		if err != nil {
			t.Fatal(err)
		}
		all[path] = chunks.Chunks
	}
	return all
}

func TestSecondWorktreeEmbedsOnlyChangedFiles(t *testing.T) {
	w := branches(t)
	s := w.openIn()
	index(t, s) // the session stays open
	same := &tree{t, filepath.Join(t.TempDir(), "same"), w.cache}
	w.git("clone", "-q", w.dir, same.dir)
	if report := index(t, same.openIn()); report.Embedded != 0 || report.Indexed != 0 {
		t.Errorf("a clone: got %+v, want nothing indexed", report)
	}
	other := &tree{t, filepath.Join(t.TempDir(), "other"), w.cache}
	w.git("worktree", "add", "-q", other.dir, "other")
	two := other.openIn()
	report := index(t, two)
	if report.Indexed != 1+nOther || report.Removed != 1 || report.Embedded != report.Indexed {
		t.Errorf("a worktree of another branch: got %+v, want 21 files indexed and one removed", report)
	}
	got := held(t, two)
	other.cache = t.TempDir()
	three := other.openIn()
	index(t, three)
	if diff := cmp.Diff(held(t, three), got); diff != "" {
		t.Errorf("the worktree (-fresh +got):\n%s", diff)
	}
}

func TestTouchAndReindexEmbedNothing(t *testing.T) {
	w := newTree(t, project(10))
	s := w.open()
	index(t, s)
	w.write("pkg1/file1.go", project(10)["pkg1/file1.go"])
	if report := index(t, s); report.Embedded != 0 || report.Indexed != 0 {
		t.Errorf("touched: got %+v, want nothing indexed", report)
	}
	before := status(t, s).Memory
	if _, err := s.Reindex(t.Context(), api.ReindexQuestion{}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	after := status(t, s).Memory
	if after.Embedded != before.Embedded || after.Kept == before.Kept || after.Revisions != 0 {
		t.Errorf("after Reindex: got %+v after %+v, want all chunks kept", after, before)
	}
}
