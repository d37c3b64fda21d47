package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"ambit/server/api"
	"ambit/server/session"
	"ambit/vectors/record"
)

// chunksCommand shows the chunks of a file, or counts those of a directory.
type chunksCommand struct {
	workspaceFlags `embed:""`
	recipeFlags    `embed:""`
	JSON           bool   `name:"json" help:"Print JSON."`
	Stats          bool   `help:"Count the chunks of a directory, by language and size."`
	File           string `arg:"" optional:"" help:"A file of the workspace; with --stats a directory, by default the working directory."`
}

// Run prints the chunks of the file, or the counts of the directory.
func (c *chunksCommand) Run(a *app) error {
	from, use := near(c.File), c.print
	switch {
	case c.Stats:
		c.File = cmp.Or(c.File, ".")
		from, use = c.File, c.printStats
	case c.File == "":
		return usagef("no file is named; give one, or --stats; ambit chunks --help explains")
	}
	t, err := c.target(a, from)
	if err != nil {
		return err
	}
	c.apply(&t)
	path, err := locate(t.root, c.File)
	if err != nil {
		return err
	}
	return c.current(a, t, session.Options{}, c.JSON, func(w api.Workspace) error { return use(a, w, path) })
}

// print prints the chunks of a file.
func (c *chunksCommand) print(a *app, w api.Workspace, path record.Path) error {
	answer, err := w.Chunks(a.ctx, api.ChunksQuestion{TextDocument: api.TextDocument{Path: path}, PositionEncoding: api.UTF8})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(a.out, answer)
	}
	return printChunks(a.out, answer)
}

// printChunks prints one line for each chunk.
func printChunks(w io.Writer, answer *api.Chunks) error {
	for _, c := range answer.Chunks {
		name := c.Identifier
		if c.Section != "" {
			name += "#" + c.Section
		}
		if c.Summary {
			name += " (summary of the whole)"
		}
		lines := fmt.Sprintf("%d-%d", c.StartLine, c.EndLine)
		for _, p := range c.Also {
			lines += fmt.Sprintf(",%d-%d", p.StartLine, p.EndLine)
		}
		if _, err := fmt.Fprintf(w, "%s:%s  %s %s  %d tokens\n", oneLine(string(answer.Path)), lines, c.Kind, oneLine(name), c.Tokens); err != nil {
			return err
		}
	}
	return nil
}

// printStats prints the counts of a directory.
func (c *chunksCommand) printStats(a *app, w api.Workspace, path record.Path) error {
	if path == "." {
		path = ""
	}
	stats, err := w.ChunkStats(a.ctx, api.ChunkStatsQuestion{Path: path})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(a.out, stats)
	}
	return printChunkStats(a.out, stats)
}

// shownExamples bounds the examples of one fault; --json has more.
const shownExamples = 5

// printChunkStats prints a table of the chunks by size, one of their faults, and examples.
func printChunkStats(w io.Writer, s *api.ChunkStats) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	languages := slices.Collect(maps.Keys(s.Languages))
	slices.SortFunc(languages, func(x, y string) int {
		return cmp.Or(cmp.Compare(s.Languages[y].Chunks, s.Languages[x].Chunks), cmp.Compare(x, y))
	})
	rows := func(heading string, row func(api.ChunkCounts) string) {
		fmt.Fprintf(t, "language\t%s\t\n", heading)
		for _, name := range languages {
			fmt.Fprintf(t, "%s\t%s\t\n", name, row(s.Languages[name]))
		}
		fmt.Fprintf(t, "all\t%s\t\n\n", row(s.Total))
		t.Flush() // to a string, without error
	}
	heading, from := "files\tsize\tchunks\ttokens", 0
	for _, limit := range s.SizeLimits {
		heading += fmt.Sprintf("\t%d–%d", from, limit-1)
		from = limit
	}
	rows(heading+fmt.Sprintf("\t%d and more", from), func(n api.ChunkCounts) string {
		row := fmt.Sprintf("%d\t%s\t%d\t%d", n.Files, size(n.Bytes), n.Chunks, n.Tokens)
		for _, chunks := range n.Sizes {
			row += fmt.Sprintf("\t%d", chunks)
		}
		return row
	})
	rows(fmt.Sprintf("no word\tstart closing\tunder %d\tmerged\tsummaries\tembedded\tgrowth", s.SizeLimits[0]), func(n api.ChunkCounts) string {
		return fmt.Sprintf("%d\t%s\t%s\t%s\t%d\t%s\t%.1f %%", n.Wordless,
			share(n.Closing, n), share(n.Small, n), share(n.Merged, n), n.Summaries, size(n.EmbeddedBytes), n.Growth)
	})
	shown := map[string]int{}
	for _, e := range s.Examples {
		if shown[e.Fault]++; shown[e.Fault] <= shownExamples {
			fmt.Fprintf(&b, "%s: %s:%d-%d  %d tokens\n", e.Fault, oneLine(string(e.Path)), e.StartLine, e.EndLine, e.Tokens)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// share returns a number of the chunks, with its percentage.
func share(part int, n api.ChunkCounts) string {
	return fmt.Sprintf("%d (%.1f %%)", part, 100*float64(part)/float64(max(n.Chunks, 1)))
}
