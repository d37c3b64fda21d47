package deps_test

import (
	"slices"
	"strings"
	"testing"

	"ambit/vectors/record"
)

func TestBodiesOfAHeaderHideNoDeclaration(t *testing.T) {
	tests := []struct {
		name, header string
		want         []string // qualified
	}{
		{"a function", "inline int first(int n) { struct hidden { int x; }; return n; }", []string{"first"}},
		{"a brace in a string and in a comment", "inline int first() { f('}', \"}\\\"}\"); /* } */ // }\n }", []string{"first"}},
		{"a raw string", "inline auto first() { return R\"x(} )\" })x\"; }", []string{"first"}},
		{"a number with marks", "inline int first() { return 1'000'000; }\nint second();", []string{"first", "second"}},
		{"members behind a body", "class box {\npublic:\n  int size() const { return n; }\n  int first;\n};", []string{"box.size", "box.first"}},
		{"a class with a base by a call", "template<typename T> struct box : base<decltype(f(0))> { int first; };", []string{"box.first"}},
		{"a name space behind a body", "inline void first() { }\nnamespace deep { int second(); }", []string{"first", "deep.second"}},
		{"an operator", "bool operator<(box a, box b) { return a.n < b.n; }\nstruct second { int n; };", []string{"second.n"}},
		{"a linkage", "extern \"C\" {\nint first(void);\n}", []string{"first"}},
		{"branches in a body", "inline int first() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\nint second();", []string{"first", "second"}},
		{"branches around the start of a body", "#if A\ninline int first() {\n#else\ninline int first(int) {\n#endif\n  return 0;\n}\nint second();", []string{"first", "second"}},
		{"a macro in a body", "inline int first() {\n#define SECOND 2\n  return SECOND;\n}", []string{"first", "first.SECOND"}},
		{"a macro of two lines", "#define FIRST(x) do { \\\n  x; } while (0)\nint second();", []string{"FIRST", "second"}},
		{"a body without an end", "int first();\ninline int second() { if (a) {\n", []string{"first"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, "-- work/keep --\n")
			m.env["CPATH"] = m.path("home/include")
			text := tt.header + "\nint wanted(void);\n"
			m.write(t, "home/include/box.hpp", text)
			files := m.finder().Find(t.Context(), "a.cpp", "a.cpp", "box.hpp", []string{"wanted"}).Files
			if len(files) != 1 {
				t.Fatalf("found %d files, want box.hpp", len(files))
			}
			if got := string(files[0].Text); got != text {
				t.Errorf("the text is %q, want %q", got, text)
			}
			var got []string
			for _, s := range files[0].Record.Graph.Symbols {
				got = append(got, s.Qualified)
			}
			for _, want := range append(tt.want, "wanted") {
				if !slices.Contains(got, want) {
					t.Errorf("the header declares %q, want %s", got, want)
				}
			}
			if slices.ContainsFunc(got, func(name string) bool { return strings.Contains(name, "hidden") }) {
				t.Errorf("the header declares %q, with what is in a body", got)
			}
		})
	}
}

func TestAHeaderWithACursorHasTheUsesInItsBodies(t *testing.T) {
	m := newMachine(t, "-- work/a.c --\n#include <box.h>\n-- home/include/box.h --\nint near(void);\nstatic inline int far(void) { return near(); }\n")
	m.env["CPATH"] = m.path("home/include")
	at, err := m.finder().Locate([]record.Path{"a.c"}, m.path("home/include/box.h"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(at.File.Record.Graph.Edges, func(e record.Edge) bool { return e.Name == "near" }) {
		t.Errorf("the uses are %v, want one of near", at.File.Record.Graph.Edges)
	}
}

func TestHeadersThatLeadToANameAreBare(t *testing.T) {
	filler := strings.Repeat("/* a long comment */\n", 1000)
	m := newMachine(t, "-- work/keep --\n-- home/include/far.h --\nint far(void);\n")
	m.env["CPATH"] = m.path("home/include")
	m.write(t, "home/include/near.h", "#include <middle.h>\nint near(void);\n")
	m.write(t, "home/include/middle.h", "#include <far.h>\nint middle(void);\n")
	m.write(t, "home/include/large.h", filler+"#include <far.h>\nint large(void);\n")
	for _, tt := range []struct {
		include string
		names   []string
		want    map[string]bool // whether it is bare
	}{
		{"near.h", []string{"far"}, map[string]bool{"near.h": false, "middle.h": true, "far.h": false}},
		{"near.h", []string{"far", "middle"}, map[string]bool{"near.h": false, "middle.h": false, "far.h": false}},
		{"large.h", []string{"far"}, map[string]bool{"large.h": true, "far.h": false}},
	} {
		files := m.finder().Find(t.Context(), "a.c", "a.c", tt.include, tt.names).Files
		if len(files) != len(tt.want) {
			t.Errorf("%s leads to %d files, want %d", tt.include, len(files), len(tt.want))
		}
		for _, f := range files {
			g := &f.Record.Graph
			name := f.Name[strings.LastIndex(f.Name, "/")+1:]
			if f.Bare != tt.want[name] || f.Bare != (len(g.Symbols) == 0) || f.Bare != (f.Text == nil) {
				t.Errorf("%s of %s with %v: bare is %v, with %d symbols", name, tt.include, tt.names, f.Bare, len(g.Symbols))
			}
			if name != "far.h" && len(g.Imports) != 1 {
				t.Errorf("%s has the imports %v, want one", name, g.Imports)
			}
		}
	}
}
