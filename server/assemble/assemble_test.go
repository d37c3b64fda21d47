package assemble_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// tree is the files of a request.
type tree map[record.Path]string

func (t tree) Content(_ context.Context, path record.Path) ([]byte, error) {
	if s, ok := t[path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

// words counts the words between blanks, so that a test can count too.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// bare writes the sources alone, each under a title of two words.
func bare(b *assemble.Bundle) (string, []record.Span) {
	var t strings.Builder
	for i := range b.Sources {
		t.WriteString("unit " + b.Sources[i].Identifier + "\n" + b.Texts[i])
	}
	for _, o := range b.Structure {
		t.WriteString(string(o.Path) + " (0 lines)\n" + strings.Join(o.Units, "\n") + "\n")
	}
	for _, d := range b.Dependencies {
		t.WriteString(d.From + " " + d.To + "\n")
	}
	return t.String(), nil
}

func assembled(t testing.TB, files tree, r retrieve.Result, budget int) *api.Answer {
	t.Helper()
	b, err := assemble.Assemble(t.Context(), files, words{}, assemble.Request{Question: api.Question{Budget: budget, Fill: true}, Result: r, Render: bare})
	if err != nil {
		t.Fatalf("Assemble: %v", err)
	}
	if n := (words{}).Count(b.Text); n > budget || n != b.Tokens {
		t.Fatalf("text has %d tokens, says %d, budget %d", n, b.Tokens, b.Budget)
	}
	return b
}

// shown returns the sources and their lines, in order.
func shown(b *api.Answer) []string {
	var out []string
	for i := range b.Sources {
		s := &b.Sources[i]
		out = append(out, fmt.Sprint(s.Section, " ", s.Identifier, " ", s.Ranges))
	}
	return out
}

// maker writes functions of n lines into one file each.
type maker struct {
	files      tree
	candidates []retrieve.Candidate
}

func (m *maker) add(role retrieve.Role, name string, nLines int, focus ...int) {
	path := record.Path(name + ".go")
	header := "func " + name + "() {"
	text := header + "\n" + strings.Repeat("\tone two three four\n", nLines-2) + "}\n"
	m.files[path] = text
	m.candidates = append(m.candidates, retrieve.Candidate{
		Unit: retrieve.Unit{
			Path: path, Language: "go", Kind: record.KindFunction, Identifier: name, NameLine: 1,
			Span:   record.Span{End: len(text)},
			Header: record.Span{End: len(header)},
			Body:   record.Span{Start: len(header) - 1, End: len(text) - 1},
		},
		Role: role, Relevance: 1 / float64(len(m.candidates)+1), Probability: 1 / float64(len(m.candidates)+1), Focus: focus,
		Why: []api.Signal{{Name: "test", Score: 1}},
	})
}

func (m *maker) result() retrieve.Result {
	return retrieve.Result{Query: "q", Scope: api.Focused, Candidates: m.candidates}
}

func TestABudgetBelowOneIsRefusedWithTheRange(t *testing.T) {
	for _, budget := range []int{0, -1} {
		_, err := assemble.Assemble(t.Context(), tree{}, words{}, assemble.Request{Question: api.Question{Budget: budget}, Render: bare})
		if !errors.Is(err, assemble.ErrBudget) || !strings.Contains(err.Error(), "1 or more") {
			t.Errorf("budget %d: got %v", budget, err)
		}
	}
}

func TestACancelledRequestReturnsItsCause(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleMatch, "f", 3)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the editor moved on")
	cancel(cause)
	_, err := assemble.Assemble(ctx, m.files, words{}, assemble.Request{Question: api.Question{Budget: 100}, Result: m.result(), Render: bare})
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestAFileThatCannotBeReadCostsItsCandidatesOnly(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleMatch, "gone", 3)
	m.add(retrieve.RoleMatch, "short", 3)
	m.add(retrieve.RoleMatch, "here", 3)
	delete(m.files, "gone.go")
	m.files["short.go"] = ""
	b := assembled(t, m.files, m.result(), 100)
	if diff := cmp.Diff([]string{"primary here [[1 3]]"}, shown(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []api.Omission{
		{Identifier: "gone", Path: "gone.go", Reason: "unreadable: file does not exist"},
		{Identifier: "short", Path: "short.go", Reason: "changed or empty"},
	}
	if diff := cmp.Diff(want, b.Omitted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALongFunctionThatWasFoundIsShownInStepsBesideTheOthers(t *testing.T) {
	m := maker{files: tree{}}
	for i := range 12 {
		lines := 30
		if i == 0 {
			lines = 900 // 3,600 words
		}
		m.add(retrieve.RoleMatch, fmt.Sprint("f", i), lines)
		c := &m.candidates[i]
		c.Relevance, c.Found = .9-.01*float64(i), []record.Lines{{First: 10, Last: 12}}
	}
	shown := 0
	for _, budget := range []int{500, 1000, 2000, 4000, 8000} {
		b := assembled(t, m.files, m.result(), budget)
		n := 0
		for _, r := range b.Sources[0].Ranges {
			n += r[1] - r[0] + 1
		}
		switch {
		case b.Sources[0].Identifier != "f0" || len(b.Sources) < 2:
			t.Errorf("budget %d: %d sources, the first is %s", budget, len(b.Sources), b.Sources[0].Identifier)
		case budget >= 2000 && n < 50:
			t.Errorf("budget %d: only %d lines of the long function", budget, n)
		case n < shown:
			t.Errorf("budget %d: %d lines of the long function, a smaller one showed %d", budget, n, shown)
		}
		shown = n
		t.Logf("budget %d: %d lines of the long function, %d sources", budget, n, len(b.Sources))
	}
	if shown < 900 {
		t.Errorf("the largest budget shows %d of 900 lines", shown)
	}
}

func TestSectionsKeepTheirShares(t *testing.T) {
	tests := []struct {
		name  string
		roles []retrieve.Role
		want  map[string]int // per cent of the budget
	}{
		{"without framework its part goes to the others as 50:25",
			[]retrieve.Role{retrieve.RoleMatch, retrieve.RoleUses},
			map[string]int{"structural": 10, "primary": 60, "supporting": 30}},
		{"all four", []retrieve.Role{retrieve.RoleMatch, retrieve.RoleUses, retrieve.RoleFramework},
			map[string]int{"structural": 10, "primary": 50, "supporting": 25, "framework": 15}},
		{"primary alone has all but the structure", []retrieve.Role{retrieve.RoleMatch},
			map[string]int{"structural": 10, "primary": 90}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := maker{files: tree{}}
			for i := range 3000 {
				m.add(tt.roles[i%len(tt.roles)], fmt.Sprint("f", i), 3)
			}
			r := m.result()
			r.Scope = api.Exploratory
			for i := range 400 {
				r.Structure = append(r.Structure, retrieve.FileOutline{Path: record.Path(fmt.Sprint(i)), Units: []string{"a b c d e"}})
			}
			got := map[string]int{}
			for _, s := range assembled(t, m.files, r, 8000).Sections {
				got[s.Name] = (s.Tokens + 40) / 80
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestASectionThatWouldGetUnder200TokensIsLeftOut(t *testing.T) {
	m := maker{files: tree{}}
	for i := range 200 {
		m.add(retrieve.RoleMatch, fmt.Sprint("match", i), 3)
		m.add(retrieve.RoleUses, fmt.Sprint("uses", i), 3)
	}
	for budget, want := range map[int]int{199: 1, 599: 1, 610: 2} {
		if b := assembled(t, m.files, m.result(), budget); len(b.Sections) != want {
			t.Errorf("budget %d: got %+v, want %d sections", budget, b.Sections, want)
		}
	}
}

func TestUnusedTokensGoToTheNextSection(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleMatch, "small", 3)
	m.add(retrieve.RoleUses, "large", 220)
	got := shown(assembled(t, m.files, m.result(), 1000))
	if diff := cmp.Diff([]string{"primary small [[1 3]]", "supporting large [[1 220]]"}, got); diff != "" {
		t.Errorf("supporting gets what primary leaves (-want +got):\n%s", diff)
	}

	m = maker{files: tree{}}
	m.add(retrieve.RoleMatch, "large", 220)
	m.add(retrieve.RoleUses, "small", 3)
	got = shown(assembled(t, m.files, m.result(), 1000))
	if diff := cmp.Diff([]string{"primary large [[1 220]]", "supporting small [[1 3]]"}, got); diff != "" {
		t.Errorf("primary gets what supporting leaves (-want +got):\n%s", diff)
	}
}

func TestTheUnitInQuestionIsWholeBeforeOthersAreRaised(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "asked", 170) // 680 tokens, more than its share
	for i := range 8 {
		m.add(retrieve.RoleUses, fmt.Sprint("used", i), 30)
	}
	b := assembled(t, m.files, m.result(), 1000)
	if s := b.Sources[0]; s.Truncated != nil {
		t.Errorf("asked is truncated: %+v", s.Truncated)
	}
	if len(b.Sources) != 9 {
		t.Errorf("%d sources, want all 9", len(b.Sources))
	}
}

func TestADependentShowsItsLineOfUse(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleUsedBy, "user", 100, 50)
	b := assembled(t, m.files, m.result(), 60)
	if diff := cmp.Diff([]string{"supporting user [[1 1] [49 51]]"}, shown(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := &api.Truncation{LinesOmitted: 96, Kinds: []string{"body"}, TotalLines: 100, TotalTokens: 396}
	if diff := cmp.Diff(want, b.Sources[0].Truncated); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if note := "// … (truncated: 96 lines omitted: body) Full source: user.go (100 lines, 396 tokens)\n"; !strings.HasSuffix(b.Text, note) {
		t.Errorf("no note in\n%s", b.Text)
	}
}

func TestOneUnitFoundTwiceIsOneSourceWithAllReasons(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "f", 3)
	twice := m.candidates[0]
	twice.Role, twice.Why = retrieve.RoleUsedBy, []api.Signal{{Name: "test", Score: .5}, {Name: "lexical", Score: 3}}
	m.candidates = append(m.candidates, twice)
	b := assembled(t, m.files, m.result(), 1000)
	if diff := cmp.Diff([]string{"primary f [[1 3]]"}, shown(b)); diff != "" || len(b.Omitted) > 0 {
		t.Fatalf("omitted %v (-want +got):\n%s", b.Omitted, diff)
	}
	want := []api.Signal{{Name: "lexical", Score: 3}, {Name: "test", Score: 1}}
	if diff := cmp.Diff(want, b.Sources[0].Why); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestArrowsJoinOnlyWhatIsShown(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "a", 3)
	m.add(retrieve.RoleUses, "b", 3)
	r := m.result()
	r.Dependencies = []api.Dependency{{From: "a", To: "b", Kind: record.EdgeCalls}, {From: "a", To: "elsewhere", Kind: record.EdgeCalls}}
	if diff := cmp.Diff(r.Dependencies[:1], assembled(t, m.files, r, 1000).Dependencies); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostileUnitsCostBoundedWork(t *testing.T) {
	long := strings.Repeat("x ", 1<<19)
	files := tree{"long.txt": long, "lines.txt": strings.Repeat("\n", 1<<20) + "x", "nul.txt": strings.Repeat("\x00\xff", 1000)}
	var r retrieve.Result
	for path, text := range files {
		r.Candidates = append(r.Candidates, retrieve.Candidate{
			Unit: retrieve.Unit{Path: path, Identifier: string(path), Kind: record.KindText, Span: record.Span{End: len(text)}},
			Role: retrieve.RoleMatch, Relevance: 1, Probability: 1, Why: []api.Signal{{Name: "test"}},
		})
	}
	b := assembled(t, files, r, 8000)
	if len(b.Sources)+len(b.Omitted) != 3 {
		t.Errorf("%d shown, %d omitted of 3", len(b.Sources), len(b.Omitted))
	}
}

func TestLabelsStayOnTheirLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":          "plain",
		" a\r\n\tb\x00 ": "a b",
		"a\u2028b\xff":   "a b�",
		"0123456789abc":  "0123456789…",
		"日本語日本語":         "日本語…",
	} {
		if got := assemble.OneLine(in, 10); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[record.Path]string{
		"a b/ü.go": "a b/ü.go",
		"a\nb":     `"a\nb"`,
		"a\xff":    `"a\xff"`,
		`a"b\c`:    `"a\"b\\c"`,
	} {
		if got := assemble.SafePath(in); got != want {
			t.Errorf("SafePath(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[int]string{0: "0", 999: "999", 4200: "4,200", 1234567: "1,234,567", -4200: "-4,200", -123: "-123"} {
		if got := assemble.Thousands(in); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", in, got, want)
		}
	}
}

// A weak container does not swallow a strong unit: it is shown without its lines.
func TestAContainerIsShownWithoutTheUnitsInside(t *testing.T) {
	text := "type T struct{}\n\nfunc (T) strong() {\n\tone two three\n}\n\nfunc (T) other() {\n\tone two three\n}\n"
	strong := strings.Index(text, "func (T) strong")
	end := strings.Index(text, "}\n\nfunc (T) other") + 2
	unit := func(name string, s record.Span, line int) retrieve.Unit {
		return retrieve.Unit{Path: "t.go", Language: "go", Kind: record.KindFile, Identifier: name, NameLine: line, Span: s}
	}
	r := retrieve.Result{Query: "q", Scope: api.Focused, Candidates: []retrieve.Candidate{
		{Unit: unit("strong", record.Span{Start: strong, End: end}, 3), Role: retrieve.RoleUsedBy, Relevance: .9, Probability: .9},
		{Unit: unit("t.go", record.Span{End: len(text)}, 1), Role: retrieve.RoleCoChange, Relevance: .4, Probability: .4},
	}}
	b := assembled(t, tree{"t.go": text}, r, 1000)
	if diff := cmp.Diff([]string{"supporting strong [[3 5]]", "supporting t.go [[1 2] [6 9]]"}, shown(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAUnitBelowItsFloorIsShownOnlyToFill(t *testing.T) {
	m := maker{files: tree{}}
	for i := range 5 { // relevances 1, 1/2, 1/3, 1/4, 1/5
		m.add(retrieve.RoleSimilar, fmt.Sprint("f", i), 3)
	}
	for fill, want := range map[bool]int{false: 4, true: 5} {
		b, err := assemble.Assemble(t.Context(), m.files, words{}, assemble.Request{Question: api.Question{Budget: 1000, Fill: fill}, Result: m.result(), Render: bare})
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Sources) != want {
			t.Errorf("fill %t: %d sources, want %d", fill, len(b.Sources), want)
		}
		for _, o := range b.Omitted {
			if o.Reason != assemble.NotWorth {
				t.Errorf("%s is omitted: %s", o.Identifier, o.Reason)
			}
		}
	}
}

// A used or similar unit that is larger than the largest chunk is reduced although the budget
// has room for all of it, unless the question fills the budget; a unit in question is not.
func TestAHugeUsedUnitIsNotShownWhole(t *testing.T) {
	for _, tt := range []struct {
		role  retrieve.Role
		fill  bool
		whole bool
	}{{retrieve.RoleUses, false, false}, {retrieve.RoleSimilar, false, false}, {retrieve.RoleUses, true, true}, {retrieve.RoleDefinition, false, true}, {retrieve.RoleUsedBy, false, true}} {
		m := maker{files: tree{}}
		m.add(tt.role, "huge", 500)
		b, err := assemble.Assemble(t.Context(), m.files, words{}, assemble.Request{Question: api.Question{Budget: 8000, Fill: tt.fill}, Result: m.result(), Render: bare})
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Sources) != 1 || (b.Sources[0].Tokens > 1500) != tt.whole {
			t.Errorf("%s, fill %t: %d tokens of %v, want whole: %t", tt.role, tt.fill, b.Tokens, shown(b), tt.whole)
		}
	}
}

// A larger budget shows all that a smaller one shows of an overview.
func TestAnOverviewGrowsWithTheBudget(t *testing.T) {
	v := &api.Overview{Name: "shop", About: "A shop of books.", Frameworks: []string{"Rails"}}
	for i := range 40 {
		n := strconv.Itoa(i)
		v.Languages = append(v.Languages, api.LanguageShare{Language: "l" + n, Files: i})
		v.Dependencies = append(v.Dependencies, "d"+n)
		v.Entries = append(v.Entries, api.EntryPoint{Name: "e" + n, Kind: "program"})
		v.Parts = append(v.Parts, api.ProjectPart{Path: "p" + n + "/", Rank: (i * 7) % 40, About: "Holds what the number says."})
	}
	r := retrieve.Result{Query: "overview", Scope: api.Comprehensive, Overview: v}
	shown := map[string]bool{}
	for budget := 400; budget <= 40000; budget += 400 {
		a := assembled(t, tree{}, r, budget)
		if a.Overview == nil {
			if len(shown) > 0 {
				t.Fatalf("budget %d shows no overview", budget)
			}
			continue
		}
		now := map[string]bool{}
		for _, p := range a.Overview.Parts {
			now[p.Path] = true
		}
		for _, e := range a.Overview.Entries {
			now[e.Name] = true
		}
		for _, d := range a.Overview.Dependencies {
			now[d] = true
		}
		for name := range shown {
			if !now[name] {
				t.Errorf("budget %d does not show %s, a smaller one does", budget, name)
			}
		}
		shown = now
		if got := len(a.Overview.Parts) + a.Overview.MoreParts; got != len(v.Parts) {
			t.Errorf("budget %d: %d parts are shown or counted, want %d", budget, got, len(v.Parts))
		}
	}
	if len(shown) != 120 {
		t.Errorf("the largest budget shows %d of 120 items", len(shown))
	}
}

// The statements that a question names come before all other units, and the note says what
// the omitted lines hold.
func TestWhatAQuestionNamesOfAClassIsShownFirst(t *testing.T) {
	text := "class Order\n" + strings.Repeat("  has_many :lines, one two three four\n", 12) + strings.Repeat("  validates :email, one two three four\n", 5) +
		strings.Repeat("  def total\n    one two three four five six seven\n  end\n", 20) + "end\n"
	var sections []retrieve.Section
	var members []retrieve.Member
	var focus []int
	at := 0
	for i, line := range strings.SplitAfter(text, "\n") {
		span := record.Span{Start: at, End: at + len(line)}
		at = span.End
		switch {
		case strings.HasPrefix(line, "  has_many"):
			if len(sections) == 0 {
				sections = append(sections, retrieve.Section{Title: "associations"})
			}
			sections[0].Spans = append(sections[0].Spans, span)
			focus = append(focus, i+1)
		case strings.HasPrefix(line, "  validates"):
			if len(sections) == 1 {
				sections = append(sections, retrieve.Section{Title: "validations"})
			}
			sections[1].Spans = append(sections[1].Spans, span)
		case strings.HasPrefix(line, "  def"):
			body := strings.Index(text[span.End:], "end\n") + 4
			members = append(members, retrieve.Member{Kind: record.KindMethod, Span: record.Span{Start: span.Start, End: span.End + body}, Header: span})
		}
	}
	m := maker{files: tree{}}
	m.add(retrieve.RoleMatch, "small", 4)
	m.files["order.rb"] = text
	m.candidates = append(m.candidates, retrieve.Candidate{
		Unit: retrieve.Unit{Path: "order.rb", Language: "ruby", Kind: record.KindClass, Identifier: "Order", NameLine: 1, Span: record.Span{End: len(text)},
			Header: record.Span{End: len("class Order")}, Body: record.Span{Start: len("class Order"), End: len(text)}, Members: members, Sections: sections},
		Role: retrieve.RoleMatch, Relevance: .5, Probability: .5, Focus: focus, Named: retrieve.NamedLines,
	})
	b := assembled(t, m.files, m.result(), 130)
	i := slices.IndexFunc(b.Sources, func(s api.Source) bool { return s.Identifier == "Order" })
	if i < 0 || len(b.Sources[i].Ranges) == 0 || b.Sources[i].Ranges[0][1] < 13 {
		t.Fatalf("the associations are not shown: %v", shown(b))
	}
	if diff := cmp.Diff([]string{"4 validations", "20 methods"}, b.Sources[i].Truncated.Kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

// Of the units that a search found, the body of the best comes before the signatures of the
// others; of a long one the lines that were found come before the rest.
func TestTheBestMatchesAreShownInDepth(t *testing.T) {
	m := maker{files: tree{}}
	for i := range 9 {
		m.add(retrieve.RoleMatch, fmt.Sprint("f", i), 30)
		m.candidates[i].Found = []record.Lines{{First: 11, Last: 20}}
	}
	b := assembled(t, m.files, m.result(), 180)
	if diff := cmp.Diff([]string{"primary f0 [[1 30]]", "primary f1 [[1 1] [11 20]]"}, shown(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheTokensOfAnAnswerAddUp(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "asked", 12)
	m.add(retrieve.RoleUses, "used", 40)
	m.add(retrieve.RoleUsedBy, "user", 30, 5)
	r := m.result()
	r.Structure = []retrieve.FileOutline{{Path: "asked.go", Lines: 12, Units: []string{"func asked()"}}}
	r.Dependencies = []api.Dependency{{From: "asked", To: "used", Kind: record.EdgeCalls}}
	for budget := 20; budget < 4000; budget += 60 {
		b := assembled(t, m.files, r, budget)
		of := map[string]int{}
		for i := range b.Sources {
			of[b.Sources[i].Section] += b.Sources[i].Tokens
		}
		sum := b.Markup
		for _, s := range b.Sections {
			sum += s.Tokens
			if n, ok := of[s.Name]; ok && n != s.Tokens {
				t.Errorf("budget %d: the sources of %s have %d tokens, the section %d", budget, s.Name, n, s.Tokens)
			}
		}
		if sum != b.Tokens || b.Markup < 0 {
			t.Errorf("budget %d: sections and markup (%d) have %d tokens, the answer %d", budget, b.Markup, sum, b.Tokens)
		}
	}
}

func TestTheReasonOfASourceIsWhatItsStrongestSignalSays(t *testing.T) {
	for _, tt := range []struct {
		role   retrieve.Role
		signal string
		usedBy record.EdgeKind
		want   string
	}{
		{retrieve.RoleUses, "calls", "", "calls"},
		{retrieve.RoleUses, "member of", "", "its type"},
		{retrieve.RoleUsedBy, "used by", record.EdgeCalls, "called by"},
		{retrieve.RoleUsedBy, "used by", "", "uses it"},
		{retrieve.RoleUsedBy, "implements", "", "implemented by"},
		{retrieve.RoleMatch, "lexical", "", "same words"},
		{retrieve.RoleSibling, "sibling", "", "same type"},
		{retrieve.RoleDoc, "doc", "", "mentions it"},
		{retrieve.RoleCoChange, "changed together", "", "changes with it"},
		{"another", "x", "", "another"},
	} {
		c := retrieve.Candidate{Role: tt.role, UsedBy: tt.usedBy, Why: []api.Signal{{Name: tt.signal, Score: 1}}}
		if got := c.Reason(); got != tt.want {
			t.Errorf("reason of %s by %q: %q, want %q", tt.role, tt.signal, got, tt.want)
		}
	}
}
