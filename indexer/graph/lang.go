package graph

import (
	"cmp"
	"strings"

	"ambit/vectors/record"
)

// language holds the rules of a family of languages, which see each other's names. A
// language that differs from [unknownLanguage] has a file lang_<name>.go and a place in
// families; no other code of ambit compares the names of languages.
type language struct {
	names []string // as languages.Outline.Language; the first names the family
	joins string   // another family, whose names this one sees and which sees its names; "" for none

	classOf    string // the function that returns the class of its argument; "" for none
	selfModule bool   // a path of modules can start with "self" or "super"
	plainThis  bool   // "this" is a name like any other
	qualified  bool   // code in a type names the members of the type behind the type or a value only

	implicitSelf bool      // code names members without a receiver
	packages     reach     // which files share the top-level names of a package; ownFile for no packages
	members      reach     // which files can declare members of a type
	reexports    reexports // which imports of a file others see
	loose        wanted    // definitions that a plain name can mean when no rule finds one

	importsHide   bool // an import hides a function of the same name, which then stands in a closure
	aliases       bool // an alias of a module is an import, and a declaration that leads to it
	splitsByUse   bool // a type can have a method and a field of one name
	undeclared    bool // names need no declaration
	gathers       bool // objects gather the functions of modules: const z = {...schemas}
	commonNames   bool // builtin classes have methods of most names, so a name says little about its receiver
	callsByName   bool // the name of a method alone calls it
	implicitTypes bool // a type implements an interface without naming it
	lateModules   bool // a path starts with a module only if its first name means nothing else
	opensTypes    bool // an import of all names can name a type, and then brings its members
	prototypes    bool // a function can be declared in one file and defined in another one
	boundTypes    bool // the bound of a type parameter says what its values can do
	namespaces    bool // a module is a name space of many files, and showing it tells nothing
	reopens       bool // a module with several declarations is such a name space, unless a type includes it
	deepValues    bool // values have no written types, and many steps lead to one
	overloads     bool // methods of one type can have one name and differ by their parameters
	mixesLate     bool // types outside of the workspace get members at run time; extensions finds these and those of their bases

	interfaces []string // base classes that make a class an interface

	// isPart reports whether a declaration of kind part belongs to a type of kind of with the
	// same name; nil when every type has one declaration.
	isPart func(part, of record.Kind) bool

	calls *callRules // nil when the name of a function and its type tell which one is meant

	rules
}

// rules are the rules of a language that read the workspace. All implementations embed
// [defaultRules].
type rules interface {
	// module returns the module that an import path names in a file.
	module(v *View, from *fileEntry, path string) module
	// submodule returns the files of the module called name in the package that a file
	// stands for.
	submodule(v *View, pkg *fileEntry, name string) []ref
	// modulePath returns the files of the module that an expression starts with, and the
	// rest of the expression. It is false when no module is named.
	modulePath(v *View, from record.Path, path string) (files []ref, rest string, ok bool)
	// imported resolves an import of a name that m, the module it names, does not declare.
	imported(q *Query, at place, imp *record.Import, m module, depth int) answer
	// exported finds a name that a file exports without declaring it at its top.
	exported(q *Query, at place, name string, depth int) answer
	// moduleValue finds what an import of a whole module stands for where it is used as a value.
	moduleValue(q *Query, at place, imp *record.Import, depth int) answer
	// unscoped resolves a plain name that no scope, import, package or base type has. outside
	// says that an import which could have the name leads outside of the workspace.
	unscoped(q *Query, at place, name string, outside bool) answer
	// extensions returns the declarations of a name that extend a type which itself and whose
	// bases do not declare it.
	extensions(q *Query, at place, of thing, name string) []thing
	// sameShape reports whether a method can implement one of an interface, by their signatures.
	sameShape(method, of *record.Symbol) bool
	// bound returns the type that bounds a type parameter which a symbol sees, "" for none.
	bound(at place, symbol int, name string) string
	// fieldType returns the type of a field without a written one, "" when unknown.
	fieldType(at place, field *record.Symbol) string
}

// reach bounds the files that can hold the parts of a package or type.
type reach uint8

const (
	ownFile reach = iota
	ownDirectory
	ownPackage
	workspace
)

// covers reports whether other can hold parts of a declaration in file.
func (r reach) covers(file, other *fileEntry) bool {
	switch r {
	case ownDirectory:
		return dirOf(string(file.path)) == dirOf(string(other.path))
	case ownPackage:
		return file.pkg == other.pkg
	}
	return r == workspace
}

// reexports says which imports of a file other files can name.
type reexports uint8

const (
	allReexports    reexports = iota // all of them
	markedReexports                  // names, and wildcards that are marked as exported
	noReexports
)

// families lists the languages that have rules.
var families = []*language{golang, python, script, rust, java, ruby, c, csharp, kotlin, scala, swift, php, shell, lua, elixir, ocaml, protobuf, hcl, css}

// unknownLanguage holds the rules of every other language.
var unknownLanguage = &language{rules: defaultRules{}}

var languageByName = func() map[string]*language {
	m := map[string]*language{}
	for _, l := range families {
		for _, name := range l.names {
			m[name] = l
		}
	}
	return m
}()

// languageOf returns the rules of a language.
func languageOf(name string) *language {
	if l, ok := languageByName[name]; ok {
		return l
	}
	return unknownLanguage
}

// family returns the name of the family of a language, its own when it has none.
func family(language string) string {
	if l, ok := languageByName[language]; ok {
		return cmp.Or(l.joins, l.names[0])
	}
	return language
}

// defaultRules are the rules of a language without rules of its own: an import names a
// package, or the path of a file with dots for slashes.
type defaultRules struct{}

func (defaultRules) module(v *View, _ *fileEntry, path string) module {
	if files := v.inPackage(path); len(files) > 0 {
		return module{files: files}
	}
	return module{files: v.suffixed(strings.ReplaceAll(path, ".", "/"), ".java", ".kt", ".scala", ".cs")}
}

func (defaultRules) submodule(*View, *fileEntry, string) []ref { return nil }

func (defaultRules) modulePath(*View, record.Path, string) (files []ref, rest string, ok bool) {
	return nil, "", false
}

func (defaultRules) imported(_ *Query, _ place, _ *record.Import, m module, _ int) answer {
	return answer{outside: m.outside}
}

func (defaultRules) exported(*Query, place, string, int) answer { return answer{} }

func (defaultRules) moduleValue(*Query, place, *record.Import, int) answer { return answer{} }

func (defaultRules) unscoped(q *Query, at place, name string, outside bool) answer {
	return q.guess(at, name, outside, at.lang().loose)
}

func (defaultRules) extensions(*Query, place, thing, string) []thing { return nil }

func (defaultRules) bound(place, int, string) string { return "" }

func (defaultRules) sameShape(_, _ *record.Symbol) bool { return true }

func (defaultRules) fieldType(place, *record.Symbol) string { return "" }
