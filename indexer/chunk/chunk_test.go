package chunk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// split cuts content as the file at path.
func split(path, content string, opt chunk.Options) []record.Chunk {
	o := languages.Parse(record.Path(path), []byte(content))
	return chunk.Split(&o, opt)
}

// byUnit returns the chunks that have a unit, by "unit#section".
func byUnit(chunks []record.Chunk) map[string]record.Chunk {
	m := map[string]record.Chunk{}
	for _, c := range chunks {
		if c.Unit != "" && !c.IsSummary {
			m[c.Unit+"#"+c.Section] = c
		}
	}
	return m
}

// function returns a Go function of about n tokens.
func function(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s does it.\nfunc %s(s *State) {\n", name, name)
	for i := 0; i < n/12; i++ {
		fmt.Fprintf(&b, "\ts.log.Info(\"step\", %d)\n", i)
	}
	b.WriteString("}\n\n")
	return b.String()
}

func TestSplitKeepsTheIDOfAUnitWhenOthersMove(t *testing.T) {
	f, g := function("F", 100), function("G", 100)
	before := byUnit(split("a.go", "package a\n\n"+f+g, chunk.Options{}))
	after := byUnit(split("a.go", "package a\n\n"+function("New", 200)+g+f, chunk.Options{}))
	for _, unit := range []string{"F#", "G#"} {
		if before[unit].ID != after[unit].ID || before[unit].ID == (record.ChunkID{}) {
			t.Errorf("id of %s is %v, then %v", unit, before[unit].ID, after[unit].ID)
		}
	}
}

func TestSplitGivesEveryChunkItsOwnID(t *testing.T) {
	text := "package a\n\n" + function("F", 100) + function("F", 100) + function("Big", 3000)
	seen := map[record.ChunkID]string{}
	for _, c := range split("a.go", text, chunk.Options{}) {
		if other, taken := seen[c.ID]; taken {
			t.Errorf("%s and %s#%s share the id %v", other, c.Unit, c.Section, c.ID)
		}
		seen[c.ID] = c.Unit + "#" + c.Section
		if c.ID[6]>>4 != 5 || c.ID[8]>>6 != 2 {
			t.Errorf("%v is no UUID of version 5", c.ID)
		}
	}
}

func TestSplitHashesTheEmbeddingText(t *testing.T) {
	text := "package a\n\n" + function("Big", 3000) + function("F", 100)
	for _, mode := range []chunk.ContextMode{chunk.ContextNone, chunk.ContextMinimal, chunk.ContextFull} {
		for _, c := range split("a.go", text, chunk.Options{ContextMode: mode}) {
			want := record.HashText([]byte(c.Prefix + text[c.Span.Start:c.Span.End] + c.Suffix))
			if c.EmbedHash != want {
				t.Errorf("mode %s: EmbedHash of %s#%s is not that of prefix, text and suffix", mode, c.Unit, c.Section)
			}
			if mode == chunk.ContextNone && c.Prefix+c.Suffix != "" {
				t.Errorf("the embedding text of %s has more than its content without context", c.Unit)
			}
		}
	}
}

func TestSplitKeepsUnitsBelowTheirLimits(t *testing.T) {
	text := "package a\n\n" + function("F", 780) + function("Big", 5000)
	for _, c := range split("a.go", text, chunk.Options{}) {
		if c.IsSummary {
			continue
		}
		limit := 800
		if strings.HasPrefix(c.Section, "part") {
			limit = 600
			if c.Tokens < 200 {
				t.Errorf("%s#%s has %d tokens, want at least 200", c.Unit, c.Section, c.Tokens)
			}
		}
		if c.Tokens > limit {
			t.Errorf("%s#%s has %d tokens, want at most %d", c.Unit, c.Section, c.Tokens, limit)
		}
	}
}

func TestSplitOfAnOutlineMadeByHand(t *testing.T) {
	content := []byte("type A struct{}; type B struct{}\n\nfunc (t T) M() {}\n")
	o := languages.Outline{Path: "x", Content: content, Language: "go", Package: "p", Decls: []languages.Decl{
		{Name: "A", Kind: record.KindStruct, Parent: -1, Span: record.Span{Start: 0, End: 15}, Header: record.Span{Start: 0, End: 13}},
		{Name: "B", Kind: record.KindStruct, Parent: -1, Span: record.Span{Start: 17, End: 32}, Header: record.Span{Start: 17, End: 30}},
		{Name: "M", Kind: record.KindMethod, Parent: -1, Container: "pkg.T", Span: record.Span{Start: 34, End: 51}, Header: record.Span{Start: 34, End: 48}},
	}}
	chunks := chunk.Split(&o, chunk.Options{})
	if len(chunks) != 1 {
		t.Fatalf("got %d chunks, want 1: small neighbours merge", len(chunks))
	}
	if diff := cmp.Diff([]string{"A", "B", "T.M"}, chunks[0].Defines); diff != "" {
		t.Errorf("Defines (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(record.Lines{First: 1, Last: 3}, chunks[0].Lines); diff != "" {
		t.Errorf("Lines (-want +got):\n%s", diff)
	}
	if want := "A + 2"; chunks[0].Section != want {
		t.Errorf("Section is %q, want %q", chunks[0].Section, want)
	}
	if want := "# Unit: A, B (text)\n# File: x\n"; chunks[0].Prefix != want {
		t.Errorf("Prefix is %q, want %q", chunks[0].Prefix, want)
	}
}

func TestSplitNamesImportsAndSiblings(t *testing.T) {
	text := "from os import path\nimport json\nimport re\n\nclass A:\n" +
		strings.Repeat("    register(\"filler that makes the class large enough to be cut at its members\")\n", 60) +
		"    def f(self):\n" + strings.Repeat("        self.add(json.dumps(path.join('a', 'b')))\n", 8) +
		"\n    def g(self, n):\n" + strings.Repeat("        self.add(json.loads(self.text_of_the_thing(n)))\n", 8)
	chunks := byUnit(split("a.py", text, chunk.Options{}))
	f := chunks["A.f#"]
	if !slices.Contains(f.Imports, "json") || slices.Contains(f.Imports, "re") {
		t.Errorf("Imports of f are %q, want json and not re", f.Imports)
	}
	if len(f.Siblings) != 1 || !strings.HasPrefix(f.Siblings[0], "def g(self, n)") {
		t.Errorf("Siblings of f are %q, want the signature of g", f.Siblings)
	}
	if f.Scope != "A" || f.Name != "f" {
		t.Errorf("Scope and Name of f are %q and %q", f.Scope, f.Name)
	}
}

func TestSplitOfNothingIsNothing(t *testing.T) {
	if chunks := split("a.go", "", chunk.Options{}); chunks != nil {
		t.Errorf("got %d chunks of an empty file", len(chunks))
	}
}

// hostile holds inputs that make careless code slow or wrong.
var hostile = map[string]string{
	"one long line":       strings.Repeat("var a=1;", 1<<17),
	"one long word":       strings.Repeat("a", 1<<20),
	"blanks":              strings.Repeat(" ", 1<<20),
	"line ends":           strings.Repeat("\n", 1<<19),
	"open brackets":       strings.Repeat("{", 1<<14),
	"nested quotes":       strings.Repeat(">", 1<<18) + " x",
	"nested lists":        strings.Repeat("- ", 1<<17) + "x",
	"link definitions":    strings.Repeat("[a]: b\n", 1<<16),
	"many headings":       strings.Repeat("# a\n\n", 1<<15),
	"open links":          strings.Repeat("[a](", 1<<17),
	"backquotes":          strings.Repeat("` `` ", 1<<16),
	"emphasis":            strings.Repeat("*a_", 1<<17),
	"a wide table":        strings.Repeat("|a", 1<<14) + "\n" + strings.Repeat("|-", 1<<14) + "\n" + strings.Repeat("|\n", 1<<14),
	"invalid UTF-8":       strings.Repeat("\xff\xfe\x00 \xc3", 1<<16),
	"anchors of YAML":     "---\na: &a [x]\n" + strings.Repeat("b: [*a, *a, *a]\n", 500) + "---\n",
	"nested front matter": "---\na: " + strings.Repeat("[", 8<<10) + "\n---\n",
	"code references":     strings.Repeat("a/b.c:1", 1<<16),
	"signatures":          strings.Repeat("f :: Int\nf = 1\n", 1<<14),
}

func TestSplitCopesWithHostileInput(t *testing.T) {
	for name, content := range hostile {
		for _, path := range []string{"a.md", "a.txt", "a.rst", "a.hs", "a.php", "a.s", "a.clj", "a.sh"} {
			t.Run(name+" as "+path, func(t *testing.T) {
				checkCover(t, []byte(content), split(path, content, chunk.Options{}))
			})
		}
	}
}

func TestSplitCopesWithHostileClasses(t *testing.T) {
	const n = 1 << 11
	rep := strings.Repeat
	for name, content := range map[string]string{
		"models in models":    rep("class A < ApplicationRecord; has_many :b; include C;\n", n),
		"many purposes":       "class A < ApplicationRecord\n" + rep("scope :a\nvalidates :b\nX = 1\n", n) + "end",
		"actions and filters": "class A < BController\n" + rep("before_action :a, only: :b\n", n) + rep("def b; end\n", n) + "end",
	} {
		t.Run(name, func(t *testing.T) {
			checkCover(t, []byte(content), split("app/models/a.rb", content, chunk.Options{}))
		})
	}
}

// TestTheEmbeddingTextGrowsWithTheText counts what is embedded of a controller whose every
// action could quote every filter.
func TestTheEmbeddingTextGrowsWithTheText(t *testing.T) {
	embedded := func(n int) (sum, bytes int) {
		var text strings.Builder
		text.WriteString("class A < BController\n")
		for i := range n {
			fmt.Fprintf(&text, "before_action :check_the_account_number_%d\n", i)
		}
		for i := range n {
			fmt.Fprintf(&text, "def action_%d\n  render json: Account.find(params[:id])\nend\n", i)
		}
		text.WriteString("end\n")
		content := text.String()
		for _, c := range split("app/controllers/a_controller.rb", content, chunk.Options{}) {
			sum += len(c.Prefix) + len(c.Text([]byte(content))) + len(c.Suffix)
		}
		return sum, len(content)
	}
	small, _ := embedded(500)
	large, bytes := embedded(2000)
	t.Logf("%d and %d bytes are embedded", small, large)
	if large > 5*small {
		t.Errorf("of 4 times the text %d times as much is embedded", large/small)
	}
	if large > 8*bytes { // each action quotes up to 300 bytes of filters
		t.Errorf("of a text of %d bytes %d are embedded", bytes, large)
	}
}

func TestSplitCopesWithDeepNesting(t *testing.T) {
	const depth, step = 20000, 20
	content := []byte(strings.Repeat("class Something {  \n", depth))
	o := languages.Outline{Path: "a", Content: content, Language: "java"}
	for i := range depth {
		o.Decls = append(o.Decls, languages.Decl{Name: "Something", Kind: record.KindClass, Parent: i - 1, Span: record.Span{Start: i * step, End: len(content)},
			Header: record.Span{Start: i * step, End: i*step + step}})
	}
	checkCover(t, content, chunk.Split(&o, chunk.Options{}))
}

func FuzzSplitCoversEveryByteInOrder(f *testing.F) {
	for _, path := range []string{"a.go", "a.py", "a.md", "a.rst", "a.adoc", "a.txt", "a.hs", "a.php", "Makefile", "a.s", "a.vim"} {
		f.Add(path, []byte("package a\n\n// F is.\nfunc F() {\n\tg()\n}\n"), 0)
		f.Add(path, []byte("---\ntitle: x\n---\n# A\n\n- a\n  - b\n\n| a |\n|---|\n| b |\n\n```go\nx\n```\n"), 3)
	}
	model := "class A < ApplicationRecord\n  include B\n  has_many :c\n" + strings.Repeat("  validates :d\n  scope :e, -> { f }\n\n", 40) + "  def g; end\n  private\n  h :i\nend\n"
	f.Add("app/models/a.rb", []byte(model), 0)
	f.Add("app/models/a.rb", []byte("module M\n"+strings.Repeat(model, 5)+"end"), 0)
	f.Add("app/controllers/a_controller.rb", []byte("class AController < BController\n  before_action :a, only: [:b]\n"+strings.Repeat("  def b; end\n", 6)+"end\n"), 0)
	f.Fuzz(func(t *testing.T, path string, content []byte, maxTokens int) {
		o := languages.Parse(record.Path(path), content)
		for _, opt := range []chunk.Options{{}, {MaxTokens: maxTokens, TextOnly: true}, {MaxTokens: 1, OverlapTokens: 1}} {
			chunks := chunk.Split(&o, opt)
			checkCover(t, content, chunks)
			if diff := cmp.Diff(chunks, chunk.Split(&o, opt)); diff != "" {
				t.Fatalf("a second Split differs (-first +second):\n%s", diff)
			}
		}
	})
}

func FuzzSplitCoversAnyOutline(f *testing.F) {
	f.Add([]byte("a b c\nd e f\n"), []byte{0, 0, 4, 1, 1, 3, 0, 5, 9})
	f.Fuzz(func(t *testing.T, content, layout []byte) {
		o := languages.Outline{Path: "x", Content: content, Language: "go"}
		for i := 0; i+2 < len(layout); i += 3 {
			start := int(layout[i+1]) % (len(content) + 1)
			end := min(start+int(layout[i+2]), len(content))
			o.Decls = append(o.Decls, languages.Decl{Name: "n", Kind: record.KindClass, Parent: int(layout[i])%(i/3+1) - 1,
				Span: record.Span{Start: start, End: end}, Header: record.Span{Start: start, End: end}})
		}
		slices.SortStableFunc(o.Decls, func(a, b languages.Decl) int { return a.Span.Start - b.Span.Start })
		checkCover(t, content, chunk.Split(&o, chunk.Options{}))
	})
}
