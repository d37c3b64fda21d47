package deps_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/vectors/record"
)

func goos() string { return runtime.GOOS + "-" + runtime.GOARCH }

// secret is a Go file that no workspace may reach.
const secret = "package lib\n\n// Key opens everything.\nconst Key = 1\n"

func TestAWorkspaceReachesNoOtherDirectory(t *testing.T) {
	const replaced = "-- work/go.mod --\nmodule m\nrequire example.com/lib v1.0.0\nreplace example.com/lib => "
	const required = "-- work/go.mod --\nmodule m\nrequire example.com/lib v1.0.0\n"
	const declares = "module example.com/lib\n"
	tests := []struct {
		name   string
		files  string
		links  [][2]string // from the second to the first, below the machine
		module string
		reason string // of the refusal, below the workspace as a whole; "" for none
	}{
		{"a hidden directory of the home", replaced + "HOME/.ssh\n-- home/.ssh/go.mod --\n" + declares + "-- home/.ssh/lib.go --\n" + secret, nil, "example.com/lib", ".ssh is a hidden directory"},
		{"the same by a relative path", replaced + "../home/.ssh\n-- home/.ssh/go.mod --\n" + declares + "-- home/.ssh/lib.go --\n" + secret, nil, "example.com/lib", ".ssh is a hidden directory"},
		{"a hidden directory by a link in the workspace", replaced + "./lib\n-- home/.ssh/go.mod --\n" + declares + "-- home/.ssh/lib.go --\n" + secret, [][2]string{{"home/.ssh", "work/lib"}}, "example.com/lib", ".ssh is a hidden directory"},
		{"a directory without a go.mod", replaced + "../home/notes\n-- home/notes/lib.go --\n" + secret, nil, "example.com/lib", "it has no go.mod"},
		{"the go.mod of another module", replaced + "../home/other\n-- home/other/go.mod --\nmodule example.com/other\n-- home/other/lib.go --\n" + secret, nil, "example.com/lib", `its go.mod declares the module "example.com/other"`},
		{"a go.mod that is a link", replaced + "../home/notes\n-- near/go.mod --\n" + declares + "-- home/notes/lib.go --\n" + secret, [][2]string{{"near/go.mod", "home/notes/go.mod"}}, "example.com/lib", "it has no go.mod"},
		{"a file that is a link out of the module", replaced + "../near\n-- near/go.mod --\n" + declares + "-- home/lib.go --\n" + secret, [][2]string{{"home/lib.go", "near/lib.go"}}, "example.com/lib", ""},
		{"a package that is a link out of the module", replaced + "../near\n-- near/go.mod --\n" + declares + "-- home/notes/lib.go --\n" + secret, [][2]string{{"home/notes", "near/pkg"}}, "example.com/lib/pkg", ""},
		{"a module of the cache that is a link", required, [][2]string{{"home/notes", "home/go/pkg/mod/example.com/lib@v1.0.0"}}, "example.com/lib", ""},
		{"a version with a path", "-- work/go.mod --\nmodule m\nrequire example.com/lib v1.0.0/../../../../../notes\n-- home/go/pkg/mod/example.com/lib@v1.0.0/x.go --\npackage lib\n", nil, "example.com/lib", ""},
		{"the same in go.sum", "-- work/go.mod --\nmodule m\n-- work/go.sum --\nexample.com/lib v1.0.0/../../../../../notes h1:x=\n", nil, "example.com/lib", ""},
		{"an import with dots", required + "-- home/go/pkg/mod/example.com/lib@v1.0.0/x.go --\npackage lib\n", nil, "example.com/lib/../../../../../notes", ""},
		{"an import of the standard library with dots", required, nil, "../../home/notes", ""},
		{"an import with an absolute path", required, nil, "HOME/notes", ""},
		{"a directory vendor that is a link", required + "-- evil/modules.txt --\n# example.com/lib v1.0.0\n", [][2]string{{"evil", "work/vendor"}, {"home/notes", "evil/example.com/lib"}}, "example.com/lib", ""},
		{"a package in vendor that is a link", required + "-- work/vendor/modules.txt --\n# example.com/lib v1.0.0\n", [][2]string{{"home/notes", "work/vendor/example.com/lib"}}, "example.com/lib", ""},
		{"a go.work with a directory above", "-- work/go.work --\ngo 1.25\nuse (\n\t.\n\t../home/notes\n)\n-- work/go.mod --\nmodule m\n-- home/notes/go.mod --\n" + declares, nil, "example.com/lib", "it is outside of the workspace"},
		{"a go.mod that is a link out of the workspace", "-- evil/go.mod --\nmodule m\nrequire example.com/lib v1.0.0\n-- home/go/pkg/mod/example.com/lib@v1.0.0/lib.go --\n" + secret, [][2]string{{"evil/go.mod", "work/go.mod"}}, "example.com/lib", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, "-- home/notes/lib.go --\n"+secret+tt.files)
			for _, l := range tt.links {
				m.link(t, m.path(l[0]), l[1])
			}
			f := m.finder()
			module := strings.ReplaceAll(tt.module, "HOME", m.path("home"))
			if got := found(t, f, "a.go", module, "Key"); len(got) > 0 {
				t.Errorf("it reaches %v", got)
			}
			checkRefused(t, f, "go.mod", tt.reason)
		})
	}
}

// A workspace in a hidden directory may have its modules beside it.
func TestAHiddenWorkspaceReachesItsNeighbours(t *testing.T) {
	m := newMachine(t, "-- home/.dots/work/go.mod --\nmodule m\nrequire example.com/near v0.0.0\nreplace example.com/near => ../near\n"+
		"-- home/.dots/near/go.mod --\nmodule example.com/near\n-- home/.dots/near/near.go --\npackage near\n\nfunc Near() {}\n")
	f := deps.New(m.path("home/.dots/work"), deps.Options{Getenv: func(name string) string { return m.env[name] }})
	if got := found(t, f, "a.go", "example.com/near", "Near"); len(got) != 1 {
		t.Errorf("Find returns %v, want the file of the neighbour", got)
	}
}

func TestSecretsOfDependenciesAreMasked(t *testing.T) {
	const token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	m := newMachine(t, "-- work/go.mod --\nmodule m\nrequire example.com/lib v1.0.0\n-- home/go/pkg/mod/example.com/lib@v1.0.0/lib.go --\npackage lib\n\n// Key is "+token+".\nconst Key = \""+token+"\"\n")
	files := m.finder().Find(t.Context(), "a.go", "a.go", "example.com/lib", []string{"Key"}).Files
	if len(files) != 1 {
		t.Fatalf("Find returns %d files, want 1", len(files))
	}
	if strings.Contains(string(files[0].Text), token) {
		t.Errorf("the text has the token:\n%s", files[0].Text)
	}
}

func TestTheReportSaysWhatIsMissing(t *testing.T) {
	m := newMachine(t, goHome+"-- work/go.mod --\nmodule m\nrequire (\n\texample.com/UpCase/lib v1.2.0\n\texample.com/gone v1.0.0\n\texample.com/indirect v1.0.0 // indirect\n)\n")
	want := []deps.Report{{
		Ecosystem: "Go", Std: &deps.Package{Name: "go", Version: "1.25.3", Dir: m.path("goroot/src")}, Remedy: "go mod download",
		Found:   []deps.Package{{Name: "example.com/UpCase/lib", Version: "v1.2.0", Dir: m.path("home/go/pkg/mod/example.com/!up!case/lib@v1.2.0")}},
		Missing: []deps.Package{{Name: "example.com/gone", Version: "v1.0.0"}},
	}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"a.go", "go.mod"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
	if got := m.finder().Report([]record.Path{"README.md"}); got != nil {
		t.Errorf("the report on a workspace without Go has %v", got)
	}
}
