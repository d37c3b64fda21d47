// Command tasks makes tasks of the cursor yardstick from a Go module, by go/types.
//
//	go run ./testdata/symbols/go TREE > NAME.json
//
// A task is a function with a body that uses at least three declarations of the module: functions,
// methods, those of interfaces too, types, constants and variables of packages. Fields and locals
// are none. Test files are not read, and generated functions, which ambit does not index, are no tasks.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const (
	leastDeps  = 3
	leastLines = 4
	nTasks     = 40
	seed       = 11
)

type decl struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type task struct {
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Column     int    `json:"column"` // 1-based, in bytes
	Name       string `json:"name"`
	Deps       []decl `json:"deps"`
	Dependents []decl `json:"dependents"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: tasks TREE")
	}
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		log.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: root}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			log.Print(e)
		}
	}
	b, err := json.MarshalIndent(struct {
		Corpus string `json:"corpus"`
		Tasks  []task `json:"tasks"`
	}{filepath.Base(root), tasks(root, pkgs)}, "", " ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b))
}

// tasks returns the tasks of a module, in the order of their places.
func tasks(root string, pkgs []*packages.Package) []task {
	var fit []task
	deps, dependents := map[decl]map[decl]bool{}, map[decl]map[decl]bool{}
	for _, p := range pkgs {
		of := func(o types.Object) (decl, bool) { return declOf(root, p.Fset, o) }
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				fn, _ := d.(*ast.FuncDecl)
				for _, around := range declared(d) {
					self, ok := of(p.TypesInfo.Defs[around])
					if !ok {
						continue
					}
					uses := usesOf(d, around, func(id *ast.Ident) (decl, bool) { return of(p.TypesInfo.Uses[id]) })
					delete(uses, self)
					for u := range uses {
						put(deps, self, u)
						put(dependents, u, self)
					}
					if at := p.Fset.Position(around.Pos()); fn != nil && !ast.IsGenerated(f) && fn.Body != nil && len(uses) >= leastDeps && p.Fset.Position(fn.End()).Line-p.Fset.Position(fn.Pos()).Line+1 >= leastLines {
						fit = append(fit, task{Path: self.Path, Line: self.Line, Column: at.Column, Name: self.Name})
					}
				}
			}
		}
	}
	byPlace := func(a, b task) int { return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line)) }
	slices.SortFunc(fit, byPlace)
	rand.New(rand.NewSource(seed)).Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
	fit = fit[:min(len(fit), nTasks)]
	slices.SortFunc(fit, byPlace)
	for i, t := range fit {
		kind := "func"
		for d := range deps {
			if d.Path == t.Path && d.Line == t.Line && d.Name == t.Name {
				kind = d.Kind
			}
		}
		self := decl{t.Path, t.Line, t.Name, kind}
		fit[i].Deps, fit[i].Dependents = sorted(deps[self]), sorted(dependents[self])
	}
	return fit
}

// declared returns the names that a declaration at the top of a file declares.
func declared(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{d.Name}
	case *ast.GenDecl:
		var out []*ast.Ident
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, s.Name)
			case *ast.ValueSpec:
				out = append(out, s.Names...)
			}
		}
		return out
	}
	return nil
}

// usesOf returns what the function, or the one specification of a group, that declares a name uses.
func usesOf(d ast.Decl, around *ast.Ident, of func(*ast.Ident) (decl, bool)) map[decl]bool {
	node := ast.Node(d)
	if g, ok := d.(*ast.GenDecl); ok {
		for _, s := range g.Specs {
			if s.Pos() <= around.Pos() && around.Pos() < s.End() {
				node = s
			}
		}
	}
	out := map[decl]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if u, ok := of(id); ok {
				out[u] = true
			}
		}
		return true
	})
	return out
}

// declOf returns the declaration of an object; it is false for a local, a field, and what the tree
// does not have.
func declOf(root string, fset *token.FileSet, o types.Object) (decl, bool) {
	var kind string
	switch v := o.(type) {
	case *types.Func:
		o, kind = v.Origin(), "func"
		if v.Signature().Recv() != nil {
			kind = "method"
		}
	case *types.TypeName:
		kind = "type"
	case *types.Const:
		kind = "const"
	case *types.Var:
		kind = "var"
	default:
		return decl{}, false
	}
	if o.Pkg() == nil || kind != "method" && o.Parent() != o.Pkg().Scope() {
		return decl{}, false
	}
	at := fset.Position(o.Pos())
	rel, err := filepath.Rel(root, at.Filename)
	if err != nil || strings.HasPrefix(rel, "..") || !at.IsValid() {
		return decl{}, false
	}
	return decl{filepath.ToSlash(rel), at.Line, o.Name(), kind}, true
}

func put(m map[decl]map[decl]bool, k, v decl) {
	if m[k] == nil {
		m[k] = map[decl]bool{}
	}
	m[k][v] = true
}

func sorted(set map[decl]bool) []decl {
	out := make([]decl, 0, len(set))
	for d := range set {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b decl) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Name, b.Name))
	})
	return out
}
