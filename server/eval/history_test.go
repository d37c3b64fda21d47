package eval_test

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

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore/gittest"
	"ambit/server/api"
	"ambit/server/eval"
)

// repo is a repository made by a test.
type repo struct {
	testing.TB
	dir string
	day int
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	gittest.Home(t)
	r := &repo{TB: t, dir: t.TempDir()}
	gittest.Run(t, r.dir, "init", "-q", "-b", "main")
	gittest.Run(t, r.dir, "config", "user.name", "t")
	gittest.Run(t, r.dir, "config", "user.email", "t@t")
	return r
}

// commit writes files, "" removes one, and commits them a day after the last commit.
func (r *repo) commit(message string, files map[string]string) string {
	r.Helper()
	for name, text := range files {
		path := filepath.Join(r.dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && text == "" {
			err = os.Remove(path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			r.Fatal(err)
		}
	}
	r.day++
	r.Setenv("GIT_COMMITTER_DATE", time.Date(2026, 1, r.day, 0, 0, 0, 0, time.UTC).Format(time.RFC3339))
	gittest.Run(r, r.dir, "add", "-A")
	gittest.Run(r, r.dir, "commit", "-q", "--allow-empty", "-m", message)
	return strings.TrimSpace(gittest.Run(r, r.dir, "rev-parse", "HEAD"))
}

// function returns a file of Go with one function, at a version.
func function(name string, version int) string {
	return fmt.Sprintf("package p\n\n// %s is about %s.\nfunc %s() int {\n\treturn %d\n}\n", name, strings.ToLower(name), name, version)
}

// animals is a repository with a file for each animal, each changed by one commit.
func animals(t testing.TB) *repo {
	r := newRepo(t)
	names := []string{"Lion", "Tiger", "Zebra", "Camel", "Otter", "Koala"}
	files := map[string]string{"README.md": "# Animals\n", "lion_test.go": "package p\n"}
	for _, name := range names {
		files["zoo/"+strings.ToLower(name)+".go"] = function(name, 1)
	}
	r.commit("Add all the animals", files)
	for i, name := range names {
		r.commit(fmt.Sprintf("The %s counts two (#%d)", name, i), map[string]string{"zoo/" + strings.ToLower(name) + ".go": function(name, 2)})
	}
	r.commit("Revert \"The Lion counts two\"", map[string]string{"zoo/lion.go": function("Lion", 1)})
	r.commit("Bump the lion to 2", map[string]string{"zoo/lion.go": function("Lion", 3)})
	r.commit("fix lion", map[string]string{"zoo/lion.go": function("Lion", 4)})
	r.commit("The Lion counts two", map[string]string{"zoo/lion.go": function("Lion", 5)})
	r.commit("Write about the lion", map[string]string{"README.md": "# Lion\n", "lion_test.go": "package q\n"})
	r.commit("Add a new animal, the gnu", map[string]string{"zoo/gnu.go": function("Gnu", 1)})
	return r
}

// workspace is a workspace that finds nothing, and notes what it could find.
type workspace struct {
	root  string
	seen  []string // at each index: the last commit and the files of the tree
	asked []string
	stop  context.CancelFunc // called by the third question, unless nil
}

func (w *workspace) Index(ctx context.Context, _ func(api.Progress)) (api.Report, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", w.root, "log", "-1", "--format=%s").Output()
	if err != nil {
		return api.Report{}, err
	}
	var all strings.Builder
	all.Write(out)
	err = filepath.Walk(w.root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	w.seen = append(w.seen, all.String())
	return api.Report{}, err
}

func (w *workspace) Search(ctx context.Context, q api.SearchQuestion) (*api.Matches, error) {
	if w.asked = append(w.asked, q.Query); len(w.asked) == 3 && w.stop != nil {
		w.stop()
	}
	return &api.Matches{}, ctx.Err()
}

func (w *workspace) Context(ctx context.Context, q api.Question) (*api.Answer, error) {
	return &api.Answer{Sources: []api.Source{{Path: "zoo/lion.go", Ranges: [][2]int{{4, 6}}}}, Tokens: 100}, ctx.Err()
}

// open returns an opener of w.
func (w *workspace) open(_ context.Context, root, _ string) (eval.Workspace, func() error, error) {
	w.root = root
	return w, func() error { return nil }, nil
}

func TestEachCommitIsAskedInTheTreeBeforeIt(t *testing.T) {
	r, w := animals(t), &workspace{}
	before := gittest.Run(t, r.dir, "for-each-ref")
	d, err := eval.NewDraw(t.Context(), r.dir, eval.DrawOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Run(t.Context(), r.dir, t.TempDir(), w.open, eval.Options{Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]api.CommitsLeft{
		{Reason: "reverts", Commits: 1}, {Reason: "version and dependency bumps", Commits: 1}, {Reason: "subject of fewer than three words", Commits: 1},
		{Reason: "subject of a later commit", Commits: 1}, {Reason: "documents, tests or data only", Commits: 1},
		{Reason: "new source files only", Commits: 2},
	}, got.Commits.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	want := []string{"The Tiger counts two", "The Zebra counts two", "The Camel counts two", "The Otter counts two", "The Koala counts two", "The Lion counts two"}
	if diff := cmp.Diff(want, w.asked); diff != "" {
		t.Errorf("asked, the earliest first (-want +got):\n%s", diff)
	}
	for i, seen := range w.seen {
		animal := strings.Fields(w.asked[i])[1]
		if head, _, _ := strings.Cut(seen, "\n"); i < 5 && strings.Contains(head, animal) {
			t.Errorf("%s: the history has its own commit: %s", w.asked[i], head)
		}
		if i < 5 && !strings.Contains(seen, function(animal, 1)) || i == 5 && !strings.Contains(seen, function(animal, 4)) {
			t.Errorf("%s: the tree is not the one before the commit:\n%s", w.asked[i], seen)
		}
	}
	first := got.Results[0]
	if first.Question != "The Lion counts two" || len(first.Expected) != 1 || !cmp.Equal(first.Expected[0], api.ExpectedPlace{
		Path: "zoo/lion.go", Names: []string{"Lion"}, BM25: 1, Grep: 1}) || first.Recall != 1 {
		t.Errorf("got the first result %+v, want the lion, the first for BM25 and grep, its line in the answer", first)
	}
	if bm25 := got.Retrievers[2]; bm25.Files.Acc1.Mean != 1 || bm25.Functions != nil || bm25.Lines.Files.Mean != 1 {
		t.Errorf("got %+v for BM25, want every file first, and nothing about functions", bm25)
	}
	for _, s := range got.Strategies {
		if s.Files.Acc1.Mean != 1 || s.Functions == nil || s.Functions.Acc1.Mean != 1 || s.Chunks == 0 {
			t.Errorf("got %+v for %s, want every file and function first", s, s.Name)
		}
	}
	if ambit := got.Retrievers[1]; ambit.Lines.Recall.Mean != round4(1./6) || got.Questions != 6 || got.Functions != 6 {
		t.Errorf("got %+v for six questions, want one line of six", ambit.Lines)
	}
	if after := gittest.Run(t, r.dir, "for-each-ref"); after != before || gittest.Run(t, r.dir, "status", "--porcelain") != "" {
		t.Error("the repository has changed")
	}
}

func round4(v float64) float64 { return float64(int(v*1e4+.5)) / 1e4 }

func TestAnInterruptEndsTheEvaluation(t *testing.T) {
	r := animals(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := eval.NewDraw(ctx, r.dir, eval.DrawOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{stop: cancel}
	if _, err := d.Run(ctx, r.dir, t.TempDir(), w.open, eval.Options{Budget: 1000}); !errors.Is(err, context.Canceled) || len(w.asked) != 3 {
		t.Errorf("got %v after %d questions, want a cancellation after the third", err, len(w.asked))
	}
}

func TestAFolderIsAskedAboutItsOwnFiles(t *testing.T) {
	r, w := animals(t), &workspace{}
	root := filepath.Join(r.dir, "zoo")
	d, err := eval.NewDraw(t.Context(), root, eval.DrawOptions{Commits: 5, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Run(t.Context(), root, t.TempDir(), w.open, eval.Options{Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if got.Questions != 5 || got.Commits.Apt != 6 || got.Results[0].Expected[0].Path != "lion.go" && got.Results[0].Expected[0].Path != "koala.go" {
		t.Errorf("got %d questions of %d, the latest about %s", got.Questions, got.Commits.Apt, got.Results[0].Expected[0].Path)
	}
	if strings.Contains(w.seen[0], "# Animals") {
		t.Error("the tree has a file from outside of the folder")
	}
}

func TestTheSeedDecidesTheDraw(t *testing.T) {
	r := animals(t)
	asked := func(seed uint64) string {
		w := &workspace{}
		d, err := eval.NewDraw(t.Context(), r.dir, eval.DrawOptions{Commits: 3, Seed: seed})
		if err == nil {
			_, err = d.Run(t.Context(), r.dir, t.TempDir(), w.open, eval.Options{Budget: 1000})
		}
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(w.asked, ";")
	}
	one, different := asked(1), false
	if again := asked(1); again != one {
		t.Errorf("got %q and then %q", one, again)
	}
	for seed := range uint64(8) {
		different = different || asked(seed) != one
	}
	if !different {
		t.Error("all seeds draw the same commits")
	}
}

func TestTooLittleHistorySaysWhatIsLeftOut(t *testing.T) {
	r := newRepo(t)
	r.commit("Add the lion file", map[string]string{"lion.go": function("Lion", 1)})
	r.commit("Write about the lion", map[string]string{"README.md": "# Lion\n"})
	_, err := eval.NewDraw(t.Context(), r.dir, eval.DrawOptions{})
	want := "too little history: of 2 commits, 0 can be asked about and 5 are needed; " +
		"left out: documents, tests or data only (1), new source files only (1)"
	if !errors.Is(err, eval.ErrFew) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A path of a past tree may lead into a repository or be a link.
func TestAHostileTreeStaysInItsDirectory(t *testing.T) {
	r := animals(t)
	if err := os.Symlink("/etc", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, r.dir, "add", "-A")
	gittest.Run(t, r.dir, "commit", "-q", "-m", "Add a link to the system")
	r.commit("The Tiger counts three now", map[string]string{"zoo/tiger.go": function("Tiger", 3)})
	d, err := eval.NewDraw(t.Context(), r.dir, eval.DrawOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, scratch := &workspace{}, t.TempDir()
	if _, err := d.Run(t.Context(), r.dir, scratch, w.open, eval.Options{Budget: 1000}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(scratch, "tree", "link")); !os.IsNotExist(err) {
		t.Errorf("the link was written: %v", err)
	}
}

func TestQuestionsOfAFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"lion.go": function("Lion", 1), "tiger.go": function("Tiger", 1), "both.go": "package p\n\ntype A struct{}\n\nfunc (A) Run() {}\n\ntype B struct{}\n\nfunc (B) Run() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(text string) (*api.Evaluation, error) {
		file := filepath.Join(t.TempDir(), "questions.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := eval.ReadQuestions(file)
		if err != nil {
			return nil, errors.New(strings.ReplaceAll(err.Error(), file, "FILE"))
		}
		return eval.Ask(t.Context(), dir, &quiet{}, list, eval.Options{Budget: 1000})
	}
	got, err := ask(`
- question: about the lion
  expect: [lion.go]
- {question: the tiger, expect: ["tiger.go:5"]}
- {question: run, expect: ["A.Run", "both.go#B.Run", "lion.go:1-2"]}
`)
	if err != nil {
		t.Fatal(err)
	}
	var places [][]api.ExpectedPlace
	for _, r := range got.Results {
		places = append(places, r.Expected)
	}
	want := [][]api.ExpectedPlace{
		{{Path: "lion.go", BM25: 1, Grep: 1}},
		{{Path: "tiger.go", Names: []string{"Tiger"}, BM25: 1, Grep: 1}},
		{{Path: "both.go", Names: []string{"A.Run", "B.Run"}, BM25: 1, Grep: 1}, {Path: "lion.go"}},
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if json, err := ask(`[{"question": "about the lion", "expect": ["lion.go"]}]`); err != nil || json.Questions != 1 {
		t.Errorf("as JSON: got %v", err)
	}
	const form = "; write a list of {question: TEXT, expect: [PLACE, …]}"
	for _, tt := range []struct{ text, want string }{
		{"", "FILE has no question" + form},
		{"[", "read the questions of FILE: line 1: sequence end token ']' not found" + form},
		{"- {question: x, expected: [y]}", `read the questions of FILE: line 1: unknown field "expected"` + form},
		{"- {question: '', expect: [y]}", "FILE: question 1 has no text; give its question"},
		{"- {question: x}", "FILE: question 1 expects nothing; list paths, path:line or names under expect"},
		{"- {question: x, expect: [a/b.go]}", `question 1: there is no file "a/b.go"; name it relative to the workspace`},
		{"- {question: x, expect: [../lion.go]}", `question 1: there is no file "../lion.go"; name it relative to the workspace`},
		{"- {question: x, expect: [Gnu]}", `question 1: there is no file and no declaration "Gnu"; write a path relative to the workspace, or path:line`},
		{"- {question: x, expect: ['lion.go:x']}", `question 1: "lion.go:x" has no lines behind its colon; write path:12 or path:12-20`},
		{"- {question: x, expect: ['lion.go:7-6']}", `question 1: "lion.go:7-6" has no lines behind its colon; write path:12 or path:12-20`},
		{"- {question: x, expect: ['lion.go#Tiger']}", "question 1: lion.go declares no Tiger; write path:line"},
		{"- {question: x, expect: [Run]}", "question 1: 2 declarations are named Run (both.go:5, both.go:9); write path#name or path:line"},
	} {
		if _, err := ask(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.text, err, tt.want)
		}
	}
	if _, err := eval.ReadQuestions(filepath.Join(dir, "none.yaml")); err == nil || !strings.HasSuffix(err.Error(), "; give a file that you can read") {
		t.Errorf("without the file: got %v", err)
	}
}

// quiet is a workspace that finds nothing.
type quiet struct{}

func (*quiet) Index(context.Context, func(api.Progress)) (api.Report, error) {
	return api.Report{}, nil
}
func (*quiet) Search(context.Context, api.SearchQuestion) (*api.Matches, error) {
	return &api.Matches{}, nil
}
func (*quiet) Context(context.Context, api.Question) (*api.Answer, error) { return &api.Answer{}, nil }

var _ eval.Workspace = api.Workspace(nil)
