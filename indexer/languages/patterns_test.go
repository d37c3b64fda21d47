package languages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// declLines spells the declarations of a file: kind, qualified name and lines.
func declLines(o languages.Outline) []string {
	line := func(at int) int { return 1 + strings.Count(string(o.Content[:at]), "\n") }
	var out []string
	for _, d := range o.Decls {
		name := d.Name
		if d.Container != "" {
			name = d.Container + "." + name
		}
		for p := d.Parent; p >= 0; p = o.Decls[p].Parent {
			name = o.Decls[p].Name + "." + name
		}
		s := fmt.Sprintf("%s %s %d-%d", d.Kind, name, line(d.Span.Start), line(d.Span.End-1))
		if d.Doc.End > d.Doc.Start {
			s += " documented"
		}
		if len(d.Bases) > 0 {
			s += " < " + strings.Join(d.Bases, ", ")
		}
		out = append(out, s)
	}
	return out
}

func TestPatternsFindDeclarations(t *testing.T) {
	for _, tt := range []struct {
		path, text string
		want       []string
	}{
		{"a.sh", "# Doc.\nf() {\n  echo \"}\" # }\n}\nfunction g\n{\n  f\n}\nDIR=/x\n", []string{"function f 1-4 documented", "function g 5-8", "variable DIR 9-9"}},
		{"a.bats", "@test \"it works\" {\n  run x\n}\n", []string{"test it works 1-3"}},
		{"a.swift", "@main\npublic struct A: B {\n    let x: Int\n    init(x: Int) { self.x = x }\n    func f() -> Int { x }\n}\nextension A: C {\n    mutating func g() {\n    }\n}\n",
			[]string{"struct A 1-6 < B", "field A.x 3-3", "method A.init 4-4", "method A.f 5-5", "impl A 7-10 < C", "method A.g 8-9"}},
		{"a.scala", "package p\ncase class A(x: Int) extends B with C {\n  def f(y: Int): Int = {\n    y\n  }\n  val z = 1\n}\nobject A {\n  def apply() =\n    new A(1)\n}\n",
			[]string{"class A 2-7 < B, C", "field A.x 2-2", "method A.f 3-5", "field A.z 6-6", "class A 8-11", "method A.apply 9-10"}},
		{"a.lua", "local M = {}\n-- Doc.\nfunction M.f(x)\n  if x then\n    return \"end\"\n  end\nend\nlocal function g()\nend\nM.h = function()\nend\n",
			[]string{"variable M 1-1", "function M.f 2-7 documented", "function g 8-9", "function M.h 10-11"}},
		{"a.hs", "module A where\n-- | Doc.\nf :: Int\n  -> Int\nf 0 = 1\nf n\n  | n > 1 = 2\n\ndata T = A | B\n  deriving Show\nclass C a where\n  c :: a\ninstance C T where\n  c = A\ng = f 1\n",
			[]string{"function f 2-7 documented", "type T 9-10", "interface C 11-12", "impl C T 13-14", "function g 15-15"}},
		{"b.hs", "module B\n  ( f\n  )\nwhere\nimport A\ninfixl 6 +++\nf = 1\nderiving instance Show T\n", []string{"function f 7-7"}},
		{"a.zig", "const std = @import(\"std\");\n/// Doc.\npub const A = struct {\n    pub fn f(self: A) void {\n        _ = self;\n    }\n};\nfn g() void {}\ntest \"it\" {}\n",
			[]string{"struct A 2-7 documented", "method A.f 4-6", "function g 8-8", "test it 9-9"}},
		{"a.pl", "package A::B;\n=pod\n\nsub not {}\n\n=cut\nsub f {\n  my $x = shift;\n}\n", []string{"function f 6-9 documented"}},
		{"a.R", "f <- function(x) {\n  x\n}\ng = function(x) x\n", []string{"function f 1-3", "function g 4-4"}},
		{"a.jl", "module A\n\nfunction f(x)\n  x\nend\nstruct B\n  x\nend\ng(x) = x + 1\n\nend\n", []string{"function f 3-5", "struct B 6-8", "function g 9-9"}},
		{"a.dart", "class A extends B {\n  A(this.x);\n  int f(int y) {\n    if (y > 1) {\n      return g(y);\n    }\n    return 1;\n  }\n}\nvoid main() {\n}\n", []string{"class A 1-9 < B", "method A.f 3-8", "function main 10-11"}},
		{"a.clj", "(ns a.b)\n;; Doc.\n(defn f-g? [x]\n  (h x))\n(defprotocol P\n  (m [x]))\n", []string{"function f-g? 2-4 documented", "interface P 5-6"}},
		{"a.erl", "-module(a).\n-spec f(integer()) -> integer().\nf(0) -> 1;\nf(N) ->\n    N.\n-record(r, {x}).\n", []string{"function f 2-5", "struct r 6-6"}},
		{"a.nim", "type\n  A = object\n    x: int\nproc f*(a: A): int =\n  a.x\n", []string{"type A 2-3", "function f 4-5"}},
		{"a.fs", "module A\nopen System\ntype B() =\n  member this.F(x) =\n    x\nlet rec g x =\n  x\n", []string{"class B 3-5", "method B.F 4-5", "function g 6-7"}},
		{"a.vim", "\" Doc.\nfunction! s:f(x) abort\n  let s = \"}\"\nendfunction\n", []string{"function s:f 1-4 documented"}},
		{"a.ps1", "<# Doc. #>\nfunction Get-It {\n    param($x)\n}\n", []string{"function Get-It 1-4 documented"}},
		{"Makefile", "X := 1\n## all: doc\nall: a b\n\tmake $@\n.PHONY: all\nout/%.o: %.c\n\tcc $<\n", []string{"variable X 1-1", "function all 2-4 documented", "function .PHONY 5-5", "function out/%.o 6-7"}},
		{"a.s", "// func f()\nTEXT ·f(SB), 0, $0\n\tMOVQ AX, BX\nloop:\n\tRET\n\n// g.\nTEXT ·g<>(SB), 0, $0\n\tRET\n", []string{"function f 1-5 documented", "function g 7-9 documented"}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, declLines(languages.Parse(record.Path(tt.path), []byte(tt.text)))); diff != "" {
				t.Errorf("declarations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPatternsFindUsesAndImports(t *testing.T) {
	text := "import 'package:a/b.dart' as b;\nclass A {\n  int f() {\n    // not(1)\n    this.get(\"has(1)\");\n    x.y.z(new Bee(), Cee.DEE, Eee.run());\n  }\n}\n"
	o := languages.Parse("a.dart", []byte(text))
	var got []string
	for _, r := range o.Refs {
		got = append(got, fmt.Sprintf("%s %s|%s in %d", r.Kind, r.Receiver, r.Name, r.Decl))
	}
	want := []string{"calls this|get in 1", "creates |Bee in 1", "uses type Cee|DEE in 1", "calls Eee|run in 1"}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("no use %q among %q", w, got)
		}
	}
	for _, g := range got {
		if strings.Contains(g, "|not ") || strings.Contains(g, "|has ") {
			t.Errorf("a comment or a string has the use %q", g)
		}
	}
	if diff := cmp.Diff([]record.Import{{Path: "package:a/b.dart", Local: "b", Line: 1}}, o.Imports); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
}

func FuzzPatternsGiveAnOutlineInOrder(f *testing.F) {
	for _, path := range []string{"a.sh", "a.hs", "a.lua", "a.s", "a.erl", "a.clj", "Makefile", "a.vim", "a.pl"} {
		f.Add(path, "class A {\n  function f() { g(\"}\"); }\n}\n-- | x\nf :: a\nf = 1\nTEXT f(SB)\n/* x */ sub y {\nend\n")
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		o := languages.Parse(record.Path(path), []byte(text))
		for i, d := range o.Decls {
			if d.Parent >= i || d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End || i > 0 && d.Span.Start < o.Decls[i-1].Span.Start {
				t.Fatalf("declaration %d is out of order: %+v", i, d)
			}
			if d.Header.End > len(text) || d.Header.Start > d.Header.End || d.Body.End > len(text) || d.Body.Start > d.Body.End {
				t.Fatalf("header or body of %+v lies outside", d)
			}
		}
		for _, r := range o.Refs {
			if r.Decl >= len(o.Decls) || text[r.Span.Start:r.Span.End] != r.Name && o.Doc == nil && r.Kind != record.EdgeExtends {
				t.Fatalf("use of %q stands on %q", r.Name, text[r.Span.Start:r.Span.End])
			}
		}
	})
}

func BenchmarkParsePatterns(b *testing.B) {
	for _, path := range []string{"a.hs", "a.sh"} {
		b.Run(path, func(b *testing.B) {
			content := []byte(strings.Repeat("-- | Doc.\nf :: Int -> Int\nf x = g (x + 1)\n\n/** Doc. */\npublic function f(int $x): int\n{\n    return $this->g($x + 1);\n}\n\n", 8000))
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				languages.Parse(record.Path(path), content)
			}
		})
	}
}
