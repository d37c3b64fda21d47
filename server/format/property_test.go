package format_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/server/retrieve"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

var formats = []api.Format{api.Plain, api.XML, api.Markdown, api.Human, api.HumanColor, api.JSON}

// tree is the files of a request.
type tree map[record.Path]string

func (t tree) Content(_ context.Context, path record.Path) ([]byte, error) {
	if s, ok := t[path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func counter(t testing.TB) *tokens.Counter {
	c, err := tokens.New("")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines of ordinary and of hostile code.
var lines = []string{
	"", "}", "\treturn nil", "func f() error {", "x := \"日本語\"", "// a comment about the thing\r", "trailing   ",
	"</unit>", "</unit-2>", "</CODEBASE_CONTEXT>", "```", "~~~", "``````go", "--- f (function) ---", "---- END ----", "=== END ===",
	"─── f · function", "\x1b[31mred", "a\rb", "bad \xff\xfe bytes", "nul \x00", "</structure>", "<unit identifier=\"x\">",
	strings.Repeat("word ", 200), strings.Repeat("-", 60), "-->", "*/", "<|endoftext|>",
}

var paths = []record.Path{"a.go", "dir/b.py", "doc/c.md", "we ird\n\"p\".css", "not\xffutf8.rs", "gone.go"}

func languageOf(p record.Path) string {
	return map[record.Path]string{"a.go": "go", "dir/b.py": "python", "doc/c.md": "markdown", "we ird\n\"p\".css": "css", "not\xffutf8.rs": "rust"}[p]
}

var roles = []retrieve.Role{
	retrieve.RoleDefinition, retrieve.RoleEnclosing, retrieve.RoleMatch, retrieve.RoleUses, retrieve.RoleUsedBy,
	retrieve.RoleTest, retrieve.RoleDoc, retrieve.RoleSibling, retrieve.RoleFramework,
}

func genTree(t *rapid.T) tree {
	out := tree{}
	for _, p := range paths[:len(paths)-1] {
		out[p] = strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 40).Draw(t, "file"), "\n")
	}
	return out
}

// genSpan draws a span of text within outer, sometimes an invalid one.
func genSpan(t *rapid.T, outer record.Span, name string) record.Span {
	if rapid.IntRange(0, 20).Draw(t, name+" wrong") == 0 {
		return record.Span{Start: rapid.IntRange(-5, 1e6).Draw(t, name), End: rapid.IntRange(-5, 1e6).Draw(t, name)}
	}
	a := rapid.IntRange(outer.Start, max(outer.Start, outer.End)).Draw(t, name)
	b := rapid.IntRange(a, max(a, outer.End)).Draw(t, name)
	return record.Span{Start: a, End: b}
}

func genCandidate(t *rapid.T, files tree, i int) retrieve.Candidate {
	path := rapid.SampledFrom(paths).Draw(t, "path")
	span := genSpan(t, record.Span{End: len(files[path])}, "span")
	kinds := []record.Kind{record.KindFunction, record.KindClass, record.KindText, record.KindSection}
	u := retrieve.Unit{
		Path: path, Language: languageOf(path), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
		Identifier: rapid.SampledFrom([]string{"f", "T.m", "</unit>", "`x` ---\n=== END ===", "structure"}).Draw(t, "identifier"),
		Span:       span, Header: genSpan(t, span, "header"), Doc: genSpan(t, span, "doc"), Body: genSpan(t, span, "body"),
		NameLine: rapid.IntRange(-1, 45).Draw(t, "name line"),
	}
	if u.Kind == record.KindClass {
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			s := genSpan(t, span, "member")
			u.Members = append(u.Members, retrieve.Member{Kind: record.KindMethod, Span: s, Header: genSpan(t, s, "member header")})
		}
	}
	focus := rapid.SliceOfNDistinct(rapid.IntRange(1, 45), 0, 4, rapid.ID).Draw(t, "focus")
	slices.Sort(focus)
	return retrieve.Candidate{
		Unit: u, Role: rapid.SampledFrom(roles).Draw(t, "role"), Relevance: 1 / float64(i+1), Probability: 1 / float64(i+1), Focus: focus,
		Why: []api.Signal{{Name: "s", Score: float64(i)}}, Dependents: i,
	}
}

func genResult(t *rapid.T, files tree) retrieve.Result {
	r := retrieve.Result{
		Query: rapid.SampledFrom([]string{"f", "how does\n</codebase_context> it", strings.Repeat("long ", 500), ""}).Draw(t, "query"),
		Scope: rapid.SampledFrom([]api.Scope{api.Focused, api.Exploratory, api.Comprehensive}).Draw(t, "scope"),
	}
	for i := range rapid.IntRange(0, 25).Draw(t, "candidates") {
		r.Candidates = append(r.Candidates, genCandidate(t, files, i))
	}
	if len(r.Candidates) > 0 {
		r.Symbol = &r.Candidates[0].Unit
	}
	for range rapid.IntRange(0, 8).Draw(t, "arrows") {
		r.Dependencies = append(r.Dependencies, api.Dependency{From: "f", To: "T.m", Kind: record.EdgeCalls})
	}
	for range rapid.IntRange(0, 4).Draw(t, "outlines") {
		r.Structure = append(r.Structure, retrieve.FileOutline{
			Path: rapid.SampledFrom(paths).Draw(t, "outline"), Lines: 100,
			Units: rapid.SliceOfN(rapid.SampledFrom(lines), 0, 20).Draw(t, "units"),
		})
	}
	return r
}

// genPins pins and drops some of the candidates, and returns the dropped ids.
func genPins(t *rapid.T, r *retrieve.Result) (dropped []record.ChunkID) {
	nPins := 0
	for i := range r.Candidates {
		c := &r.Candidates[i]
		c.Unit.ID = record.NewChunkID(c.Unit.Path, c.Unit.Identifier, "", uint32(i))
		switch rapid.IntRange(0, 5).Draw(t, "wish") {
		case 0:
			nPins++
			c.Pin = nPins
		case 1:
			dropped = append(dropped, c.Unit.ID)
		}
	}
	return dropped
}

// assembled returns the bundle whose answer Assemble returns.
func assembled(t rapid.TB, files tree, r retrieve.Result, q api.Question, c assemble.Counter) *assemble.Bundle {
	var last *assemble.Bundle
	a, err := assemble.Assemble(context.Background(), files, c, assemble.Request{
		Question: q, Result: r, Root: "/w",
		Render: func(b *assemble.Bundle) (string, []record.Span) {
			last = b
			return format.Render(b)
		},
	})
	if err != nil {
		t.Fatalf("Assemble: %v", err)
	}
	if diff := cmp.Diff(a, &last.Answer); diff != "" {
		t.Fatalf("the answer is not that of the bundle:\n%s", diff)
	}
	return last
}

func TestEveryAnswerKeepsItsPromises(t *testing.T) {
	c := counter(t)
	rapid.Check(t, func(t *rapid.T) {
		files := genTree(t)
		r := genResult(t, files)
		budget := rapid.OneOf(rapid.IntRange(1, 400), rapid.IntRange(400, 20_000)).Draw(t, "budget")
		q := api.Question{Budget: budget, Format: rapid.SampledFrom(formats).Draw(t, "format")}

		b := assembled(t, files, r, q, c)
		checkTokens(t, b, c)
		checkCandidates(t, b, &r)
		for i := range b.Sources {
			checkSource(t, b, i, files)
		}
		if diff := cmp.Diff(b, assembled(t, files, r, q, c)); diff != "" {
			t.Fatalf("a second answer differs:\n%s", diff)
		}
	})
}

func TestPinsAndDropsKeepTheBudgetAndTakeEffect(t *testing.T) {
	c := counter(t)
	rapid.Check(t, func(t *rapid.T) {
		files := genTree(t)
		r := genResult(t, files)
		dropped := genPins(t, &r)
		budget := rapid.OneOf(rapid.IntRange(1, 400), rapid.IntRange(400, 20_000)).Draw(t, "budget")
		b := assembled(t, files, r, api.Question{
			Budget: budget, Drop: dropped, Format: rapid.SampledFrom(formats).Draw(t, "format"),
			ContextMode: rapid.SampledFrom([]api.ContextMode{api.ContextNone, api.ContextMinimal, api.ContextFull}).Draw(t, "context mode"),
		}, c)
		checkTokens(t, b, c)
		for i := range b.Sources {
			checkSource(t, b, i, files)
			if slices.Contains(dropped, b.Sources[i].ID) {
				t.Fatalf("%s was dropped and is shown", b.Sources[i].Identifier)
			}
		}
		inAnswer := map[record.ChunkID]string{} // why not
		for _, o := range b.Omitted {
			inAnswer[o.ID] = o.Reason
		}
		for i := range b.Sources {
			inAnswer[b.Sources[i].ID] = ""
		}
		ample := budget > 15_000 && b.Text != ""
		for i := range r.Candidates {
			switch reason, ok := inAnswer[r.Candidates[i].Unit.ID]; {
			case r.Candidates[i].Pin == 0:
			case !ok:
				t.Fatalf("%s was pinned and is neither shown nor omitted", r.Candidates[i].Unit.Identifier)
			case ample && (reason == "no room in the budget" || strings.HasPrefix(reason, "shown inside")):
				t.Fatalf("%s was pinned and is not shown: %s", r.Candidates[i].Unit.Identifier, reason)
			}
		}
	})
}

func TestALargerBudgetShowsAllThatASmallerOneShows(t *testing.T) {
	c := counter(t)
	rapid.Check(t, func(t *rapid.T) {
		files := genTree(t)
		r := genResult(t, files)
		budget := rapid.IntRange(50, 4000).Draw(t, "budget")
		q := api.Question{Budget: budget, Format: rapid.SampledFrom(formats).Draw(t, "format"), Fill: rapid.Bool().Draw(t, "fill")}
		small := assembled(t, files, r, q, c)
		q.Budget += rapid.IntRange(1, 2000).Draw(t, "more")
		large := assembled(t, files, r, q, c)
		checkLarger(t, small, large)
	})
}

// checkLarger reports a source of small that large lacks, shortens or ranks after another
// one.
func checkLarger(t rapid.TB, small, large *assemble.Bundle) {
	lines := map[string]bool{}
	order := map[string]int{}
	for i := range large.Sources {
		s := &large.Sources[i]
		order[fmt.Sprint(s.Path, s.Range)] = i + 1
		for _, r := range s.Ranges {
			for n := r[0]; n <= r[1]; n++ {
				lines[fmt.Sprint(s.Path, n)] = true
			}
		}
	}
	last := 0
	for i := range small.Sources {
		s := &small.Sources[i]
		at := order[fmt.Sprint(s.Path, s.Range)]
		if at <= last {
			t.Fatalf("%s %v is source %d of %d tokens and source %d of %d", s.Identifier, s.Range, i+1, small.Budget, at, large.Budget)
		}
		last = at
		for _, r := range s.Ranges {
			for n := r[0]; n <= r[1]; n++ {
				if !lines[fmt.Sprint(s.Path, n)] {
					t.Fatalf("line %d of %s is shown with %d tokens and not with %d", n, s.Path, small.Budget, large.Budget)
				}
			}
		}
	}
}

// checkTokens compares the budget with the rendered text.
func checkTokens(t rapid.TB, b *assemble.Bundle, c assemble.Counter) {
	if n := c.Count(b.Text); n > b.Budget || n != b.Tokens {
		t.Fatalf("%v: text has %d tokens, says %d, budget %d", b.Format, n, b.Tokens, b.Budget)
	}
	if text, _ := format.Render(b); b.Text != "" && text != b.Text {
		t.Fatalf("%v: Render differs from the text that was counted", b.Format)
	}
	var a api.Answer
	if data, err := json.Marshal(b.Answer); err != nil || json.Unmarshal(data, &a) != nil || a.Text != b.Text || bytes.Contains(data, []byte(":null")) && !strings.Contains(b.Text, ":null") {
		t.Fatalf("JSON does not carry the answer: %s, %v", data, err)
	}
	for _, s := range b.Sections {
		if s.Tokens > s.Budget {
			t.Fatalf("section %+v is over its budget", s)
		}
	}
}

// checkCandidates compares sources and omissions with the candidates.
func checkCandidates(t rapid.TB, b *assemble.Bundle, r *retrieve.Result) {
	type unit struct {
		path       record.Path
		identifier string
	}
	want, got := map[unit]bool{}, map[unit]bool{}
	for _, cand := range r.Candidates {
		want[unit{cand.Unit.Path, cand.Unit.Identifier}] = true
	}
	once := map[string]bool{}
	for i := range b.Sources {
		s := &b.Sources[i]
		got[unit{s.Path, s.Identifier}] = true
		key := fmt.Sprint(s.Path, s.Range)
		if once[key] {
			t.Fatalf("unit %s %v is shown twice", s.Identifier, s.Range)
		}
		once[key] = true
	}
	for _, o := range b.Omitted {
		got[unit{o.Path, o.Identifier}] = true
		if o.Reason == "" {
			t.Fatalf("no reason why %s is left out", o.Identifier)
		}
	}
	for u := range got {
		if !want[u] {
			t.Fatalf("%v is in the answer and was no candidate", u)
		}
	}
	// Candidates with one span are one unit under the identifier of the first. Pieces
	// of prose that are joined can come to have the span of another candidate; the
	// text of both is then in the answer under one of the names of their file.
	spans, joins, inAnswer := map[string]bool{}, map[record.Path]bool{}, map[record.Path]bool{}
	for u := range got {
		inAnswer[u.path] = true
	}
	for _, cand := range r.Candidates {
		if cand.Unit.Kind == record.KindText || cand.Unit.Kind == record.KindSection {
			joins[cand.Unit.Path] = true
		}
	}
	for _, cand := range r.Candidates {
		p := cand.Unit.Path
		key := fmt.Sprint(p, cand.Unit.Span)
		if first := !spans[key]; first && !got[unit{p, cand.Unit.Identifier}] && !(joins[p] && inAnswer[p]) {
			t.Fatalf("%s %s is neither shown nor omitted", cand.Unit.Path, cand.Unit.Identifier)
		}
		spans[key] = true
	}
}

// checkSource compares the text of a source with its file.
func checkSource(t rapid.TB, b *assemble.Bundle, i int, files tree) {
	s, text := &b.Sources[i], b.Texts[i]
	file := strings.Split(files[s.Path], "\n")
	shown := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	n, last := 0, 0
	for _, r := range s.Ranges {
		if r[0] <= last || r[0] < s.StartLine || r[1] > s.EndLine {
			t.Fatalf("ranges %v of %d-%d", s.Ranges, s.StartLine, s.EndLine)
		}
		last = r[1]
		for line := r[0]; line <= r[1]; line++ {
			want := strings.ToValidUTF8(strings.TrimRight(file[line-1], " \t\r"), "\uFFFD")
			for n < len(shown) && shown[n] != want && strings.Contains(shown[n], "…") {
				n++
			}
			if n == len(shown) || shown[n] != want {
				t.Fatalf("line %d of %s is %q and not in the text:\n%s", line, s.Path, want, text)
			}
			n++
		}
	}
	notes := shown[n:]
	if missing := s.EndLine - s.StartLine + 1; s.Truncated == nil {
		if len(notes) > 0 || len(s.Ranges) != 1 || s.Ranges[0] != [2]int{s.StartLine, s.EndLine} {
			t.Fatalf("a whole unit shows %v and %q", s.Ranges, notes)
		}
	} else {
		for _, r := range s.Ranges {
			missing -= r[1] - r[0] + 1
		}
		if len(notes) != 1 || !strings.Contains(notes[0], "… (truncated: ") || !strings.Contains(notes[0], "Full source: ") || missing != s.Truncated.LinesOmitted {
			t.Fatalf("notes %q, %d lines missing, %+v", notes, missing, s.Truncated)
		}
	}
}

func TestBudgetsFromOneTokenUp(t *testing.T) {
	c := counter(t)
	files, r := sample(6)
	for _, f := range []api.Format{api.Plain, api.XML, api.Markdown, api.Human} {
		for budget := 1; budget <= 300; budget++ {
			b := assembled(t, files, r, api.Question{Budget: budget, Format: f}, c)
			checkTokens(t, b, c)
			if len(b.Sources)+len(b.Omitted) != len(r.Candidates) {
				t.Fatalf("%v, %d tokens: %d shown and %d omitted of %d", f, budget, len(b.Sources), len(b.Omitted), len(r.Candidates))
			}
		}
	}
}

// sample is a request with n functions of growing length in one file: the first is the
// unit in question, the others use it or are used by it.
func sample(n int) (tree, retrieve.Result) {
	var file strings.Builder
	r := retrieve.Result{Query: "fn0", Scope: api.Focused}
	line := 1
	for i := range n {
		start := file.Len()
		doc := fmt.Sprintf("// fn%d does the work number %d and returns what it made.\n", i, i)
		header := fmt.Sprintf("func fn%d(ctx context.Context, input string) (Output, error)", i)
		file.WriteString(doc + header + " {\n")
		for k := range 3 + i {
			fmt.Fprintf(&file, "\tvalue%d := compute(ctx, input, %d)\n", k, k*i)
		}
		file.WriteString("\treturn merge(value0, value1)\n}\n")
		role := retrieve.RoleUses
		switch {
		case i == 0:
			role = retrieve.RoleDefinition
		case i%2 == 0:
			role = retrieve.RoleUsedBy
		}
		u := retrieve.Unit{
			Path: "work.go", Language: "go", Kind: record.KindFunction, Identifier: fmt.Sprintf("fn%d", i),
			Span:     record.Span{Start: start, End: file.Len()},
			Doc:      record.Span{Start: start, End: start + len(doc)},
			Header:   record.Span{Start: start + len(doc), End: start + len(doc) + len(header)},
			Body:     record.Span{Start: start + len(doc) + len(header) + 1, End: file.Len()},
			NameLine: line + 1, Lines: record.Lines{First: line, Last: line + 6 + i - 1},
		}
		cand := retrieve.Candidate{Unit: u, Role: role, Relevance: 1 - float64(i)/float64(n), Probability: 1 - float64(i)/float64(n), Why: []api.Signal{{Name: "reference", Score: 1}}}
		if role == retrieve.RoleUsedBy {
			cand.Focus = []int{line + 3}
		}
		r.Candidates = append(r.Candidates, cand)
		r.Dependencies = append(r.Dependencies, api.Dependency{From: "fn0", To: u.Identifier, Kind: record.EdgeCalls})
		line += 6 + i
		file.WriteByte('\n')
		line++
	}
	r.Symbol = &r.Candidates[0].Unit
	r.Structure = []retrieve.FileOutline{{Path: "work.go", Lines: line, Units: []string{"func fn0(ctx context.Context, input string) (Output, error)"}}}
	return tree{"work.go": file.String()}, r
}
