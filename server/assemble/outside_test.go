package assemble_test

import (
	"slices"
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// outside makes declarations of dependencies, each of n words and a line.
func outside(n int, names ...string) []retrieve.External {
	var all []retrieve.External
	for i, name := range names {
		text := "// " + strings.Repeat("word ", n) + "\nfunc " + name + "()\n"
		all = append(all, retrieve.External{
			Candidate: retrieve.Candidate{
				Unit: retrieve.Unit{
					Path: record.Path("lib@v1.0.0/" + name + ".go"), Language: "go", Kind: record.KindFunction, Identifier: "lib." + name, NameLine: 2,
					ID: record.ChunkID{byte(i + 1)}, Span: record.Span{End: len(text)}, Header: record.Span{Start: strings.Index(text, "func"), End: len(text)},
					Doc: record.Span{End: strings.Index(text, "func")},
				},
				Role: retrieve.RoleFramework, Relevance: 1 / float64(i+2), Probability: 1 / float64(i+2), Why: []api.Signal{{Name: "calls", Score: 1}},
			},
			Package: "lib@v1.0.0", File: "/mods/lib@v1.0.0/" + name + ".go", Text: []byte(text),
		})
	}
	return all
}

// In a small budget the workspace gives way to nothing, in a larger one dependencies have their share
// at most, and a larger budget shows all that a smaller one shows.
func TestDeclarationsOutsideHaveTheirShare(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "main", 40)
	for i := range 12 {
		m.add(retrieve.RoleUses, "used"+string(rune('a'+i)), 30+20*i)
	}
	without := m.result()
	with := without
	with.Externals = outside(60, "A", "B", "C", "D", "E", "F")
	names := func(a *api.Answer, outside bool) (all []string) {
		for _, s := range a.Sources {
			if (s.Package != "") == outside {
				all = append(all, s.Identifier)
			}
		}
		return all
	}
	var before []string
	for budget := 100; budget < 16_000; budget += 37 {
		plain, got := assembled(t, m.files, without, budget), assembled(t, m.files, with, budget)
		if want, inside := names(plain, false), names(got, false); budget <= 2000 && !slices.Equal(want, inside) {
			t.Fatalf("budget %d shows %v of the workspace, without dependencies %v", budget, inside, want)
		}
		all := append(names(got, false), names(got, true)...)
		for _, name := range before {
			if !slices.Contains(all, name) {
				t.Errorf("budget %d lacks %s, which a smaller one shows", budget, name)
			}
		}
		before = all
		for _, s := range got.Sections {
			if s.Name == "framework" && (s.Tokens > budget*30/100 || s.Tokens > s.Budget) {
				t.Errorf("budget %d: the section has %d tokens of %d", budget, s.Tokens, s.Budget)
			}
		}
		if got.Tokens > budget || len(got.Sources)+len(got.Omitted) != len(m.candidates)+len(with.Externals) {
			t.Errorf("budget %d: %d tokens, %d sources and %d omitted of %d", budget, got.Tokens, len(got.Sources), len(got.Omitted), len(m.candidates)+len(with.Externals))
		}
	}
	if len(before) != len(m.candidates)+len(with.Externals) {
		t.Errorf("the largest budget shows %d of %d", len(before), len(m.candidates)+len(with.Externals))
	}
}

func TestADeclarationOutsideNamesItsPackageAndFile(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "main", 5)
	r := m.result()
	r.Externals = outside(3, "A")
	a := assembled(t, m.files, r, 5000)
	s := a.Sources[len(a.Sources)-1]
	if s.Package != "lib@v1.0.0" || s.URI != "file:///mods/lib%40v1.0.0/A.go" || s.Path != "lib@v1.0.0/A.go" || s.Reason != "calls" {
		t.Errorf("package %q, URI %q, path %q, reason %q", s.Package, s.URI, s.Path, s.Reason)
	}
}

func TestADeclarationOutsideCanBeDroppedAndPinned(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "main", 5)
	r := m.result()
	r.Externals = outside(60, "A", "B", "C", "D", "E", "F")
	r.Externals[5].Pin = 1
	a, err := assemble.Assemble(t.Context(), m.files, words{}, assemble.Request{Question: api.Question{Budget: 1400, Drop: []record.ChunkID{{1}}}, Result: r, Render: bare})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range a.Sources {
		names = append(names, a.Sources[i].Identifier)
	}
	if !slices.Contains(names, "lib.F") || slices.Contains(names, "lib.A") {
		t.Errorf("the sources are %v, want the pinned F and not the dropped A", names)
	}
}

// A pin has room before the sources of the workspace, also in a budget that is too small for those.
func TestAPinOutsideIsKeptInASmallBudget(t *testing.T) {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "main", 40)
	for i := range 12 {
		m.add(retrieve.RoleUses, "used"+string(rune('a'+i)), 30)
	}
	r := m.result()
	r.Externals = outside(60, "A", "B", "C", "D", "E", "F")
	r.Externals[5].Pin = 1
	for budget := 300; budget < 6000; budget += 37 {
		a := assembled(t, m.files, r, budget)
		pinned := slices.ContainsFunc(a.Sources, func(s api.Source) bool { return s.Identifier == "lib.F" })
		frameworks := 0
		for _, s := range a.Sections {
			if s.Name == "framework" {
				frameworks++
			}
		}
		tokens := a.Markup
		for _, s := range a.Sections {
			tokens += s.Tokens
		}
		if !pinned || frameworks != 1 || tokens != a.Tokens || a.Tokens > budget {
			t.Errorf("budget %d: the pin is shown: %t; %d sections; %d tokens add up to %d", budget, pinned, frameworks, a.Tokens, tokens)
		}
	}
}
