package languages_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// TestHostileInputEndsWithAnOutline parses deep, long and repetitive input. A parser that
// takes quadratic time would run for minutes.
func TestHostileInputEndsWithAnOutline(t *testing.T) {
	const n = 20_000
	rep := strings.Repeat
	for _, tt := range []struct{ path, name, content string }{
		{"a.go", "parentheses", "package a\nvar x = " + rep("(", n) + "1" + rep(")", n)},
		{"a.go", "blocks", "package a\nfunc f() {" + rep("{ a := 1; ", n) + rep("}", n) + "}"},
		{"a.go", "a chain of calls", "package a\nfunc f() { a" + rep(".b(x)", n) + " }"},
		{"a.go", "a list of names", "package a\nfunc f() { " + rep("a, ", n) + "b := g() }"},
		{"a.go", "imports", "package a\nimport (\n" + rep("\"a/b\"\n", n) + ")\n"},
		{"a.go", "functions with the same parameter", "package a\n" + rep("func f(x int) {}\n", n) + rep("var v = x\n", n)},
		{"a.go", "comments", "package a\n" + rep("// c\n", n) + "func f() {}\n" + rep("// c\n", n)},
		{"a.go", "zero bytes", "package a\n" + rep("\x00", 10*n)},
		{"a.go", "no UTF-8", "package a\nfunc " + rep("\xff\xfe", n) + "() {}"},
		{"a.js", "requires", rep("const {a, b: c} = require('x');\n", n)},
		{"a.js", "one line", rep("var a=1;/**/", n)},
		{"a.js", "objects", "const o = " + rep("{a:", n) + "1" + rep("}", n)},
		{"a.js", "spread", "const z = {" + rep("...a, ", n) + "}"},
		{"a.js", "a long string", "x = \"" + rep("a", 40*n) + "\""},
		{"a.ts", "extends", "interface I extends " + rep("A, ", n) + "B {}"},
		{"a.tsx", "elements", "const x = " + rep("<a>", n) + rep("</a>", n)},
		{"a.py", "bases", "class A(" + rep("B, ", n) + "C): pass"},
		{"a.py", "fields", "class A:\n def f(self):\n" + rep("  self.x = 1\n", n)},
		{"a.py", "locals", "def f():\n" + rep("  x = x\n", n)},
		{"a.rs", "use", "use " + rep("a::{", n) + "b" + rep("}", n) + ";"},
		{"a.java", "names of one declaration", "class A { int " + rep("a, ", n) + "b; }"},
		{"a.java", "classes", rep("class A { ", n) + rep("}", n)},
		{"a.rb", "attributes", "class A\n attr_accessor " + rep(":a, ", n) + ":b\nend"},
		{"a.rb", "directives", "class A < ApplicationRecord\n" + rep(" has_many :a, \"b\", c: [\n  # c\n 'd']\n", n/4) + "end"},
		{"a.rb", "a directive of many arguments", "class A < ApplicationRecord\n has_many " + rep(":a, ", n) + ":b\nend"},
		{"a.rb", "comments above directives", "class A < ApplicationRecord\n" + rep(" # c\n", n) + rep(" scope :a\n", n) + "end"},
		{"a.rb", "directives in classes in classes", rep("class A < ApplicationRecord; has_many :b; ", n/10) + rep("end; ", n/10)},
		{"a.cs", "conditionals in declarations", "class A {\n" + rep("#if A\nvoid F(\n#else\nint x) {\n#endif\n", n) + "}"},
		{"a.cs", "generic types", "class A { " + rep("A<", n) + rep(">", n) + " x; }"},
		{"a.cs", "lambdas", "class A { void F() { f(" + rep("x => ", n) + "1); } }"},
		{"a.scala", "blocks", "object A { " + rep("a { ", n) + rep("}", n) + " }"},
		{"a.scala", "imports", "import " + rep("a.{", n)},
		{"a.scala", "type lists", "class A extends B" + rep("[", n) + rep("(", n)},
		{"a.swift", "closures", "func f() { " + rep("a { ", n) + rep("}", n) + " }"},
		{"a.swift", "strings in strings", "let a = " + rep("\"\\(", n)},
		{"a.swift", "optional types", "let a: A" + rep("?", n)},
		{"a.swift", "units", "f(" + rep("(), ", n) + ")"},
		{"a.kt", "lambdas", "fun f() { " + rep("a { ", n) + rep("}", n) + " }"},
		{"a.kt", "generic types", "val a: " + rep("A<", n) + rep(">", n)},
		{"a.php", "chained calls", "<?php $a" + rep("->b($c)", n) + ";"},
		{"a.php", "enums with constants", "<?php " + rep("\nenum A {\n const B = 1; {", n) + rep("}", n)},
		{"a.php", "arrays", "<?php $a = " + rep("[", n) + rep("]", n) + ";"},
		{"a.c", "conditionals", rep("#if A\nint x;\n#else\nint y;\n#endif\n", n)},
		{"a.c", "conditionals that open braces", rep("#if A\n{\n", n) + rep("}\n#endif\n", n)},
		{"a.c", "conditionals in conditionals", rep("#if A\n{\n#else\n", n) + rep("#endif\n", n)},
		{"a.c", "macros", rep("FOO_BAR /* x */\n", n)},
		{"a.cc", "raw strings", rep("R\"(", n)},
		{"a.sh", "subshells", rep("$(", n)},
		{"a.sh", "functions", rep("f() {\n", n) + rep("}\n", n)},
		{"a.bats", "tests", rep("@test \"a\" {\n", n)},
		{"a.lua", "tables", "x = " + rep("{", n) + rep("}", n)},
		{"a.lua", "functions", rep("local f = function() ", n) + rep("end ", n)},
		{"a.ex", "calls", rep("def f(", n) + rep(")", n)},
		{"a.ex", "blocks", rep("defmodule A do\n", n) + rep("end\n", n)},
		{"a.ex", "clauses", rep("def f(%{a: b}, {c, d}) when e, do: g\n", n)},
		{"a.ml", "values", rep("let f x = g x\n", n)},
		{"a.ml", "expressions", "let f = " + rep("let x = (", n) + "1"},
		{"a.ml", "modules", rep("module A = struct\n", n) + rep("end\n", n)},
		{"a.mli", "comments", rep("val f : int\n(** c *)\n\n", n)},
		{"a.proto", "messages", rep("message A {\n", n) + rep("}\n", n)},
		{"a.proto", "fields", "message A {\n" + rep("B b = 1;\n", n) + "}"},
		{"a.json", "objects", rep("{\"a\":", n) + "1" + rep("}", n)},
		{"a.json", "keys", "{" + rep("\"a\": {}, ", 4*n) + "\"b\": 1}"},
		{"a.json", "a list", "[" + rep("1,", 20*n) + "1]"},
		{"a.yaml", "keys", rep("a:\n  b: 1\n", n)},
		{"a.yaml", "documents", rep("---\na: 1\n", n)},
		{"a.yaml", "a flow list", rep("[", n)},
		{"a.yaml", "actions", rep("{{ a }}: {{ b }}\n", n)},
		{"a.toml", "tables", rep("[a.b]\nc = [1]\n", n)},
		{"a.tf", "blocks", rep("a \"b\" \"c\" {\n", n)},
		{"a.tf", "templates", "a = \"" + rep("${b}", n) + "\""},
		{"a.css", "rules", rep("a{b:c}", 4*n)},
		{"a.css", "blocks", rep("@media a {", n)},
		{"a.html", "elements", rep("<a>", 15*n)},
		{"a.html", "scripts", rep("<script>f()</script><style>a{}</style>", n/4)},
		{"a.svelte", "expressions", rep("{a(b)}", n)},
		{"a.html.erb", "tags", rep("<% a do |b| %>", n)},
		{"a.html.erb", "open tags", rep("<%= a", n)},
		{"a.vue", "interpolations", "<template>" + rep("{{a(b)}}", n)},
		{"a.vue", "open interpolations", "<template>" + rep("{{a", n)},
		{"a.vue", "directives", "<template>" + rep("<a :b=\"{c:d}\"/>", n)},
		{"a.svelte", "blocks", rep("{#if a}", n)},
		{"a.sql", "statements", rep("create table a (b int references c(d));\n", n)},
		{"a.sql", "statements that do not end", rep("create function a() begin\n", n)},
		{"a.sql", "bodies", rep("create function a() as $$ begin; \n", n)},
		{"a.sql", "strings that do not end", rep("`'\\", n)},
		{"a.sql", "bodies that do not end", rep("$a$ $b$ ", n) + rep("$", n) + rep("$c $d$", n)},
		{"a.sql", "brackets", "create table a " + rep("(b ", n)},
		{"a.sql", "comments", rep("-- a\n", n) + "create table a (b int);" + rep("/*", n)},
		{"a.sql", "queries", rep("a as (", n)},
		{"a.sql", "batches", rep("create procedure a as\n", n) + "go\n"},
		{"Dockerfile", "here-documents", "FROM a\nRUN " + rep("<<A ", n/20) + "\n" + rep("b\n", n)},
		{"Dockerfile", "long instructions", rep("ENV a=b \\\n", n)},
		{"Dockerfile", "stages", rep("FROM a AS b\nCOPY --from=b . .\n", n)},
		{"a.go", "what is never closed", "package a\n" + rep("f({[", n)},
		{"a.py", "what is never closed", rep("f({[", n)},
	} {
		t.Run(tt.path+" "+tt.name, func(t *testing.T) {
			o := languages.Parse(record.Path(tt.path), []byte(tt.content))
			if err := checkOutline(&o); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBrokenUnitsAreReadApart checks that neither a unit that breaks the rest of a file nor
// the rest is lost.
func TestBrokenUnitsAreReadApart(t *testing.T) {
	content := "package a\n\nfunc Before() {}\n\nfunc Broken() {\n\tif x {\n\thelper(\n}\n\nfunc After() { Before() }\n\nfunc Last() {}\n"
	o := languages.Parse("a.go", []byte(content))
	var names []string
	for _, d := range o.Decls {
		names = append(names, d.Name)
	}
	if got, want := strings.Join(names, " "), "Before Broken After Last"; got != want {
		t.Errorf("declarations = %q, want %q", got, want)
	}
	for _, r := range o.Refs {
		if r.Name == "helper" && o.Decls[r.Decl].Name != "Broken" {
			t.Errorf("helper is used in %s, want Broken", o.Decls[r.Decl].Name)
		}
	}
	if o.Broken == 0 {
		t.Error("the outline does not say that the file is broken")
	}
}

// TestAnnotationsLongerThanAHeader has the name of a method outside of the first lines, and of
// the first bytes, of its declaration.
func TestAnnotationsLongerThanAHeader(t *testing.T) {
	for _, long := range []string{"\n\n\n\n\n", strings.Repeat(" ", 5000)} {
		o := languages.Parse("A.java", []byte("@interface A {\n\t@B(c = 1,"+long+"\n\t\td = 2)\n\tString value() default \"\";\n\n\t@Test void next();\n}\n"))
		var got []string
		for _, d := range o.Decls {
			got = append(got, d.Name)
			if d.Name == "value" && len(long) < 10 && !strings.HasSuffix(string(o.Content[d.Header.Start:d.Header.End]), "String value() default \"\";") {
				t.Errorf("the header ends before the name: %q", o.Content[d.Header.Start:d.Header.End])
			}
		}
		if diff := cmp.Diff([]string{"A", "value", "next"}, got); diff != "" {
			t.Errorf("declarations (-want +got):\n%s", diff)
		}
	}
}

func TestAFileNamedIncIsReadByWhatItHolds(t *testing.T) {
	for content, want := range map[string]string{
		"<?php\nfunction f() { return 1; }\n":                     "php",
		"<div><?= $a ?></div>\n":                                  "php",
		"// Licence\n#include <a.h>\nint f(void) { return 1; }\n": "c",
		"#ifndef A\nnamespace a {\nint f();\n}\n#endif\n":         "cpp",
		"SUMMARY = \"a recipe\"\n# a remark\nDEPENDS = \"b\"\n":   "text",
	} {
		if o := languages.Parse("a.inc", []byte(content)); o.Language != want {
			t.Errorf("Parse(a.inc, %q) is %s, want %s", content, o.Language, want)
		}
	}
}
