package cli

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// contextCommand prints the context of a place or a question.
type contextCommand struct {
	workspaceFlags `embed:""`
	Place          string           `arg:"" optional:"" name:"file:line:col" help:"A place in the code: lines and columns count from 1, columns in bytes. FILE is relative to the working directory or to the workspace. It can be a file of a dependency."`
	Query          string           `placeholder:"TEXT" help:"A question in words, instead of a place; - reads it from standard input."`
	Diff           diffFlag         `placeholder:"FILE" help:"What a diff touches and what must follow it: callers, tests, documents, files that change with it. Without FILE, the diff of the working tree against HEAD; - reads standard input."`
	Symbol         string           `placeholder:"NAME" help:"A declaration by its name, instead of a place: Cart.Total, or Total."`
	Path           string           `placeholder:"P" help:"The file, directory or pattern in which --symbol is looked for, or the file of --line."`
	Line           int              `placeholder:"N" help:"A line of the declaration that --symbol means, or of --path."`
	Budget         *int             `placeholder:"N" help:"Tokens the text may take, markup included (default 8000; 20000 for a question about documents)."`
	Format         api.Format       `placeholder:"F" values:"xml,markdown,plain,human,json" help:"xml, markdown, plain, human or json. By default human on a terminal and plain in a pipe."`
	Template       string           `placeholder:"FILE" help:"A Go text/template that writes the text in place of a format; by default the setting template."`
	JSON           bool             `name:"json" help:"Print the whole answer as JSON; its text is in the format of --format."`
	ContextMode    api.ContextMode  `placeholder:"M" values:"none,minimal,full" help:"Details beside the code of a unit: none, minimal (its name and place) or full (also relevance, change frequency, dependents and arrows; the default)."`
	Pin            []record.ChunkID `placeholder:"ID" help:"Always show the source with this id (of the JSON of an earlier answer); may be repeated."`
	Drop           []record.ChunkID `placeholder:"ID" help:"Never show the source with this id; may be repeated."`
	Fill           bool             `help:"Use the whole budget, also for units that are not worth their tokens."`
	Encoding       string           `placeholder:"E" values:"o200k_base,cl100k_base,ratio" help:"How tokens are counted: o200k_base, cl100k_base or ratio."`
}

// Help shows examples.
func (*contextCommand) Help() string {
	return `Examples:

    ambit context server/cart.go:42:10
    ambit context --symbol Cart.Total
    ambit context --symbol Total --path server/
    ambit context --query "how are sessions renewed?" --budget 4000
    gh issue view 12 | ambit context --query -
    ambit context --diff
    git diff main | ambit context --diff -
    ambit context --format markdown main.py:7:5 | pbcopy
    ambit context --json src/app.ts:10:3 | jq '.sources[].identifier'

The text never takes more than the budget. The JSON lists omitted units under "omitted".`
}

// Run answers.
func (c *contextCommand) Run(a *app) error {
	if err := a.readWords(&c.Query); err != nil {
		return err
	}
	q, file, err := c.question(a)
	if err != nil {
		return err
	}
	dir := "."
	if file != "" && !isDependency(file) {
		dir = near(file)
	}
	t, err := c.target(a, dir)
	if err != nil {
		return err
	}
	asJSON, err := c.choose(a, &q, &t.settings)
	if err != nil {
		return err
	}
	if file != "" {
		if q.TextDocument, err = c.document(t.root, file); err != nil {
			return err
		}
	}
	if q.Path, err = rooted(q.Path); err != nil {
		return err
	}
	return c.current(a, t, session.Options{Encoding: q.Encoding}, asJSON, func(w api.Workspace) error {
		answer, err := w.Context(a.ctx, q)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(a.out, answer)
		}
		if len(answer.Candidates) > 0 {
			_, err := io.WriteString(a.err, answer.Text)
			return errors.Join(errShown, err)
		}
		_, err = io.WriteString(a.out, answer.Text)
		return err
	})
}

// document returns the document of a file. One outside of the workspace may be of a dependency.
func (c *contextCommand) document(root, file string) (*api.TextDocument, error) {
	if full, err := filepath.Abs(file); err == nil && (c.Root != "" && filepath.IsAbs(file) || isDependency(file)) {
		if _, err := workspace.Inside(root, full); err != nil {
			return &api.TextDocument{Outside: full}, nil
		}
	}
	path, err := locate(root, file)
	return &api.TextDocument{Path: path}, err
}

// isDependency reports whether a file lies where tools keep the sources of dependencies while the
// working directory is in a project: the question is about a dependency of this project then.
func isDependency(file string) bool {
	full, err := filepath.Abs(file)
	return err == nil && workspace.IsLibrary(full) && workspace.IsProject(".")
}

// question returns the question and the file of its place. The workspace of the file is
// found later.
func (c *contextCommand) question(a *app) (q api.Question, file string, err error) {
	q = api.Question{PositionEncoding: api.UTF8, Strict: true, Pin: c.Pin, Drop: c.Drop, ContextMode: c.ContextMode, Fill: c.Fill}
	named := c.Symbol != "" || c.Path != "" || c.Line != 0
	switch words := strings.TrimSpace(c.Query); {
	case c.Diff.given && (named || words != "" || c.Place != "" && c.Diff.file != ""):
		return q, "", usagef("--diff is a question of its own; give it without a place, --query and --symbol")
	case c.Diff.given:
		err = c.Diff.read(a, cmp.Or(c.Diff.file, c.Place), &q)
	case c.Place != "" && c.Query != "":
		return q, "", usagef("a place and --query are two questions; give one of them")
	case named && (c.Place != "" || c.Query != ""):
		return q, "", usagef("--symbol, --path and --line ask about a declaration, without a place and --query; give one of them")
	case c.Line != 0 && c.Symbol == "" && c.Path == "":
		return q, "", usagef("--line needs a file; give --path FILE")
	case named:
		q.Symbol, q.Path, q.Line = c.Symbol, c.Path, c.Line
	case c.Place != "":
		q.Position = new(api.Position)
		file, *q.Position, err = parsePlace(c.Place)
	case words != "":
		q.Query = c.Query
	default:
		err = usagef("nothing is asked; give FILE:LINE:COL, --symbol NAME or --query TEXT, ambit context --help shows examples")
	}
	return q, file, err
}

// choose sets the format, the encoding and the budget of the question by the flags and
// the settings. It reports whether the answer is printed as JSON.
func (c *contextCommand) choose(a *app, q *api.Question, set *config.Settings) (asJSON bool, err error) {
	q.Encoding = cmp.Or(c.Encoding, set.Encoding)
	q.Format = cmp.Or(c.Format, api.Format(set.Format))
	if c.Template != "" || c.Format == "" && !c.JSON {
		if q.Template, err = config.ReadTemplate(cmp.Or(c.Template, set.Template)); err != nil {
			return false, err
		}
	}
	err = api.Check(q)
	if field, ok := errors.AsType[*api.FieldError](err); ok {
		return false, usagef("--%s: %s", flagName(field.Field), field.Reason)
	}
	if c.Budget != nil {
		if q.Budget = *c.Budget; q.Budget < 1 {
			return false, usagef("--budget %d: use a number of tokens, 1 or more", q.Budget)
		}
	}
	asJSON = c.JSON || q.Format == api.JSON
	if asJSON || !a.outIsTerminal {
		return asJSON, err
	}
	if q.Format = cmp.Or(q.Format, api.Human); q.Format == api.Human && os.Getenv("NO_COLOR") == "" {
		q.Format = api.HumanColor
	}
	return false, err
}

// flagName returns the flag of a field: "context-mode" of "contextMode".
func flagName(field string) string {
	return strings.ToLower(upperCase.ReplaceAllString(field, "-$0"))
}

var upperCase = regexp.MustCompile(`[A-Z]`)
