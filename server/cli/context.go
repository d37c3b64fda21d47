package cli

import (
	"cmp"
	"errors"
	"os"
	"strings"
	"time"

	"ambit/server/assemble"
	"ambit/server/attach"
	"ambit/server/config"
	"ambit/server/format"
	"ambit/server/session"
	"ambit/server/tokens"
)

// contextCommand prints what belongs with a place or a question.
type contextCommand struct {
	workspace   `embed:""`
	Place       string   `arg:"" optional:"" name:"file:line:col" help:"A place in the code: lines and columns count from 1, columns in bytes. FILE is relative to the working directory or to the workspace."`
	Query       string   `placeholder:"TEXT" help:"A question in words, instead of a place."`
	Budget      *int     `placeholder:"N" help:"Tokens the text may take, mark-up included (default 8000; 20000 for a question about documents)."`
	Format      string   `placeholder:"F" help:"xml, markdown, plain, human or json. By default human on a terminal and plain in a pipe."`
	JSON        bool     `name:"json" help:"Print the whole answer as JSON; its text is in the format of --format."`
	ContextMode string   `placeholder:"M" help:"What stands beside the code of a unit: none, minimal (what and where it is) or full (also relevance, change frequency, dependents and arrows; the default)."`
	Pin         []string `placeholder:"ID" help:"Always show the source with this id (of the JSON of an earlier answer); again for another one."`
	Drop        []string `placeholder:"ID" help:"Never show the source with this id."`
	Encoding    string   `placeholder:"E" help:"What tokens are counted in: o200k_base, cl100k_base or ratio."`
}

// Help shows the command at work.
func (*contextCommand) Help() string {
	return `Examples:

    ambit context server/cart.go:42:10
    ambit context --query "how are sessions renewed?" --budget 4000
    ambit context --format markdown main.py:7:5 | pbcopy
    ambit context --json src/app.ts:10:3 | jq '.sources[].identifier'

The text never takes more than the budget. What did not fit is in the JSON, under "omitted".`
}

// Run answers.
func (c *contextCommand) Run(a *app) error {
	question, dir, err := c.question()
	if err != nil {
		return err
	}
	t, err := c.target(a, dir)
	if err != nil {
		return err
	}
	shown, err := c.choose(a, &question, t.settings)
	if err != nil {
		return err
	}
	s, err := c.current(a, t, session.Options{Encoding: question.Encoding}, shown == format.JSON)
	if err != nil {
		return err
	}
	return errors.Join(c.answer(a, s, question, shown), s.Close())
}

// question reads what is asked and tells where the search for its workspace begins.
func (c *contextCommand) question() (session.Question, string, error) {
	switch {
	case c.Place != "" && c.Query != "":
		return session.Question{}, "", usagef("a place and --query are two questions; give one of them")
	case c.Place != "":
		p, err := parsePlace(c.Place)
		return session.Question{File: p.file, Line: p.line, Column: p.column}, near(p.file), err
	case strings.TrimSpace(c.Query) != "":
		return session.Question{Query: c.Query}, ".", nil
	}
	return session.Question{}, "", usagef("nothing is asked; give FILE:LINE:COL or --query TEXT, ambit context --help shows examples")
}

// choose sets the budget, the encoding and the format of the question from the
// flags and the settings, and returns the format in which the answer is shown.
func (c *contextCommand) choose(a *app, q *session.Question, set config.Settings) (format.Style, error) {
	if c.Budget != nil {
		if *c.Budget < 1 {
			return 0, usagef("--budget %d: %w", *c.Budget, assemble.ErrBudget)
		}
		q.Budget = *c.Budget
	}
	q.Pin, q.Drop = c.Pin, c.Drop
	switch q.Context = assemble.ContextMode(c.ContextMode); q.Context {
	case "", assemble.ContextNone, assemble.ContextMinimal, assemble.ContextFull:
	default:
		return 0, usagef("--context-mode %q: use none, minimal or full", c.ContextMode)
	}
	q.Encoding = cmp.Or(c.Encoding, set.Encoding)
	if _, err := tokens.New(q.Encoding); err != nil {
		return 0, usageError{err}
	}
	style := format.Plain
	name := cmp.Or(c.Format, set.Format)
	switch {
	case name != "":
		var err error
		if style, err = format.Parse(name); err != nil {
			return 0, usageError{err}
		}
	case a.outIsTerminal && !c.JSON:
		style = format.Human
	}
	if style == format.Human && a.outIsTerminal && os.Getenv("NO_COLOR") == "" {
		style = format.HumanColour
	}
	q.Cost = format.Cost(style)
	if c.JSON {
		return format.JSON, nil
	}
	return style, nil
}

// answer asks the session and prints.
func (c *contextCommand) answer(a *app, s *attach.Client, q session.Question, shown format.Style) error {
	start := time.Now()
	if q.File != "" {
		path, err := locate(s, q.File)
		if err != nil {
			return err
		}
		q.File = path
	}
	bundle, err := s.Context(a.ctx, q)
	if err != nil {
		return err
	}
	err = format.Render(a.out, bundle, shown)
	c.timing(a, "answer", start)
	return err
}
