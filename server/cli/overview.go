package cli

import (
	"io"
	"strings"

	"ambit/server/api"
)

// overviewCommand prints what a project is.
type overviewCommand struct {
	workspaceFlags `embed:""`
	Budget         int      `default:"4000" placeholder:"N" help:"The largest number of tokens (default 4000)."`
	JSON           bool     `name:"json" help:"Print JSON."`
	Area           []string `arg:"" optional:"" help:"A part of the project, in words."`
}

// Run prints the overview.
func (c *overviewCommand) Run(a *app) error {
	q := api.OverviewQuestion(strings.Join(c.Area, " "))
	q.Budget, q.PositionEncoding = c.Budget, api.UTF8
	return c.ask(a, &q, c.JSON, func(w api.Workspace) error {
		answer, err := w.Context(a.ctx, q)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(a.out, answer)
		}
		_, err = io.WriteString(a.out, answer.Text)
		return err
	})
}
