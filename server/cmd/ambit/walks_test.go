package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"testing"
)

// hop is a row of a walk in docs/architecture.md: the number, a file and a function.
var hop = regexp.MustCompile("(?m)^\\| \\d \\| `([a-z/_]+\\.go)` \\| `(\\w+)` \\|")

func TestTheWalksInTheDocumentsNameFunctionsThatExist(t *testing.T) {
	page, err := os.ReadFile("../../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	hops := hop.FindAllStringSubmatch(string(page), -1)
	if len(hops) != 10 {
		t.Fatalf("docs/architecture.md has %d hops, want two walks of five", len(hops))
	}
	for _, h := range hops {
		file, err := parser.ParseFile(token.NewFileSet(), "../../../"+h[1], nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		found := false
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			found = found || ok && f.Name.Name == h[2]
		}
		if !found {
			t.Errorf("docs/architecture.md names %s in %s, which is not there", h[2], h[1])
		}
	}
}
