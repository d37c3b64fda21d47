package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"ambit/server/format"
	"ambit/server/session"
)

// searchCommand finds code and prose by words.
type searchCommand struct {
	workspace `embed:""`
	Limit     int      `default:"10" placeholder:"N" help:"At most so many results (default 10)."`
	JSON      bool     `name:"json" help:"Print JSON."`
	Words     []string `arg:"" name:"query" help:"What to find; after -- also words that begin with a dash."`
}

// Help shows the command at work.
func (*searchCommand) Help() string {
	return `Examples:

    ambit search where are retries counted
    ambit search --limit 3 --json -- parse http header
    ambit search -- --no-cache flag`
}

// maxLimit bounds what one search may ask for: more is a listing, not a search.
const maxLimit = 1000

// Run searches.
func (c *searchCommand) Run(a *app) error {
	query := strings.TrimSpace(strings.Join(c.Words, " "))
	if query == "" {
		return usagef("nothing is asked; give words, ambit search --help shows examples")
	}
	if c.Limit < 1 || c.Limit > maxLimit {
		return usagef("--limit %d: give a number from 1 to %d", c.Limit, maxLimit)
	}
	t, err := c.target(a, ".")
	if err != nil {
		return err
	}
	s, err := c.current(a, t, session.Options{}, c.JSON)
	if err != nil {
		return err
	}
	start := time.Now()
	found, err := s.Search(a.ctx, session.Search{Query: query, Limit: c.Limit})
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	c.timing(a, "answer", start)
	if c.JSON {
		return printJSON(a.out, searchAnswer(found))
	}
	return printResults(a, found.Results)
}

// searchJSON is the answer of search, see DESIGN section 6.
type searchJSON struct {
	Results   []resultJSON     `json:"results"`
	Freshness format.Freshness `json:"freshness"`
}

type resultJSON struct {
	Path       string       `json:"path"`
	StartLine  int          `json:"start_line"`
	EndLine    int          `json:"end_line"`
	Identifier string       `json:"identifier"`
	Kind       string       `json:"kind"`
	Score      float64      `json:"score"`
	Why        []signalJSON `json:"why"`
}

type signalJSON struct {
	Signal string  `json:"signal"`
	Score  float64 `json:"score"`
}

func searchAnswer(found session.Found) searchJSON {
	answer := searchJSON{Results: make([]resultJSON, 0, len(found.Results)), Freshness: format.Freshness(found.Freshness)}
	for _, r := range found.Results {
		why := make([]signalJSON, 0, len(r.Why))
		for _, w := range r.Why {
			why = append(why, signalJSON{w.Name, rounded(w.Score)})
		}
		answer.Results = append(answer.Results, resultJSON{r.Path, r.Lines.First, r.Lines.Last, r.Identifier, r.Kind, rounded(r.Score), why})
	}
	return answer
}

// rounded keeps what tells scores apart.
func rounded(score float64) float64 { return math.Round(score*1e4) / 1e4 }

// printResults prints one line a result, in the form that editors and terminals
// make a link of.
func printResults(a *app, results []session.Result) error {
	if len(results) == 0 {
		_, err := fmt.Fprintln(a.err, "ambit: nothing found; try other words, or ambit status to see what is indexed")
		return err
	}
	for _, r := range results {
		name := oneLine(r.Identifier)
		if name == "" || name == r.Path {
			name = "-"
		}
		if _, err := fmt.Fprintf(a.out, "%s:%d-%d  %s (%s)  %.2f\n", oneLine(r.Path), r.Lines.First, r.Lines.Last, name, r.Kind, r.Score); err != nil {
			return err
		}
	}
	return nil
}

// printJSON prints one value on one line.
func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
