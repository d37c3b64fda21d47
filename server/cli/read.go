package cli

import (
	"fmt"
	"io"

	"ambit/server/api"
	"ambit/vectors/record"
)

// unitFlags name a unit.
type unitFlags struct {
	Symbol string         `arg:"" optional:"" help:"A declaration by its name: Cart.Total, or Total."`
	Path   string         `placeholder:"P" help:"The file, directory or pattern in which the declaration is looked for, or the file of --line."`
	Line   int            `placeholder:"N" help:"A line of the declaration, or of --path."`
	ID     record.ChunkID `name:"id" placeholder:"ID" help:"The id of a unit, of the JSON of an earlier answer."`
}

// check reports an error when nothing is named. It makes a path of the working directory
// absolute.
func (u *unitFlags) check(command string) error {
	if u.Symbol == "" && u.Path == "" && u.ID == (record.ChunkID{}) {
		return usagef("nothing is named; give NAME, or --path FILE --line N, or --id ID; ambit %s --help shows examples", command)
	}
	if u.Line < 0 {
		return usagef("--line %d: lines count from 1", u.Line)
	}
	path, err := rooted(u.Path)
	u.Path = path
	return err
}

// readCommand prints the whole text of a unit.
type readCommand struct {
	workspaceFlags `embed:""`
	unitFlags      `embed:""`
	From           int  `placeholder:"N" help:"The line to go on from."`
	Budget         int  `placeholder:"N" help:"The largest number of tokens (default 8000)."`
	JSON           bool `name:"json" help:"Print JSON."`
}

// Help shows examples.
func (*readCommand) Help() string {
	return `Examples:

    ambit read Cart.Total
    ambit read --path server/cart.go --line 42`
}

// Run prints the unit.
func (c *readCommand) Run(a *app) error {
	if err := c.check("read"); err != nil {
		return err
	}
	q := api.ReadQuestion{ID: c.ID, Symbol: c.Symbol, Path: c.Path, Line: c.Line, From: c.From, Budget: c.Budget}
	return c.ask(a, &q, c.JSON, func(w api.Workspace) error {
		u, err := w.Read(a.ctx, q)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return printJSON(a.out, u)
		case len(u.Candidates) > 0:
			return printCandidates(a, c.Symbol, u.Candidates)
		}
		if _, err := io.WriteString(a.out, u.Text); err != nil || u.NextLine == 0 {
			return err
		}
		_, err = fmt.Fprintf(a.err, "ambit: goes on in line %d; use --from %d or a larger --budget\n", u.NextLine, u.NextLine)
		return err
	})
}

// printCandidates prints the declarations that a name may mean.
func printCandidates(a *app, symbol string, all []api.Link) error {
	fmt.Fprintf(a.err, "ambit: %s may be one of these; add --path, and --line if need be:\n", oneLine(symbol))
	for _, l := range all {
		fmt.Fprintf(a.err, "%s:%d  %s %s\n", oneLine(string(l.Path)), l.Line, l.Kind, oneLine(l.Identifier))
	}
	return errShown
}

// impactCommand lists what a change of a declaration touches.
type impactCommand struct {
	workspaceFlags `embed:""`
	unitFlags      `embed:""`
	Limit          int  `placeholder:"N" help:"The largest number of units in each list (default 20)."`
	JSON           bool `name:"json" help:"Print JSON."`
}

// Help shows examples.
func (*impactCommand) Help() string {
	return `Examples:

    ambit impact Cart.Total
    ambit impact --json --path server/cart.go --line 42 | jq '.tests[].path'`
}

// Run prints the lists.
func (c *impactCommand) Run(a *app) error {
	if err := c.check("impact"); err != nil {
		return err
	}
	q := api.ImpactQuestion{ID: c.ID, Symbol: c.Symbol, Path: c.Path, Line: c.Line, Limit: c.Limit}
	return c.ask(a, &q, c.JSON, func(w api.Workspace) error {
		i, err := w.Impact(a.ctx, q)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return printJSON(a.out, i)
		case len(i.Candidates) > 0:
			return printCandidates(a, c.Symbol, i.Candidates)
		}
		_, err = io.WriteString(a.out, i.Text())
		return err
	})
}
