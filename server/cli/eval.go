package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ambit/server/api"
	"ambit/server/eval"
	"ambit/server/scheduler"
	"ambit/server/session"
	"ambit/server/workspace"
)

// evalCommand measures how well ambit works on the user's own repository.
type evalCommand struct {
	workspaceFlags `embed:""`
	Commits        int    `placeholder:"N" help:"Ask about so many commits (default: as many as take about two minutes, at most 100)."`
	Since          string `placeholder:"DATE" help:"Ask about no commit before this date, 2025-01-31."`
	MaxFiles       int    `default:"10" placeholder:"N" help:"Leave out commits that change more files (default 10)."`
	Seed           uint64 `default:"1" placeholder:"N" help:"Draw other commits (default 1)."`
	Questions      string `placeholder:"FILE" help:"Ask the questions of a YAML or JSON file instead, in the workspace as it is."`
	Budget         int    `default:"8000" placeholder:"N" help:"Tokens of an answer (default 8000)."`
	JSON           bool   `name:"json" help:"Print JSON, with the ranks for each question."`
}

// Help explains what is measured.
func (*evalCommand) Help() string {
	return `A commit's message is a question; what it expects are the source files, functions and lines that the
commit changed. Each is asked in the tree before the commit, with the history before it, laid out in your
cache directory and removed afterwards. Left out: merges, reverts, version bumps, commits of many files or
of documents and tests only. Nothing of the repository is written or run, and nothing is sent.

A file of questions is a list; a place is a path, path:line, path:first-last, a name or path#name:

    - question: how are sessions renewed?
      expect: [server/session.go, "server/token.go:42", "Session.Renew"]

Examples:

    ambit eval
    ambit eval --commits 20 --since 2025-01-01
    ambit eval --questions questions.yaml
    ambit eval --json | jq '.results[] | select(.expected[0].rank != 1)'`
}

// Run evaluates.
func (c *evalCommand) Run(a *app) error {
	switch {
	case c.Commits < 0:
		return usagef("--commits %d: use a number of commits, 1 or more", c.Commits)
	case c.MaxFiles < 1:
		return usagef("--max-files %d: use a number of files, 1 or more", c.MaxFiles)
	case c.Budget < 200:
		return usagef("--budget %d: use a number of tokens, 200 or more", c.Budget)
	case c.Questions != "" && (c.Commits != 0 || c.Since != ""):
		return usagef("--questions asks about no commits; leave --commits and --since out")
	}
	since, err := parseDay(c.Since)
	if err != nil {
		return err
	}
	t, err := c.target(a, ".")
	if err != nil {
		return err
	}
	defer scheduler.OfEvaluation.Keep()()
	bar := newProgress(a, false)
	defer bar.end()
	o := c.options(&t, bar)
	var result *api.Evaluation
	if c.Questions != "" {
		result, err = c.ask(a, t, o)
	} else {
		result, err = c.history(a, t, o, eval.DrawOptions{Commits: c.Commits, Since: since, MaxFiles: c.MaxFiles, Seed: c.Seed})
	}
	bar.end()
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(a.out, result)
	}
	return printEvaluation(a.out, result)
}

// parseDay reads a date, or the zero time from "".
func parseDay(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, usagef("--since %s: write a date as 2025-01-31", text)
	}
	return day, nil
}

// options returns the options of an evaluation by the settings of the workspace.
func (c *evalCommand) options(t *target, bar *progress) eval.Options {
	var mu sync.Mutex // the index and the chunks for comparison are made side by side
	return eval.Options{
		Seed: c.Seed, Budget: c.Budget, Encoding: t.settings.Encoding,
		Watch: session.WatchOptions(t.settings),
		Chunk: session.ChunkOptions(t.settings),
		Progress: func(done float64, doing string) {
			mu.Lock()
			defer mu.Unlock()
			bar.step(done, doing)
		},
	}
}

// ask asks the questions of a file in the workspace as it is.
func (c *evalCommand) ask(a *app, t target, o eval.Options) (result *api.Evaluation, err error) {
	list, err := eval.ReadQuestions(c.Questions)
	if err != nil {
		return nil, err
	}
	err = c.with(a, t, session.Options{Encoding: o.Encoding}, func(w api.Workspace) (err error) {
		result, err = eval.Ask(a.ctx, t.root, w, list, o)
		return err
	})
	return result, err
}

// history asks about commits, in a scratch directory that it removes.
func (c *evalCommand) history(a *app, t target, o eval.Options, draw eval.DrawOptions) (result *api.Evaluation, err error) {
	d, err := eval.NewDraw(a.ctx, t.root, draw)
	if err != nil {
		return nil, eval.NextStep(err)
	}
	drawn, apt := d.Commits()
	fmt.Fprintf(a.err, "ambit: %s of %d that can be asked about: about %s\n", count(drawn, "commit"), apt, roughly(d.Estimate()))
	scratch, remove, err := workspace.Scratch(t.settings.CacheDir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	result, err = d.Run(a.ctx, t.root, scratch, func(ctx context.Context, root, index string) (eval.Workspace, func() error, error) {
		s, err := session.Open(ctx, root, session.Options{Settings: &t.settings, Index: index, Encoding: o.Encoding})
		if err != nil {
			return nil, nil, err
		}
		w := soleClient{s.NewClient(), s}
		return w, w.Close, nil
	}, o)
	return result, eval.NextStep(err)
}
