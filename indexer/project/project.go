// Package project reads what a project says of itself: its manifests (go.mod,
// package.json, Gemfile, …) and the first sentences of its documents and packages.
//
// Every function is a pure function of a path and the bytes of the file. Broken input
// gives what can be read of it, never an error. Nothing is executed: manifests that are
// programs are read by patterns.
package project

import (
	"path"
	"slices"
	"strings"
)

// Manifest is what one manifest says.
type Manifest struct {
	Name  string // of the project, "" when it has none
	About string // one sentence, "" when it has none
	// Dependencies are the names of what the code needs, as written and in their order, each
	// once; those of tests and builds are in Tools.
	Dependencies, Tools []string
	Entries             []Entry
	ecosystem           string
}

// Entry is a place where the code of a project is entered from outside.
type Entry struct {
	Name string
	Kind EntryKind
	// Path is relative to the directory of the manifest, or a dotted module of Python; it is
	// "" when the manifest does not tell. The file need not exist.
	Path string
}

// EntryKind says what an entry is.
type EntryKind string

// The kinds of entries.
const (
	Program EntryKind = "program" // a command that users start
	Library EntryKind = "library" // what other projects import
	Routes  EntryKind = "routes"  // the addresses to which an application answers
)

// readers holds the manifests by the names of their files; a name may start with "*".
var readers = []struct {
	name, ecosystem string
	read            func(m *Manifest, text string)
}{
	{"go.mod", "go", readGoMod},
	{"package.json", "npm", readPackageJSON},
	{"Cargo.toml", "cargo", readCargo},
	{"pyproject.toml", "pypi", readPyproject},
	{"setup.cfg", "pypi", readSetupCfg},
	{"setup.py", "pypi", readSetupPy},
	{"requirements.txt", "pypi", readRequirements},
	{"Gemfile", "gems", readGemfile},
	{"*.gemspec", "gems", readGemspec},
	{"composer.json", "composer", readComposer},
	{"pom.xml", "maven", readPOM},
	{"build.gradle", "maven", readGradle},
	{"build.gradle.kts", "maven", readGradle},
	{"*.csproj", "nuget", readCsproj},
	{"mix.exs", "hex", readMix},
	{"CMakeLists.txt", "cmake", readCMake},
	{"configure.ac", "cmake", readAutoconf},
}

// IsManifest reports whether a file is a manifest by its name.
func IsManifest(name string) bool { return reader(name) >= 0 }

func reader(name string) int {
	base := path.Base(name)
	for i := range readers {
		if suffix, any := strings.CutPrefix(readers[i].name, "*"); base == readers[i].name || any && strings.HasSuffix(base, suffix) {
			return i
		}
	}
	return -1
}

// Read reads a manifest; of another file it returns nothing.
func Read(name string, content []byte) Manifest {
	i := reader(name)
	if i < 0 {
		return Manifest{}
	}
	m := Manifest{ecosystem: readers[i].ecosystem}
	readers[i].read(&m, string(content))
	m.Name, m.About = strings.TrimSpace(m.Name), sentence(m.About)
	return m
}

// need adds dependencies, each once.
func need(list *[]string, names ...string) {
	for _, n := range names {
		if n = strings.TrimSpace(n); n != "" && !slices.Contains(*list, n) {
			*list = append(*list, n)
		}
	}
}

// enter adds an entry.
func (m *Manifest) enter(kind EntryKind, name, file string) {
	if file != "" {
		file = path.Clean(strings.TrimPrefix(file, "./"))
	}
	m.Entries = append(m.Entries, Entry{Name: name, Kind: kind, Path: file})
}
