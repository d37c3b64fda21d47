package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"ambit/server/api"
	"ambit/server/session"
	"ambit/vectors/record"
)

// searchCommand finds code and prose by words.
type searchCommand struct {
	workspaceFlags `embed:""`
	Limit          int      `default:"10" placeholder:"N" help:"The largest number of results (default 10)."`
	Kind           string   `placeholder:"K" help:"Find units of a kind only: function, class, section, …, or model, controller, mailer, job, service, component."`
	Deps           bool     `help:"Search the declarations of the direct dependencies, by name and by words, in place of the workspace."`
	JSON           bool     `name:"json" help:"Print JSON."`
	Words          []string `arg:"" name:"query" help:"Words to find; - alone reads them from standard input. After -- they may begin with a dash."`
}

// Help shows examples.
func (*searchCommand) Help() string {
	return `Examples:

    ambit search where are retries counted
    ambit search --limit 3 --json -- parse http header
    ambit search --deps -- new server with timeout
    ambit search -- --no-cache flag`
}

// maxWords bounds a question from standard input, in bytes: more says nothing about it.
const maxWords = 1 << 20

// readWords replaces a question that is "-" by what standard input holds.
func (a *app) readWords(words *string) error {
	if *words != "-" {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(a.in, maxWords))
	if err != nil {
		return fmt.Errorf("read the question from standard input: %w", err)
	}
	*words = strings.ToValidUTF8(string(text), "")
	return nil
}

// maxLimit bounds the matches of one search.
const maxLimit = 1000

// Run searches.
func (c *searchCommand) Run(a *app) error {
	words := strings.Join(c.Words, " ")
	if err := a.readWords(&words); err != nil {
		return err
	}
	q := api.SearchQuestion{Query: words, Limit: c.Limit, Kind: record.Kind(c.Kind), Deps: c.Deps, PositionEncoding: api.UTF8}
	switch {
	case strings.TrimSpace(q.Query) == "":
		return usagef("nothing is asked; give words, ambit search --help shows examples")
	case c.Limit < 1 || c.Limit > maxLimit:
		return usagef("--limit %d: use a whole number from 1 to %d", c.Limit, maxLimit)
	case c.Kind != "" && record.KindSetOf(q.Kind) == 0:
		return usagef("--kind %s: there is no such kind; use function, class, section, model, …", c.Kind)
	}
	t, err := c.target(a, ".")
	if err != nil {
		return err
	}
	return c.current(a, t, session.Options{Expect: &q}, c.JSON, func(w api.Workspace) error {
		found, err := w.Search(a.ctx, q)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(a.out, found)
		}
		return printMatches(a, found.Results)
	})
}

// printMatches prints one line for each match, in a form that editors and terminals turn
// into a link.
func printMatches(a *app, matches []api.Match) error {
	if len(matches) == 0 {
		_, err := fmt.Fprintln(a.err, "ambit: nothing found; try other words, or ambit status to see what is indexed")
		return err
	}
	for _, m := range matches {
		name, section := oneLine(m.Identifier), oneLine(m.UnitSection)
		switch {
		case name == "" || name == string(m.Path):
			name = cmp.Or(section, "-")
		case section != "":
			name += "#" + section
		}
		if _, err := fmt.Fprintf(a.out, "%s:%d-%d  %s (%s)  %.2f\n", oneLine(string(m.Path)), m.StartLine, m.EndLine, name, m.Kind, m.Score); err != nil {
			return err
		}
	}
	return nil
}

// printJSON prints an answer, a pointer, on one line.
func printJSON(w io.Writer, answer any) error {
	line, err := api.Encode(answer)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
