// Package deps finds the sources of what the code of a workspace imports from outside of it.
//
// For an import of a file and some names it returns the files of the imported module that
// declare them, parsed and with their secrets masked. Nothing else of the module is parsed.
//
// The package reads only where the tools of a language keep such sources: see [Finder.Find]. It
// decides where that is from settings of the user and of the tools and from manifests and lock
// files of the workspace, which nobody has to trust: a directory that they name is refused when it
// leads elsewhere, see [Refused]. The package writes nothing, executes nothing and has no network.
package deps

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// File is a file of a dependency.
type File struct {
	// Record has the symbols and imports of the file, without its uses. Its path is the one by
	// which package graph finds the file for an import of the workspace.
	Record  record.FileRecord
	Path    record.Path // as answers show it: "github.com/spf13/cobra@v1.10.2/command.go"
	Package string      // with its version: "cobra@v1.10.2"
	Name    string      // absolute path; of an entry of an archive "/home/u/gson-2.10.1-sources.jar!/com/google/gson/Gson.java"
	Text    []byte      // with secrets masked; spans of Record refer to it
	Std     bool        // it is of the standard library of its language
	// Bare says that the record has the imports of the file and no symbols, and that Text is nil: the file
	// only leads to another one.
	Bare bool
	// InArchive says that the file is an entry of an archive, which is not on the disk.
	InArchive bool
}

// Options tunes [New]. The zero value is ready for use.
type Options struct {
	Getenv func(string) string // nil means os.Getenv
	Cache  *Cache              // shared by the finders of a process; nil for one of its own
}

// Finder finds the dependencies of one workspace, and what its generated files declare. It is safe for concurrent use.
type Finder struct {
	root       string // of the workspace
	ecosystems []ecosystem
	cache      *Cache
}

// ecosystem finds the sources of the modules of one family of languages. It is safe for
// concurrent use.
type ecosystem interface {
	// serves reports whether files with an extension import modules of the ecosystem.
	serves(ext string) bool
	// find is [Finder.Find].
	find(ctx context.Context, file, from record.Path, module string, names []string) Found
	// report says what the files of a workspace depend on. It returns false when none of them
	// is of the ecosystem.
	report(files []record.Path) (Report, bool)
	// trees returns the packages that the files of a workspace depend on directly.
	trees(files []record.Path) []tree
	// reads reports whether files with an extension can be imported which import nothing themselves.
	reads(ext string) bool
	// locate returns where a file with an absolute name lies, when a file of the workspace can
	// import its package.
	locate(file record.Path, name string) (located, bool)
}

// place is what every ecosystem knows of the workspace and the user.
type place struct {
	root   string // of the workspace, absolute
	getenv func(string) string
	cache  *Cache
}

// New returns a finder for the workspace at root, an absolute path.
func New(root string, o Options) *Finder {
	in := place{root: root, getenv: o.Getenv, cache: o.Cache}
	if in.getenv == nil {
		in.getenv = os.Getenv
	}
	if in.cache == nil {
		in.cache = NewCache(0, nil)
	}
	return &Finder{root: root, cache: in.cache, ecosystems: []ecosystem{
		&golang{place: in},
		&python{place: in},
		&ruby{place: in},
		&script{place: in},
		&rust{place: in},
		&java{place: in},
		&clang{place: in},
	}}
}

// maxFiles bounds the files that Find returns: a name is declared in few.
const maxFiles = 16

// Found is what an import leads to.
type Found struct {
	Files []*File // a few times maxFiles at most
	// Leads has the imports of which package graph cannot tell from the path of a file that they
	// mean it.
	Leads map[graph.Lead]record.Path
}

// Find returns the files of the module that an import names which declare one of the names; ""
// stands for the module itself, in languages in which a file is one. The import stands in the file
// at from, which is the path of a file of the workspace or of the record of a dependency; file is
// the file of the workspace that the question is about, whose manifest says which versions count.
// Find returns nothing for a module of the workspace, for one that is not installed and for one
// that is refused.
//
// It reads below these directories only:
//   - of Go the module cache, the directory vendor, directories that replace a module, and the
//     standard library of the toolchain in use;
//   - of Python the directories site-packages of the environment in the workspace, of the one that
//     the user has activated or of the interpreter on PATH, the standard library of its
//     interpreter, and the projects that are installed from their sources;
//   - of Ruby the gems of Gemfile.lock in vendor/bundle, in the directories of gems of the user and
//     of the ruby on PATH, and where a gem of a path lies, and the standard library;
//   - of JavaScript and TypeScript the packages in directories node_modules of the workspace, or of
//     the workspace of a package manager that it is a package of;
//   - of Rust the sources below CARGO_HOME, the directories of packages that the settings of cargo
//     name, directories that a dependency names by its path, and the standard library of the
//     toolchain;
//   - of Java the archives of sources in the local repository of Maven and in the cache of Gradle,
//     and src.zip of the JDK;
//   - of C and C++ headers in the directories of the system, of the compiler's variables and of
//     compile_commands.json, when these are in the workspace or below those of the system.
func (f *Finder) Find(ctx context.Context, file, from record.Path, module string, names []string) Found {
	for _, e := range f.ecosystems {
		if e.serves(path.Ext(string(file))) {
			return e.find(ctx, file, from, module, names)
		}
	}
	return Found{}
}

// source is a directory with files of one package.
type source struct {
	base    string      // absolute path of a directory that may be read
	dir     string      // below base, with slashes; "." for base itself
	view    record.Path // the directory in paths of records
	shown   record.Path // the directory in paths of answers
	pkg     string      // with its version
	std     bool
	accepts func(root *os.Root, name string) bool // whether a file is of the package
	names   func(text []byte) []string            // that a text declares, and perhaps some more
	plain   func(text []byte) []byte              // spells a text of the same length for the parser; nil for the text itself
	brief   func(text []byte) []byte              // is plain where uses are not asked for, after it; nil for the same
	extend  func(*File)                           // adds what the parser of the language does not see; nil for nothing
}

// absolute returns the absolute path of a file of the package.
func (s *source) absolute(name string) string {
	return filepath.Join(s.base, filepath.FromSlash(s.dir), name)
}

// record returns the path of the record of a file of the package.
func (s *source) record(name string) record.Path {
	return record.Path(path.Join(string(s.view), name))
}

// key identifies a file in the cache: one directory can stand for two modules.
func (s *source) key(name string) string { return s.absolute(name) + "\x00" + string(s.view) }
