package deps_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"ambit/indexer/deps"
	"ambit/vectors/record"
)

// machine is a directory with a home, a workspace and a toolchain of their own.
type machine struct {
	dir string
	env map[string]string
}

// newMachine makes the files of a txtar text. "HOME", "WORK" and "GOROOT" in the text stand for
// the directories home, work and goroot of the machine.
func newMachine(t *testing.T, text string) *machine {
	t.Helper()
	m := &machine{dir: t.TempDir()}
	text = strings.NewReplacer("HOME", m.path("home"), "WORK", m.path("work"), "GOROOT", m.path("goroot")).Replace(text)
	for _, f := range txtar.Parse([]byte(text)).Files {
		m.write(t, f.Name, string(f.Data))
	}
	for _, dir := range []string{"home", "work"} {
		if err := os.MkdirAll(m.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m.env = map[string]string{"HOME": m.path("home"), "GOROOT": m.path("goroot")}
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *machine) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, m.path(name)); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) finder() *deps.Finder {
	return deps.New(m.path("work"), deps.Options{Getenv: func(name string) string { return m.env[name] }})
}

// found returns the paths of the files that Find returns for an import of a file.
func found(t *testing.T, f *deps.Finder, file, module string, names ...string) []string {
	t.Helper()
	var out []string
	for _, x := range f.Find(t.Context(), record.Path(file), record.Path(file), module, names).Files {
		out = append(out, string(x.Path))
	}
	return out
}

// importTest is an import of a file on a machine with some files, and the files that it leads to.
type importTest struct {
	name, files, file, module string
	want                      []string
}

// check looks a name up in the imported module.
func (tt *importTest) check(t *testing.T, name string) {
	t.Run(tt.name, func(t *testing.T) {
		got := found(t, newMachine(t, tt.files).finder(), tt.file, tt.module, name)
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Find(%s, %s) (-want +got):\n%s", tt.file, tt.module, diff)
		}
	})
}

// checkRefused compares the reasons of what the report on a file refuses with one, or with none
// for "".
func checkRefused(t *testing.T, f *deps.Finder, file record.Path, reason string) {
	t.Helper()
	var want, reasons []string
	if reason != "" {
		want = []string{reason}
	}
	for _, r := range f.Report([]record.Path{file}) {
		for _, x := range r.Refused {
			reasons = append(reasons, x.Reason)
		}
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

// goHome has a module cache with two versions of a module, and a toolchain.
const goHome = `
-- home/go/pkg/mod/example.com/!up!case/lib@v1.2.0/lib.go --
package lib

// New is new.
func New() *T { return nil }

type T struct{}
-- home/go/pkg/mod/example.com/!up!case/lib@v1.2.0/other.go --
package lib

func (t *T) Close() error { return nil }
-- home/go/pkg/mod/example.com/!up!case/lib@v1.2.0/lib_windows.go --
package lib

func New() *T { return nil }
-- home/go/pkg/mod/example.com/!up!case/lib@v1.2.0/lib_test.go --
package lib

func New() {}
-- home/go/pkg/mod/example.com/!up!case/lib@v1.2.0/ignored.go --
//go:build ignore

package main

func New() {}
-- home/go/pkg/mod/example.com/!up!case/lib@v1.2.0/sub/sub.go --
package sub

var Default = 1
-- home/go/pkg/mod/example.com/!up!case/lib@v1.3.0/lib.go --
package lib

func New() {}
-- home/go/pkg/mod/example.com/!up!case/lib/sub/v2@v2.0.0/sub.go --
package sub

var Default = 2
-- goroot/VERSION --
go1.25.3
time 2025-10-01T00:00:00Z
-- goroot/src/fmt/print.go --
package fmt

func Println(a ...any) {}
-- goroot/src/vendor/golang.org/x/net/dns/message.go --
package dns

type Message struct{}
`

func TestTheManifestsSayWhichVersionOfAGoModuleCounts(t *testing.T) {
	const lib = "example.com/UpCase/lib"
	v12 := []string{lib + "@v1.2.0/lib.go"}
	tests := []struct {
		name   string
		files  string
		env    map[string]string
		file   string
		module string
		names  []string
		want   []string
	}{
		{"a required version", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\n", nil, "a.go", lib, []string{"New"}, v12},
		{"a method in another file", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\n", nil, "a.go", lib, []string{"Close"}, []string{lib + "@v1.2.0/other.go"}},
		{"a package below", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\n", nil, "a.go", lib + "/sub", []string{"Default"}, []string{lib + "@v1.2.0/sub/sub.go"}},
		{"a module below another one", "-- work/go.mod --\nmodule m\nrequire (\n\texample.com/UpCase/lib v1.2.0\n\texample.com/UpCase/lib/sub/v2 v2.0.0\n)\n", nil, "a.go", lib + "/sub/v2", []string{"Default"}, []string{lib + "/sub/v2@v2.0.0/sub.go"}},
		{"the nearest go.mod", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.3.0\n-- work/in/go.mod --\nmodule in\nrequire example.com/UpCase/lib v1.2.0\n", nil, "in/deep/a.go", lib, []string{"New"}, v12},
		{"a version that only go.sum has", "-- work/go.mod --\nmodule m\n-- work/go.sum --\nexample.com/UpCase/lib v1.2.0 h1:x=\nexample.com/UpCase/lib v1.3.0/go.mod h1:y=\n", nil, "a.go", lib, []string{"New"}, v12},
		{"a version of go.work", "-- work/go.work --\ngo 1.25\nuse (\n\t./a\n\t./b\n)\n-- work/a/go.mod --\nmodule a\nrequire example.com/UpCase/lib v1.2.0\n-- work/b/go.mod --\nmodule b\nrequire example.com/UpCase/lib v1.3.0\n", nil, "a/a.go", lib, []string{"New"}, []string{lib + "@v1.3.0/lib.go"}},
		{"without go.work", "-- work/go.work --\ngo 1.25\nuse ./b\n-- work/a/go.mod --\nmodule a\nrequire example.com/UpCase/lib v1.2.0\n-- work/b/go.mod --\nmodule b\nrequire example.com/UpCase/lib v1.3.0\n", map[string]string{"GOWORK": "off"}, "a/a.go", lib, []string{"New"}, v12},
		{"a replacement by a version", "-- work/go.mod --\nmodule m\nrequire example.com/old v0.1.0\nreplace example.com/old => example.com/UpCase/lib v1.2.0\n", nil, "a.go", "example.com/old", []string{"New"}, v12},
		{"a replacement of another version", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\nreplace example.com/UpCase/lib v1.1.0 => example.com/UpCase/lib v1.3.0\n", nil, "a.go", lib, []string{"New"}, v12},
		{"a directory beside the workspace", "-- work/go.mod --\nmodule m\nrequire example.com/near v0.0.0\nreplace example.com/near => ../near\n-- near/go.mod --\nmodule example.com/near\n-- near/near.go --\npackage near\n\nfunc Near() {}\n", nil, "a.go", "example.com/near", []string{"Near"}, []string{"example.com/near/near.go"}},
		{"the directory vendor", "-- work/go.mod --\nmodule m\nrequire example.com/v v1.0.0\n-- work/vendor/modules.txt --\n# example.com/v v1.0.0\n## explicit\nexample.com/v\n-- work/vendor/example.com/v/v.go --\npackage v\n\nfunc V() {}\n", nil, "a.go", "example.com/v", []string{"V"}, []string{"vendor/example.com/v/v.go"}},
		{"no directory vendor", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\n-- work/vendor/modules.txt --\n# example.com/UpCase/lib v1.3.0\n-- work/vendor/example.com/UpCase/lib/lib.go --\npackage lib\n\nfunc New() {}\n", map[string]string{"GOFLAGS": "-mod=mod"}, "a.go", lib, []string{"New"}, v12},
		{"GOPATH", "-- work/go.mod --\nmodule m\nrequire example.com/g v1.0.0\n-- gopath/pkg/mod/example.com/g@v1.0.0/g.go --\npackage g\n\nconst (\n\tA, B = 1, 2\n)\n", map[string]string{"GOPATH": "HOME/../gopath"}, "a.go", "example.com/g", []string{"B"}, []string{"example.com/g@v1.0.0/g.go"}},
		{"what go env -w wrote", "-- work/go.mod --\nmodule m\nrequire example.com/g v1.0.0\n-- home/.config/go/env --\nGOMODCACHE=HOME/mods\n-- home/mods/example.com/g@v1.0.0/g.go --\npackage g\n\ntype G int\n", nil, "a.go", "example.com/g", []string{"G"}, []string{"example.com/g@v1.0.0/g.go"}},
		{"the standard library", "-- work/go.mod --\nmodule m\n", nil, "a.go", "fmt", []string{"Println"}, []string{"go@1.25.3/fmt/print.go"}},
		{"the standard library without a go.mod", "", nil, "a.go", "fmt", []string{"Println"}, []string{"go@1.25.3/fmt/print.go"}},
		{"a newer toolchain of the module cache", "-- work/go.mod --\nmodule m\ntoolchain go1.26.0\n-- home/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.26.0.OSARCH/VERSION --\ngo1.26.0\n-- home/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.26.0.OSARCH/src/fmt/print.go --\npackage fmt\n\nfunc Println() {}\n", nil, "a.go", "fmt", []string{"Println"}, []string{"go@1.26.0/fmt/print.go"}},
		{"a name that no file declares", "-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\n", nil, "a.go", lib, []string{"Missing"}, nil},
		{"a module that is not installed", "-- work/go.mod --\nmodule m\nrequire example.com/gone v1.0.0\n", nil, "a.go", "example.com/gone", []string{"New"}, nil},
		{"a module of the workspace", "-- work/go.mod --\nmodule example.com/UpCase/lib\n", nil, "a.go", lib, []string{"New"}, nil},
		{"a broken go.mod", "-- work/go.mod --\nmodule\nrequire (\n", nil, "a.go", lib, []string{"New"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, strings.ReplaceAll(goHome+tt.files, "OSARCH", goos()))
			for name, value := range tt.env {
				m.env[name] = strings.ReplaceAll(value, "HOME", m.path("home"))
			}
			if diff := cmp.Diff(tt.want, found(t, m.finder(), tt.file, tt.module, tt.names...)); diff != "" {
				t.Errorf("Find(%s, %s, %v) (-want +got):\n%s", tt.file, tt.module, tt.names, diff)
			}
		})
	}
}

func TestAFileOfTheStandardLibraryImportsWhatItVendors(t *testing.T) {
	m := newMachine(t, goHome)
	got := m.finder().Find(t.Context(), "a.go", "vendor/fmt/print.go", "golang.org/x/net/dns", []string{"Message"}).Files
	if len(got) != 1 || got[0].Path != "go@1.25.3/vendor/golang.org/x/net/dns/message.go" {
		t.Errorf("Find returns %v, want the file that the standard library vendors", got)
	}
}

func TestAChangedManifestCountsAtOnce(t *testing.T) {
	m := newMachine(t, goHome+"-- work/go.mod --\nmodule m\nrequire example.com/UpCase/lib v1.2.0\n")
	f := m.finder()
	const lib = "example.com/UpCase/lib"
	if got := found(t, f, "a.go", lib, "New"); !slices.Equal(got, []string{lib + "@v1.2.0/lib.go"}) {
		t.Fatalf("before the change: %v", got)
	}
	m.write(t, "work/go.mod", "module longer\nrequire example.com/UpCase/lib v1.3.0\n")
	if got := found(t, f, "a.go", lib, "New"); !slices.Equal(got, []string{lib + "@v1.3.0/lib.go"}) {
		t.Errorf("after the change: %v", got)
	}
}

// The module cache and the toolchain of the machine that runs the test have what this module
// itself imports.
func TestTheImportsOfThisModuleAreFound(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	f := deps.New(root, deps.Options{})
	for _, tt := range []struct{ file, module, name, want string }{
		{"server/config/read.go", "github.com/BurntSushi/toml", "Decode", "toml@v"},
		{"vectors/store/store.go", "go.etcd.io/bbolt", "Update", "bbolt@v"},
		{"server/lsp/lsp.go", "net/http", "ListenAndServe", "go@1."},
	} {
		files := f.Find(t.Context(), record.Path(tt.file), record.Path(tt.file), tt.module, []string{tt.name}).Files
		if len(files) == 0 {
			t.Errorf("%s of %s is not found", tt.name, tt.module)
			continue
		}
		x := files[0]
		if !strings.HasPrefix(x.Package, tt.want) {
			t.Errorf("%s of %s is of %s, want %s…", tt.name, tt.module, x.Package, tt.want)
		}
		if !slices.ContainsFunc(x.Record.Graph.Symbols, func(s record.Symbol) bool { return s.Name == tt.name }) {
			t.Errorf("%s has no symbol %s", x.Path, tt.name)
		}
		if text, err := os.ReadFile(x.Name); err != nil || len(text) != len(x.Text) {
			t.Errorf("%s: %v, and %d bytes on disk for %d", x.Name, err, len(text), len(x.Text))
		}
	}
}

func TestAReplacedModuleInVendorHasTheVersionOfItsCode(t *testing.T) {
	m := newMachine(t, "-- work/go.mod --\nmodule m\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\nreplace example.com/a => ../a\nreplace example.com/b => example.com/fork v1.2.0\n"+
		"-- work/vendor/modules.txt --\n# example.com/a v1.0.0 => ../a\nexample.com/a\n# example.com/b v1.0.0 => example.com/fork v1.2.0\nexample.com/b\n# example.com/a => ../a\n"+
		"-- work/vendor/example.com/a/a.go --\npackage a\n-- work/vendor/example.com/b/b.go --\npackage b\n")
	want := []deps.Package{{Name: "example.com/a", Dir: m.path("work/vendor/example.com/a")}, {Name: "example.com/b", Version: "v1.2.0", Dir: m.path("work/vendor/example.com/b")}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"go.mod"})[0].Found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}
