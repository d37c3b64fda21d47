package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

// parseGo lists the declarations of Go files with the parser of the language.
func parseGo(files []source) (map[string]*facts, error) {
	found := map[string]*facts{}
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return nil, err
		}
		l := goLister{set: token.NewFileSet()}
		found[f.path] = &l.facts
		file, err := parser.ParseFile(l.set, f.path, content, parser.SkipObjectResolution)
		if err != nil {
			l.rejected = err.Error()
			continue
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				l.put("function", d.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					l.spec(s)
				}
			}
		}
	}
	return found, nil
}

type goLister struct {
	facts
	set *token.FileSet
}

func (l *goLister) put(group string, names ...*ast.Ident) {
	for _, n := range names {
		l.decls = append(l.decls, decl{group, n.Name, l.set.PositionFor(n.Pos(), false).Line})
	}
}

func (l *goLister) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		l.put("value", s.Names...)
	case *ast.TypeSpec:
		l.put("type", s.Name)
		switch t := elementOf(s.Type).(type) {
		case *ast.StructType:
			for _, f := range t.Fields.List {
				l.put("value", f.Names...)
			}
		case *ast.InterfaceType:
			for _, m := range t.Methods.List {
				l.put("function", m.Names...)
			}
		}
	}
}

// elementOf returns the type that the values of a type consist of: []T and *T consist of T.
func elementOf(t ast.Expr) ast.Expr {
	for {
		switch outer := t.(type) {
		case *ast.ArrayType:
			t = outer.Elt
		case *ast.MapType:
			t = outer.Value
		case *ast.StarExpr:
			t = outer.X
		default:
			return t
		}
	}
}
