package retrieve_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ambit/indexer/gitignore"
	"ambit/indexer/golden"
	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// unsaved marks the file of a case that replaces another one of the same name
// without being saved.
const unsaved = " (unsaved)"

// TestGoldenCases runs the cases of testdata/context/cursor and
// testdata/context/words: the candidates of a cursor or a question. A file "query" holds
// the question, a file "history" pairs of files that were committed together, each
// with its weight. At a cursor only the graph answers, unless the flag "neighbours"
// lets words and vectors answer as well; "arrows" and "files" show the dependencies and
// the outlines; "scope" shows the scope of the question and "units" its candidates
// in place of the matches of a search, "overview" the picture of the project; "path=…", "language=…", "kind=…" and "limit=…" narrow it.
func TestGoldenCases(t *testing.T) {
	for _, dir := range []string{"cursor", "words"} {
		t.Run(dir, func(t *testing.T) { golden.Run(t, "../../testdata/context/"+dir, check) })
	}
}

func check(t *testing.T, in golden.Input) string {
	c := readCase(t, in)
	if c.question.Query != "" {
		return c.asked(t)
	}
	ix := c.w.index()
	if !c.flags["neighbours"] {
		ix.Text, ix.Vectors = mute{}, silent{}
	}
	r, err := retrieve.At(t.Context(), ix, retrieve.Cursor{Path: record.Path(strings.TrimSuffix(in.Cursor.Path, unsaved)), Offset: in.Cursor.Offset})
	if err != nil {
		return "error: " + err.Error()
	}
	return c.result(&r)
}

// goldenCase is one case, read.
type goldenCase struct {
	w        *workspace
	question retrieve.Question
	flags    map[string]bool
}

func readCase(t *testing.T, in golden.Input) *goldenCase {
	c := &goldenCase{flags: map[string]bool{}}
	var saved, edited []file
	var history record.History
	for _, f := range in.Files {
		switch path, isEdit := strings.CutSuffix(f.Path, unsaved); {
		case f.Path == "query":
			c.question.Query = strings.TrimSpace(string(f.Content))
		case f.Path == "history":
			history = readHistory(t, string(f.Content))
		case isEdit:
			edited = append(edited, file{path, f.Content})
		default:
			saved = append(saved, file{path, f.Content})
		}
	}
	c.w = newWorkspace(t, saved)
	c.w.history = history
	for _, f := range edited {
		c.w.edit(t, f)
	}
	for _, f := range strings.Fields(in.Flags) {
		switch key, value, _ := strings.Cut(f, "="); key {
		case "path":
			patterns := gitignore.ParsePatterns([]string{value})
			c.question.Filter.Path = func(p record.Path) bool { return patterns.Match(string(p)) }
		case "language":
			c.question.Filter.Language = value
		case "kind":
			c.question.Filter.Kind = record.Kind(value)
		case "limit":
			c.question.Limit, _ = strconv.Atoi(value)
		case "neighbours", "arrows", "files", "scope", "units", "overview":
			c.flags[key] = true
		default:
			t.Fatalf("unknown flag %q", f)
		}
	}
	return c
}

func readHistory(t *testing.T, text string) (h record.History) {
	for line := range strings.Lines(text) {
		var p record.CoChange
		if _, err := fmt.Sscan(line, &p.Weight, &p.A, &p.B); err != nil {
			t.Fatalf("history %q: %v", line, err)
		}
		h.Pairs = append(h.Pairs, p)
	}
	return h
}

// asked returns the matches of a question in words in their order, without scores, which
// depend on the embedder.
func (c *goldenCase) asked(t *testing.T) string {
	var b strings.Builder
	r, err := retrieve.Ask(t.Context(), c.w.index(), c.question)
	if err != nil {
		return "error: " + err.Error()
	}
	if c.flags["scope"] {
		fmt.Fprintln(&b, r.Scope)
		if r.Documents {
			fmt.Fprintln(&b, "documents only")
		}
	}
	if c.flags["overview"] {
		b.WriteString(pictureOf(r.Overview))
	}
	if c.flags["units"] {
		for i := range r.Candidates {
			u := &r.Candidates[i].Unit
			fmt.Fprintf(&b, "%s: %s %s:%d-%d%s\n", r.Candidates[i].Role, u.Identifier, u.Path, u.Lines.First, u.Lines.Last, focus(r.Candidates[i].Focus))
		}
		return b.String() + c.more(&r)
	}
	matches, err := retrieve.Search(t.Context(), c.w.index(), c.question)
	if err != nil {
		return "error: " + err.Error()
	}
	for _, m := range matches {
		fmt.Fprintf(&b, "%s %s:%d-%d, %s\n", m.Identifier, m.Path, m.StartLine, m.EndLine, names(m.Why))
	}
	return b.String()
}

// pictureOf spells an overview, a fact on each line.
func pictureOf(v *api.Overview) string {
	if v == nil {
		return "no overview\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "project %s: %s\n", v.Name, v.About)
	for _, l := range v.Languages {
		fmt.Fprintf(&b, "language %s, %d files, %.0f %%\n", l.Language, l.Files, 100*l.Share)
	}
	fmt.Fprintf(&b, "frameworks %s\ndependencies %s\n", strings.Join(v.Frameworks, ", "), strings.Join(v.Dependencies, ", "))
	for _, e := range v.Entries {
		fmt.Fprintf(&b, "entry %s %s %s\n", e.Kind, e.Name, e.Path)
	}
	for _, p := range v.Parts {
		asked := ""
		if p.Asked {
			asked = " (asked)"
		}
		fmt.Fprintf(&b, "%s%s, %d files%s: %s%s\n", strings.Repeat("  ", p.Level), p.Path, p.Files, asked, p.About, strings.Join(p.Units, ", "))
	}
	return b.String()
}

// names lists the signals that do not depend on how words and vectors are weighed.
func names(why []api.Signal) string {
	var out []string
	for _, s := range why {
		out = append(out, s.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (c *goldenCase) result(r *retrieve.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "query %s\n", r.Query)
	if r.Symbol == nil {
		fmt.Fprintln(&b, "no symbol")
	}
	for i := range r.Candidates {
		k := &r.Candidates[i]
		fmt.Fprintf(&b, "%s: %s %s:%d-%d %.2f %s%s\n", k.Role, k.Unit.Identifier, k.Unit.Path, k.Unit.Lines.First, k.Unit.Lines.Last, k.Relevance, k.Why[0].Name, focus(k.Focus))
	}
	return b.String() + c.more(r)
}

func focus(lines []int) string {
	if len(lines) == 0 {
		return ""
	}
	return fmt.Sprint(" ", lines)
}

// more returns the parts of a result that flags ask for.
func (c *goldenCase) more(r *retrieve.Result) string {
	var b strings.Builder
	if c.flags["arrows"] {
		for _, d := range r.Dependencies {
			fmt.Fprintf(&b, "%s → %s (%s)\n", d.From, d.To, d.Kind)
		}
	}
	if c.flags["files"] {
		for _, f := range r.Structure {
			fmt.Fprintf(&b, "%s, %d lines: %s\n", f.Path, f.Lines, strings.Join(f.Units, "; "))
		}
	}
	return b.String()
}
