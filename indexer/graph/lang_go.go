package graph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

var golang = &language{
	names: []string{"go"}, packages: ownDirectory, members: ownDirectory, reexports: noReexports, implicitTypes: true, rules: goRules{},
}

type goRules struct{ defaultRules }

// unscoped finds nothing, because the package rule has searched the whole package.
func (goRules) unscoped(_ *Query, _ place, _ string, outside bool) answer {
	return answer{outside: outside}
}

// sameShape compares the numbers of parameters and results.
func (goRules) sameShape(method, of *record.Symbol) bool {
	params, results := goShape(method)
	p, r := goShape(of)
	return params == p && results == r
}

// goShape returns the numbers of parameters and results of a method, -1 for a signature that
// cannot be read.
func goShape(s *record.Symbol) (params, results int) {
	_, after, ok := strings.Cut(" "+s.Signature, " "+s.Name+"(")
	end := closingParen(after)
	if !ok || end < 0 {
		return -1, -1
	}
	rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(after[end+1:]), "{"))
	results = 1
	if list, ok := strings.CutPrefix(rest, "("); ok && closingParen(list) == len(list)-1 {
		results = parts(list[:len(list)-1])
	} else if rest == "" {
		results = 0
	}
	return parts(after[:end]), results
}

// closingParen returns the index of the parenthesis that closes a list without its opening one.
func closingParen(s string) int {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// parts returns the number of parts of a list.
func parts(list string) int {
	if strings.TrimSpace(list) == "" {
		return 0
	}
	n, depth := 1, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 && strings.TrimSpace(list[i+1:]) != "" {
				n++
			}
		}
	}
	return n
}

// module finds the directory of a package: below a go.mod of the workspace, in vendor, or,
// without a go.mod, the directory with the path of the import.
func (goRules) module(v *View, _ *fileEntry, importPath string) module {
	for _, m := range v.goModules() {
		if rest, ok := strings.CutPrefix(importPath, m.path); ok && (rest == "" || rest[0] == '/') {
			if files := v.inDir(path.Join(m.dir, strings.TrimPrefix(rest, "/"))); len(files) > 0 {
				return module{files: files}
			}
			break // a module of its own can have a path below that of another one
		}
	}
	for _, dir := range []string{importPath, "vendor/" + importPath} {
		if files := v.inDir(dir); len(files) > 0 {
			return module{files: files}
		}
	}
	if len(v.goModules()) > 0 || !strings.Contains(importPath, ".") {
		return module{outside: true}
	}
	// The workspace is a part of a module without its go.mod: find the directory that is the
	// longest suffix of the path.
	for rest := importPath; ; {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			return module{outside: true}
		}
		rest = after
		if files := v.inDir(rest); len(files) > 0 {
			return module{files: files}
		}
	}
}

// goModule is a go.mod of the workspace.
type goModule struct{ path, dir string }

// goModules returns the modules of the workspace, the longest path first.
func (v *View) goModules() []goModule {
	v.listed.Do(func() {
		for _, r := range v.withBase("go") {
			if f := v.file(r); path.Base(string(f.path)) == "go.mod" && f.pkg != "" {
				v.modules = append(v.modules, goModule{f.pkg, dirOf(string(f.path))})
			}
		}
		slices.SortFunc(v.modules, func(a, b goModule) int {
			return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(a.dir, b.dir))
		})
	})
	return v.modules
}
