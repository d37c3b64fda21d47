package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"ambit/server/api"
)

// printEvaluation prints an evaluation as tables.
func printEvaluation(w io.Writer, e *api.Evaluation) error {
	var b strings.Builder
	printAsked(&b, e)
	b.WriteString("A figure is the mean over the questions with its 95 % interval.\n")

	ranks := []string{"Acc@1", "Acc@5", "Acc@10", "MRR", "NDCG@10"}
	table(&b, "Files", ranks, len(e.Retrievers)+1, func(i int) (string, []string) {
		if i == len(e.Retrievers) {
			return "search beyond BM25", ranksRow(&e.Gain)
		}
		return e.Retrievers[i].Name, ranksRow(&e.Retrievers[i].Files)
	})
	if e.Functions > 0 {
		heading, columns := fmt.Sprintf("Functions (%s)", count(e.Functions, "question")), []string{"Acc@1", "Acc@5", "Acc@10", "MRR", "Rec@10"}
		found := slices.DeleteFunc(slices.Clone(e.Retrievers), func(r api.Retrieval) bool { return r.Functions == nil })
		table(&b, heading, columns, len(found), func(i int) (string, []string) {
			f := found[i].Functions
			return found[i].Name, []string{decimal(f.Acc1), decimal(f.Acc5), decimal(f.Acc10), decimal(f.MRR), decimal(f.Rec10)}
		})
	}
	if e.Retrievers[0].Lines.Recall.N > 0 {
		reading := []string{"files", "lines found", "precision", "in 1,000", "tokens"}
		table(&b, fmt.Sprintf("Within %d tokens", e.Budget), reading, len(e.Retrievers), func(i int) (string, []string) {
			l := &e.Retrievers[i].Lines
			return e.Retrievers[i].Name, []string{decimal(l.Files), decimal(l.Recall), percent(l.Precision), number(l.PerTokens, 1), fmt.Sprintf("%.0f", l.Tokens.Mean)}
		})
	}
	columns := []string{"Acc@5", "MRR", "fn Rec@10", "lines found", "chunks", "tokens each"}
	table(&b, "Ways to cut", columns, len(e.Strategies), func(i int) (string, []string) {
		s := &e.Strategies[i]
		functions := "-"
		if s.Functions != nil {
			functions = decimal(s.Functions.Rec10)
		}
		return s.Name, []string{decimal(s.Files.Acc5), decimal(s.Files.MRR), functions, decimal(s.Lines.Recall), fmt.Sprint(s.Chunks), fmt.Sprint(s.ChunkSize)}
	})
	table(&b, "Formats", []string{"tokens beyond the code", "of the text", "for a source"}, len(e.Formats), func(i int) (string, []string) {
		f := &e.Formats[i]
		return string(f.Format), []string{number(f.Tokens, 0), fmt.Sprintf("%.1f %%", 100*f.Share.Mean), number(f.PerSource, 0)}
	})
	b.WriteString(legend(e))
	_, err := io.WriteString(w, b.String())
	return err
}

// printAsked says what was asked.
func printAsked(b *strings.Builder, e *api.Evaluation) {
	c := e.Commits
	if c == nil {
		fmt.Fprintf(b, "%s asked in %s.\n", count(e.Questions, "question"), oneLine(e.Root))
		return
	}
	fmt.Fprintf(b, "%s of %s to %s, of %d that can be asked about among the last %d (seed %d).\n", count(c.Asked, "commit"), c.First, c.Last, c.Apt, c.Read, e.Seed)
	for i, l := range c.LeftOut {
		text := fmt.Sprintf("%s (%d)", l.Reason, l.Commits)
		switch {
		case i == 0:
			fmt.Fprintf(b, "Left out: %s", text)
		case i%3 == 0:
			fmt.Fprintf(b, ",\n  %s", text)
		default:
			fmt.Fprintf(b, ", %s", text)
		}
	}
	if len(c.LeftOut) > 0 {
		b.WriteString(".\n")
	}
}

// legend explains the columns.
func legend(e *api.Evaluation) string {
	expected := "are to be found"
	if e.Commits != nil {
		expected = "the commit changed"
	}
	return fmt.Sprintf(`
Acc@k      all files (functions) that %[1]s are among the first k
Rec@10     the share of them that is among the first ten
MRR        1 divided by the rank of the first of them
precision  the share of the lines shown that %[1]s; in 1,000: those lines in 1,000 tokens
Ways to cut are searched by the same plain search (words and vectors fused), without ambit's ranker.
--json has more figures, and the ranks for each question.
`, expected)
}

// table prints rows under a heading, the columns aligned to the right.
func table(b *strings.Builder, heading string, columns []string, n int, row func(i int) (name string, cells []string)) {
	width := len(heading)
	for i := range n {
		name, _ := row(i)
		width = max(width, len(name))
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name string, cells []string) {
		fmt.Fprintf(t, "%-*s\t%s\t\n", width, name, strings.Join(cells, "\t"))
	}
	line(heading, columns)
	for i := range n {
		name, cells := row(i)
		line(name, cells)
	}
	t.Flush() // to a string, without error
}

func ranksRow(r *api.Ranks) []string {
	return []string{decimal(r.Acc1), decimal(r.Acc5), decimal(r.Acc10), decimal(r.MRR), decimal(r.NDCG10)}
}

// decimal returns a figure from -1 to 1, ".42 (.30-.54)".
func decimal(f api.Figure) string {
	if f.N == 0 {
		return "-"
	}
	short := func(v float64) string { return strings.Replace(fmt.Sprintf("%.2f", v), "0.", ".", 1) }
	if f.Low < 0 {
		return fmt.Sprintf("%s (%s to %s)", short(f.Mean), short(f.Low), short(f.High))
	}
	return fmt.Sprintf("%s (%s-%s)", short(f.Mean), short(f.Low), short(f.High))
}

// percent returns a share, "0.8 % (0.6-1.1)".
func percent(f api.Figure) string {
	if f.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %% (%.1f-%.1f)", 100*f.Mean, 100*f.Low, 100*f.High)
}

// number returns a figure with so many decimals, "412 (380-440)".
func number(f api.Figure, decimals int) string {
	if f.N == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f (%.*f-%.*f)", decimals, f.Mean, decimals, f.Low, decimals, f.High)
}
