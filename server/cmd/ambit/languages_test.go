package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// nameless are the packages that name no language: they ask indexer/languages for its
// syntax and indexer/graph for its rules, which are in the files lang_<name>.go.
var nameless = []string{"indexer/graph", "indexer/chunk", "indexer/pipeline", "server/retrieve", "server/assemble"}

// TestALanguageIsKnownInOnePlace refuses the name of a language in a string of a package
// that names none.
func TestALanguageIsKnownInOnePlace(t *testing.T) {
	names := languageNames(t)
	for _, want := range []string{"go", "typescript", "cpp", "haskell", "markdown"} {
		if !slices.Contains(names, want) {
			t.Fatalf("the tables of languages have no %q: %v", want, names)
		}
	}
	for _, pkg := range nameless {
		eachSource(t, pkg, func(path string, f *ast.File, files *token.FileSet) {
			if strings.HasPrefix(filepath.Base(path), "lang_") {
				return
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := stringOf(n); ok && slices.Contains(names, s) {
					t.Errorf("%s: %q: ask indexer/languages or a file lang_<name>.go of indexer/graph", files.Position(n.Pos()), s)
				}
				return true
			})
		})
	}
}

// TestRulesAreForLanguagesThatExist refuses rules for a language without files.
func TestRulesAreForLanguagesThatExist(t *testing.T) {
	known := languageNames(t)
	names := fieldStrings(t, "indexer/graph", "language", "names")
	if len(names) == 0 {
		t.Fatal("indexer/graph has rules for no language")
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.Errorf("indexer/graph has rules for %q, which no table of indexer/languages has", name)
		}
	}
}

// languageNames returns the names of all languages but plain text.
func languageNames(t *testing.T) []string {
	return slices.Concat([]string{"markdown"}, fieldStrings(t, "indexer/languages", "row", "name"), fieldStrings(t, "indexer/languages", "patternRow", "name"))
}

// fieldStrings returns the strings in a field of all literals of a struct type.
func fieldStrings(t *testing.T, pkg, structType, field string) []string {
	var found []string
	eachSource(t, pkg, func(_ string, f *ast.File, _ *token.FileSet) {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if !isIdent(lit.Type, structType) {
				return true
			}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && isIdent(kv.Key, field) {
					ast.Inspect(kv.Value, func(n ast.Node) bool {
						if s, ok := stringOf(n); ok {
							found = append(found, s)
						}
						return true
					})
				}
			}
			return true
		})
	})
	return found
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// eachSource calls fn with the files of a package, except tests.
func eachSource(t *testing.T, pkg string, fn func(path string, f *ast.File, files *token.FileSet)) {
	t.Helper()
	paths, err := filepath.Glob("../../../" + pkg + "/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("sources of %s: %v", pkg, err)
	}
	files := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		fn(path, f, files)
	}
}

func stringOf(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}
