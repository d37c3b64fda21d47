package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ambit/server/api"
	"ambit/vectors/record"
)

// command is a command of the language server. A result nil is null.
type command struct {
	name             string
	question, answer reflect.Type
}

// commands lists the commands in the order in which they are documented.
var commands = []command{
	{"ambit.context", reflect.TypeFor[api.Question](), reflect.TypeFor[api.Answer]()},
	{"ambit.search", reflect.TypeFor[api.SearchQuestion](), reflect.TypeFor[api.Matches]()},
	{"ambit.related", reflect.TypeFor[api.RelatedQuestion](), reflect.TypeFor[api.Matches]()},
	{"ambit.explain", reflect.TypeFor[api.ExplainQuestion](), reflect.TypeFor[api.Explanation]()},
	{"ambit.chunks", reflect.TypeFor[api.ChunksQuestion](), reflect.TypeFor[api.Chunks]()},
	{"ambit.status", reflect.TypeFor[api.StatusQuestion](), reflect.TypeFor[api.StatusAnswer]()},
	{"ambit.reindex", reflect.TypeFor[api.ReindexQuestion](), reflect.TypeFor[api.Reindexed]()},
	{"ambit.pause", reflect.TypeFor[api.PauseQuestion](), nil},
	{"ambit.resume", reflect.TypeFor[api.PauseQuestion](), nil},
	{"ambit.copyContext", reflect.TypeFor[api.Question](), reflect.TypeFor[api.Shown]()},
	{"ambit.showRelated", reflect.TypeFor[api.RelatedQuestion](), reflect.TypeFor[api.Shown]()},
}

// model holds the types of the protocol with the comments of their source.
type model struct {
	types  []reflect.Type               // structs and enumerations, each before the types that it names
	docs   map[string]string            // by "Type" and "Type.Field"
	values map[string][]string          // of enumerations, by type
	notes  map[string]map[string]string // comments of these values
}

// field is a field of a struct.
type field struct {
	name     string // in JSON
	typ      reflect.Type
	tag      reflect.StructTag
	optional bool
	doc      string
}

// load reads the comments of the package in dir and collects its types.
func load(dir string) (*model, error) {
	m := &model{docs: map[string]string{}, values: map[string][]string{}, notes: map[string]map[string]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if file.Name.Name != "api" { // of a test
			continue
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				m.readDeclaration(d)
			}
		}
	}
	for _, c := range commands {
		m.add(c.question)
		m.add(c.answer)
	}
	m.add(reflect.TypeFor[api.InitializeOptions]())
	return m, nil
}

// readDeclaration keeps the comments of types and fields, and the values of enumerations.
func (m *model) readDeclaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			name := spec.Name.Name
			m.docs[name] = comment(name, d.Doc, spec.Doc)
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, n := range f.Names {
						m.docs[name+"."+n.Name] = comment(n.Name, f.Doc, f.Comment)
					}
				}
			}
		case *ast.ValueSpec:
			typ, ok := spec.Type.(*ast.Ident)
			if !ok || len(spec.Values) != 1 {
				continue
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, _ := strconv.Unquote(lit.Value) // the parser took it
				m.values[typ.Name] = append(m.values[typ.Name], value)
				if m.notes[typ.Name] == nil {
					m.notes[typ.Name] = map[string]string{}
				}
				m.notes[typ.Name][value] = comment("", spec.Comment)
			}
		}
	}
}

var docLink = regexp.MustCompile(`\[([A-Z]\w*(?:\.\w+)?)\]`)

// comment returns the first comment that is not nil as one paragraph, without the name at
// its beginning: "Budget is the largest …" becomes "The largest …".
func comment(name string, groups ...*ast.CommentGroup) string {
	i := slices.IndexFunc(groups, func(g *ast.CommentGroup) bool { return g != nil })
	if i < 0 {
		return ""
	}
	text := docLink.ReplaceAllString(strings.Join(strings.Fields(groups[i].Text()), " "), "$1")
	rest, ok := strings.CutPrefix(text, name+" ")
	if name == "" || !ok {
		return text
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// add adds a type and the types that its fields name.
func (m *model) add(t reflect.Type) {
	if t == nil {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		m.add(t.Elem())
		return
	}
	if t.PkgPath() != reflect.TypeFor[api.Answer]().PkgPath() || slices.Contains(m.types, t) {
		return
	}
	if t.Kind() == reflect.String && len(m.values[t.Name()]) == 0 {
		return
	}
	m.types = append(m.types, t)
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if len(f.Index) == 1 && f.Tag.Get("lsp") != "-" {
				m.add(f.Type)
			}
		}
	}
}

// embedded returns the struct that t embeds, nil for none.
func embedded(t reflect.Type) reflect.Type {
	for f := range t.Fields() {
		if f.Anonymous {
			return f.Type
		}
	}
	return nil
}

// fields returns the fields of a struct that clients see, without those of the struct
// that it embeds.
func (m *model) fields(t reflect.Type) (fields []field) {
	for f := range t.Fields() {
		if f.Anonymous || f.Tag.Get("lsp") == "-" {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{
			name, f.Type, f.Tag, strings.Contains(options, "omit") && f.Tag.Get("required") != "true" && f.Tag.Get("lsp") != "required",
			m.docs[t.Name()+"."+f.Name],
		})
	}
	return fields
}

// allFields is fields with those of the embedded struct first.
func (m *model) allFields(t reflect.Type) []field {
	if base := embedded(t); base != nil {
		return append(m.allFields(base), m.fields(t)...)
	}
	return m.fields(t)
}

// notation is the way in which a language writes types.
type notation struct {
	named          func(reflect.Type) string // "" for a type without a name of its own
	list, object   string                    // formats of the type of the elements
	pair           string
	integer, float string
}

// write returns a type in the notation.
func (n *notation) write(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return n.write(t.Elem())
	}
	if name := n.named(t); name != "" {
		return name
	}
	switch {
	case isText(t):
		return "string"
	case isPair(t):
		return n.pair
	case t.Kind() == reflect.Slice:
		return fmt.Sprintf(n.list, n.write(t.Elem()))
	case t.Kind() == reflect.Map:
		return fmt.Sprintf(n.object, n.write(t.Elem()))
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Float64:
		return n.float
	}
	return n.integer
}

// isText reports whether a type is a string in JSON.
func isText(t reflect.Type) bool {
	return t.Kind() == reflect.String || t == reflect.TypeFor[record.ChunkID]() || t == reflect.TypeFor[record.Hash]()
}

// isPair reports whether a type is two numbers.
func isPair(t reflect.Type) bool { return t.Kind() == reflect.Array && t.Len() == 2 }

// quoted returns values as a union of literals.
func quoted(values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = strconv.Quote(v)
	}
	return strings.Join(all, " | ")
}
