// Command outlinecheck compares the declarations that package languages finds with those of
// Universal ctags and of the parser of each language.
//
//	go run ./indexer/languages/outlinecheck [-list] [-only NAMES] DIRECTORY…
//
// It reads every source file below the directories and prints a table in Markdown: one row
// for each language that [languages] lists. With -list it prints each declaration that ambit
// misses and each that only ambit has, with its place. A file that the parser of the
// language rejects is not compared, and a parser that is not installed is reported.
//
// A declaration is a top-level declaration or a member of a type, at any depth of types and
// namespaces. Two are equal if their names, their lines and their groups are. The groups are
// type, function, value, module and macro: a getter is a function, an enumerator a value.
//
// These packages of Debian and npm have the parsers: universal-ctags, python3, ruby,
// php-cli, openjdk-17-jdk, libclang1-14 with python3-clang-14, rustc, nodejs, typescript,
// scalameta-parsers. The variable PYTHON names another python3, LIBCLANG another libclang;
// NODE_PATH leads to the packages of npm. No package has a parser of Swift: a reader of
// tokens stands in for it.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

func main() {
	list := flag.Bool("list", false, "print each miss and each surplus")
	only := flag.String("only", "", "the languages to compare, separated by commas; all if empty")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Args(), strings.FieldsFunc(*only, func(r rune) bool { return r == ',' }), *list); err != nil {
		fmt.Fprintln(os.Stderr, "outlinecheck:", err)
		os.Exit(1)
	}
}

// run compares the files below the directories, one language after the other.
func run(dirs, only []string, list bool) error {
	tools, err := unpack()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tools.dir)
	files, err := sources(dirs)
	if err != nil {
		return err
	}
	fmt.Print(tableHead)
	for _, l := range table {
		if len(only) > 0 && !slices.Contains(only, l.name) || len(files[l.name]) == 0 {
			continue
		}
		c, err := tools.compare(l, files[l.name])
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Println(c.row(l))
		if list {
			c.list(os.Stdout)
		}
	}
	for name := range files {
		if !slices.ContainsFunc(table, func(l language) bool { return l.name == name }) {
			fmt.Fprintf(os.Stderr, "outlinecheck: no row for %s: %d files are not compared\n", name, len(files[name]))
		}
	}
	return nil
}

const (
	// maxFile is the size up to which ambit reads a file.
	maxFile = 1 << 20
	// maxLine is the length of a line above which a file is taken for a minified one.
	maxLine = 5000
)

// sources returns the code files below the directories by language, with their outlines.
func sources(dirs []string) (map[string][]source, error) {
	files := map[string][]source{}
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && path != dir && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules") {
				return filepath.SkipDir
			}
			if info, err := e.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile || strings.ContainsAny(path, "\t\n") {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil || strings.ContainsRune(string(content), 0) || slices.ContainsFunc(strings.Split(string(content), "\n"), func(l string) bool { return len(l) > maxLine }) {
				return err
			}
			o := languages.Parse(record.Path(path), content)
			if !languages.IsProse(o.Language) {
				f := source{path: path}
				f.decls, f.inner = decls(&o)
				files[o.Language] = append(files[o.Language], f)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// source is a file with the declarations that ambit finds in it.
type source struct {
	path         string
	decls, inner []decl // at the top and in types; inside of functions, blocks and fields
}

// decl is a declaration as it is compared.
type decl struct {
	group, name string
	line        int
}

// groups are the groups of the kinds that are compared.
var groups = map[record.Kind]string{
	record.KindFunction: "function", record.KindMethod: "function", record.KindMacro: "macro", record.KindModule: "module",
	record.KindClass: "type", record.KindStruct: "type", record.KindInterface: "type", record.KindEnum: "type", record.KindType: "type",
	record.KindField: "value", record.KindVariable: "value", record.KindConstant: "value",
}

// decls returns the top-level declarations of an outline with the members of its types, and
// the other declarations.
func decls(o *languages.Outline) (found, inner []decl) {
	line, at := 1, 0
	for i := range o.Decls {
		d := &o.Decls[i]
		if groups[d.Kind] == "" {
			continue
		}
		if d.NameSpan.Start < at {
			line, at = 1, 0
		}
		line += strings.Count(string(o.Content[at:d.NameSpan.Start]), "\n")
		at = d.NameSpan.Start
		to := &found
		if d.Kind != record.KindMacro && !reachable(o, i) {
			to = &inner
		}
		*to = append(*to, decl{groups[d.Kind], plain(d.Name), line})
	}
	return found, inner
}

// reachable reports whether a declaration is a member or at the top: whether all around a declaration are types and modules. The parameter
// of a constructor can declare a field: it stands in a function, but not in its body.
func reachable(o *languages.Outline, i int) bool {
	at := o.Decls[i].NameSpan.Start
	for i = o.Decls[i].Parent; i >= 0; i = o.Decls[i].Parent {
		d := &o.Decls[i]
		if !languages.IsType(d.Kind) && d.Kind != record.KindModule && !(d.Kind == record.KindMethod && at < d.Body.Start) {
			return false
		}
	}
	return true
}

// plain returns a name as all parsers spell it: without blanks, quotes, brackets and the
// marks of private names.
func plain(name string) string {
	return strings.Trim(strings.Join(strings.Fields(name), ""), "\"'`#$[]")
}
