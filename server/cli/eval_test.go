package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore/gittest"
	"ambit/server/api"
	"ambit/server/cli"
)

// interrupter cancels when something is written, as a user does who reads it.
type interrupter struct {
	strings.Builder
	cancel context.CancelFunc
}

func (w *interrupter) Write(p []byte) (int, error) {
	w.cancel()
	return w.Builder.Write(p)
}

func TestAnInterruptedEvaluationLeavesNothing(t *testing.T) {
	gittest.Home(t)
	cache, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	gittest.Run(t, dir, "init", "-q")
	for _, word := range strings.Fields("zero one two three four five six") {
		if err := os.WriteFile(filepath.Join(dir, "count.go"), []byte("package count\n\nconst Word = \""+word+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		gittest.Run(t, dir, "add", "-A")
		gittest.Run(t, dir, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "Count up to "+word)
	}
	stale := filepath.Join(cache, "ambit", "evaluation-123") // of a process that was killed
	if err := os.MkdirAll(filepath.Join(stale, "tree"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var stdout strings.Builder
	stderr := &interrupter{cancel: cancel}
	code := cli.Run(ctx, []string{"eval", "--root", dir}, &stdout, stderr)
	want := "ambit: 6 commits of 6 that can be asked about: about 1 s\nambit: interrupted\n"
	if code != 1 || stderr.String() != want || stdout.String() != "" {
		t.Errorf("got exit code %d, standard error %q and output %q, want 1 and %q", code, stderr.String(), &stdout, want)
	}
	left, err := os.ReadDir(filepath.Join(cache, "ambit"))
	if err != nil || len(left) > 0 {
		t.Errorf("got %v in the cache and %v, want nothing", left, err)
	}
}

func TestTheTablesOfAnEvaluation(t *testing.T) {
	f := func(mean, low, high float64) api.Figure { return api.Figure{N: 20, Mean: mean, Low: low, High: high} }
	ranks := api.Ranks{Acc1: f(.1, 0, .25), Acc5: f(.45, .2, .7), Acc10: f(1, 1, 1), Rec10: f(.6, .5, .7), MRR: f(.333, .2, .5), NDCG10: f(.5, .4, .6)}
	lines := api.Reading{Files: f(.9, .8, 1), Recall: f(.5, .4, .6), Precision: f(.012, .01, .014), Tokens: f(7801.4, 7000, 8000), PerTokens: f(1.25, 1, 1.5)}
	e := &api.Evaluation{
		Root: "/src/app", Questions: 20, Functions: 18, Seed: 3, Budget: 4000,
		Commits: &api.EvaluatedCommits{Read: 300, Apt: 80, Asked: 20, First: "2024-01-02", Last: "2025-11-30", LeftOut: []api.CommitsLeft{
			{Reason: "merges", Commits: 100}, {Reason: "reverts", Commits: 3}, {Reason: "too many files", Commits: 7}, {Reason: "new source files only", Commits: 9}}},
		Retrievers: []api.Retrieval{{Name: "ambit search", Files: ranks, Functions: &ranks, Lines: lines}, {Name: "grep", Files: ranks, Lines: lines}},
		Gain:       api.Ranks{Acc1: f(.1, -.05, .25), Acc5: f(-.02, -.1, .06), Acc10: f(0, 0, 0), MRR: f(.05, .01, .09), NDCG10: f(.04, .01, .07)},
		Strategies: []api.Retrieval{{Name: "ambit", Files: ranks, Functions: &ranks, Lines: lines, Chunks: 1234, ChunkSize: 210}, {Name: "whole file", Files: ranks, Lines: lines, Chunks: 99, ChunkSize: 2000}},
		Formats:    []api.FormatOverhead{{Format: api.Plain, Tokens: f(2500, 2400, 2600), Share: f(.345, .3, .4), PerSource: f(52.4, 50, 55)}},
	}
	var b strings.Builder
	if err := cli.PrintEvaluation(&b, e); err != nil {
		t.Fatal(err)
	}
	want := `20 commits of 2024-01-02 to 2025-11-30, of 80 that can be asked about among the last 300 (seed 3).
Left out: merges (100), reverts (3), too many files (7),
  new source files only (9).
A figure is the mean over the questions with its 95 % interval.

  Files                           Acc@1               Acc@5            Acc@10            MRR        NDCG@10
  ambit search            .10 (.00-.25)       .45 (.20-.70)  1.00 (1.00-1.00)  .33 (.20-.50)  .50 (.40-.60)
  grep                    .10 (.00-.25)       .45 (.20-.70)  1.00 (1.00-1.00)  .33 (.20-.50)  .50 (.40-.60)
  search beyond BM25  .10 (-.05 to .25)  -.02 (-.10 to .06)     .00 (.00-.00)  .05 (.01-.09)  .04 (.01-.07)

  Functions (18 questions)          Acc@1          Acc@5            Acc@10            MRR         Rec@10
  ambit search              .10 (.00-.25)  .45 (.20-.70)  1.00 (1.00-1.00)  .33 (.20-.50)  .60 (.50-.70)

  Within 4000 tokens           files    lines found        precision       in 1,000  tokens
  ambit search        .90 (.80-1.00)  .50 (.40-.60)  1.2 % (1.0-1.4)  1.2 (1.0-1.5)    7801
  grep                .90 (.80-1.00)  .50 (.40-.60)  1.2 % (1.0-1.4)  1.2 (1.0-1.5)    7801

  Ways to cut          Acc@5            MRR      fn Rec@10    lines found  chunks  tokens each
  ambit        .45 (.20-.70)  .33 (.20-.50)  .60 (.50-.70)  .50 (.40-.60)    1234          210
  whole file   .45 (.20-.70)  .33 (.20-.50)              -  .50 (.40-.60)      99         2000

  Formats  tokens beyond the code  of the text  for a source
  plain          2500 (2400-2600)       34.5 %    52 (50-55)

Acc@k      all files (functions) that the commit changed are among the first k
Rec@10     the share of them that is among the first ten
MRR        1 divided by the rank of the first of them
precision  the share of the lines shown that the commit changed; in 1,000: those lines in 1,000 tokens
Ways to cut are searched by the same plain search (words and vectors fused), without ambit's ranker.
--json has more figures, and the ranks for each question.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
