package deps_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/vectors/record"
)

// pyHome has an interpreter below home/py, and an environment of the workspace.
const pyHome = `
-- home/py/bin/python3.11 --
-- home/py/lib/python3.11/os.py --
import posixpath as path

environ = {}
-- home/py/lib/python3.11/posixpath.py --
def join(a, *p): ...
-- home/py/lib/python3.11/site.py --
-- home/py/lib/python3.11/encodings/__init__.py --
-- home/py/lib/python3.11/json/__init__.py --
from .decoder import JSONDecoder

def loads(s): ...
-- home/py/lib/python3.11/json/decoder.py --
class JSONDecoder: ...
-- home/py/lib/python3.11/site-packages/six-1.16.0.dist-info/RECORD --
six.py,,
-- home/py/lib/python3.11/site-packages/six.py --
def b(s): ...
-- work/.venv/pyvenv.cfg --
home = HOME/py/bin
version = 3.11.4
-- SITE/flask-3.0.0.dist-info/METADATA --
Metadata-Version: 2.1
Name: Flask
Version: 3.0.0

Name: ../../x
-- SITE/flask-3.0.0.dist-info/RECORD --
../../../bin/flask,,
flask/__init__.py,sha256=x,1
flask/app.py,sha256=x,1
flask-3.0.0.dist-info/METADATA,,
-- SITE/flask/__init__.py --
from . import json as json
from .app import Flask as Flask, Old as New
from .all import *
from .sansio.scaffold import setup
-- SITE/flask/app.py --
from .sansio.scaffold import Scaffold

class Flask(Scaffold): ...
class Old: ...
-- SITE/flask/all.py --
from .deep import *
__all__ = ["far"]
-- SITE/flask/deep.py --
def far(): ...
-- SITE/flask/json/__init__.py --
def dumps(o): ...
-- SITE/flask/sansio/scaffold.py --
class Scaffold: ...
def setup(): ...
-- SITE/PyYAML-6.0.egg-info/top_level.txt --
_yaml
yaml
-- SITE/yaml/__init__.py --
def load(s): ...
-- SITE/google_a-1.0.dist-info/RECORD --
google/a/__init__.py,,
-- SITE/google_b-2.0.dist-info/RECORD --
google/b.py,,
-- SITE/google/a/__init__.py --
def a(): ...
-- SITE/google/b.py --
def b(): ...
-- SITE/types_yaml-6.1.dist-info/top_level.txt --
yaml-stubs
-- SITE/yaml-stubs/__init__.pyi --
def load(s: str): ...
-- SITE/yaml-stubs/reader.pyi --
class Reader: ...
-- SITE/fast-1.0.dist-info/top_level.txt --
fast
-- SITE/fast.pyi --
def run() -> int: ...
`

// pyMachine makes a machine. "SITE" in the text stands for the packages of the environment.
func pyMachine(t *testing.T, text string) *machine {
	t.Helper()
	return newMachine(t, strings.ReplaceAll(pyHome+text, "SITE", "work/.venv/lib/python3.11/site-packages"))
}

func TestAnEnvironmentSaysWhereAPythonModuleLies(t *testing.T) {
	const outer = "-- outer/pyvenv.cfg --\nhome = HOME/py/bin\n-- outer/lib/python3.11/site-packages/only-1.0.dist-info/top_level.txt --\nonly\n-- outer/lib/python3.11/site-packages/only.py --\ndef f(): ...\n"
	flask := "Flask@3.0.0/flask/"
	tests := []struct {
		name   string
		files  string
		env    map[string]string
		file   string
		from   string // "" for file
		module string
		names  []string
		want   []string
	}{
		{"a re-exported name", "", nil, "a.py", "", "flask", []string{"Flask"}, []string{flask + "__init__.py", flask + "app.py"}},
		{"under another name", "", nil, "a.py", "", "flask", []string{"New"}, []string{flask + "__init__.py", flask + "app.py"}},
		{"through star imports", "", nil, "a.py", "", "flask", []string{"far"}, []string{flask + "__init__.py", flask + "all.py", flask + "deep.py"}},
		{"a module as a name", "", nil, "a.py", "", "flask", []string{"json"}, []string{flask + "__init__.py", flask + "json/__init__.py"}},
		{"a module below", "", nil, "a.py", "", "flask.json", []string{"dumps"}, []string{flask + "json/__init__.py"}},
		{"a package without __init__", "", nil, "a.py", "", "flask.sansio.scaffold", []string{"Scaffold"}, []string{flask + "sansio/scaffold.py"}},
		{"an import relative to a dependency", "", nil, "a.py", "site-packages/flask/app.py", ".sansio.scaffold", []string{"Scaffold"}, []string{flask + "sansio/scaffold.py"}},
		{"two levels up", "", nil, "a.py", "site-packages/flask/sansio/scaffold.py", "..json", []string{"dumps"}, []string{flask + "json/__init__.py"}},
		{"a distribution of another name", "", nil, "a.py", "", "yaml", []string{"load"}, []string{"PyYAML@6.0/yaml/__init__.py"}},
		{"a module that only stubs have", "", nil, "a.py", "", "yaml.reader", []string{"Reader"}, []string{"types_yaml@6.1/yaml-stubs/reader.pyi"}},
		{"a stub beside a compiled module", "", nil, "a.py", "", "fast", []string{"run"}, []string{"fast@1.0/fast.pyi"}},
		{"a name space of two distributions", "", nil, "a.py", "", "google.b", []string{"b"}, []string{"google_b@2.0/google/b.py"}},
		{"the standard library", "", nil, "a.py", "", "json", []string{"JSONDecoder"}, []string{"python@3.11/json/__init__.py", "python@3.11/json/decoder.py"}},
		{"a module that the standard library imports", "", nil, "a.py", "", "os", []string{"path", "join"}, []string{"python@3.11/os.py", "python@3.11/posixpath.py"}},
		{"a module that is another one", "", nil, "a.py", "", "os.path", []string{"join"}, []string{"python@3.11/posixpath.py"}},
		{"the packages of the interpreter do not count", "", nil, "a.py", "", "six", []string{"b"}, nil},
		{"unless the environment says so", "-- work/.venv/pyvenv.cfg --\nhome = HOME/py/bin\nversion = 3.11.4\ninclude-system-site-packages = true\n", nil, "a.py", "", "six", []string{"b"}, []string{"six@1.16.0/six.py"}},
		{"the nearest environment", "-- work/in/venv/pyvenv.cfg --\nhome = HOME/py/bin\n-- work/in/venv/lib/python3.11/site-packages/flask.py --\nclass Flask: ...\n", nil, "in/deep/a.py", "", "flask", []string{"Flask"}, []string{"flask/flask.py"}},
		{"the environment of the workspace comes first", outer, map[string]string{"VIRTUAL_ENV": "HOME/../outer"}, "a.py", "", "only", []string{"f"}, nil},
		{"a module that is not installed", "", nil, "a.py", "", "gone", []string{"f"}, nil},
		{"a relative import of the workspace", "", nil, "a.py", "", ".flask", []string{"Flask"}, nil},
		{"a directory of the workspace that a .pth file names", "-- SITE/me.pth --\nWORK/src\n-- work/src/me.py --\ndef f(): ...\n", nil, "a.py", "", "me", []string{"f"}, nil},
		{"a directory below that a .pth file names", "-- SITE/win.pth --\nwin\n-- SITE/win/api.py --\ndef f(): ...\n", nil, "a.py", "", "api", []string{"f"}, []string{"api/api.py"}},
		{"a project beside the workspace", "-- SITE/near.pth --\n# a remark\nimport os\nHOME/near/src\n" + nearProject, nil, "a.py", "", "near", []string{"f"}, []string{"Near@1.0/near/__init__.py"}},
		{"the same by a module of setuptools", "-- SITE/__editable__.near-1.0.pth --\nimport __editable___near_1_0_finder; __editable___near_1_0_finder.install()\n-- SITE/__editable___near_1_0_finder.py --\nMAPPING: dict[str, str] = {'near': 'HOME/near/src/near'}\n" + nearProject, nil, "a.py", "", "near", []string{"f"}, []string{"Near@1.0/near/__init__.py"}},
		{"another package of that project", "-- SITE/__editable__.near-1.0.pth --\nimport __editable___near_1_0_finder\n-- SITE/__editable___near_1_0_finder.py --\nMAPPING = {'near': 'HOME/near/src/near'}\n-- home/near/src/other.py --\ndef f(): ...\n" + nearProject, nil, "a.py", "", "other", []string{"f"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := pyMachine(t, tt.files)
			for name, value := range tt.env {
				m.env[name] = strings.ReplaceAll(value, "HOME", m.path("home"))
			}
			from := record.Path(tt.from)
			if from == "" {
				from = record.Path(tt.file)
			}
			var got []string
			for _, x := range m.finder().Find(t.Context(), record.Path(tt.file), from, tt.module, tt.names).Files {
				got = append(got, string(x.Path))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%s, %s, %v) (-want +got):\n%s", tt.file, tt.module, tt.names, diff)
			}
		})
	}
}

// nearProject is a project beside the workspace, and its distribution.
const nearProject = `
-- SITE/near-1.0.dist-info/METADATA --
Name: Near
Version: 1.0
-- SITE/near-1.0.dist-info/direct_url.json --
{"url": "file://HOME/near", "dir_info": {"editable": true}}
-- home/near/pyproject.toml --
[project]
name = "near"
-- home/near/src/near/__init__.py --
def f(): ...
`

func TestASearchReadsAnEditableProjectWhereItsSourcesAre(t *testing.T) {
	const other = "-- home/near/src/other.py --\ndef f(): ...\n"
	for _, tt := range []struct {
		name, files string
		want        []string
	}{
		{"by a directory", "-- SITE/near.pth --\nHOME/near/src\n", []string{"Near@1.0/near/__init__.py f 1.00"}},
		{"by a module of setuptools", "-- SITE/near.pth --\nimport __editable___near_1_0_finder\n-- SITE/__editable___near_1_0_finder.py --\nMAPPING = {'near': 'HOME/near/src/near'}\n" + other, []string{"Near@1.0/near/__init__.py f 1.00"}},
	} {
		m := pyMachine(t, "-- work/pyproject.toml --\n[project]\ndependencies = [\"near\"]\n"+tt.files+nearProject)
		files := []record.Path{"a.py", "pyproject.toml"}
		if diff := cmp.Diff(tt.want, searched(t, m, files, "f")); diff != "" {
			t.Errorf("%s: Search (-want +got):\n%s", tt.name, diff)
		}
		if got := m.finder().Report(files)[0].Found; len(got) != 1 || got[0].Dir != m.path("home/near/src") {
			t.Errorf("%s: the report found %v", tt.name, got)
		}
	}
}

func TestWithoutAnEnvironmentTheUserSaysWhichPythonCounts(t *testing.T) {
	const env = "-- outer/lib/python3.11/site-packages/only-1.0.dist-info/top_level.txt --\nonly\n-- outer/lib/python3.11/site-packages/only.py --\ndef f(): ...\n"
	const library = "-- outer/lib/python3.11/os.py --\n-- outer/lib/python3.11/site.py --\n-- outer/lib/python3.11/encodings/__init__.py --\n"
	tests := []struct {
		name   string
		files  string
		env    map[string]string
		module string
		want   []string
	}{
		{"an activated environment", env + "-- outer/pyvenv.cfg --\nhome = HOME/py/bin\n", map[string]string{"VIRTUAL_ENV": "HOME/../outer"}, "only", []string{"only@1.0/only.py"}},
		{"one of conda", env + library, map[string]string{"CONDA_PREFIX": "HOME/../outer"}, "only", []string{"only@1.0/only.py"}},
		{"the python3 on PATH", "", map[string]string{"PATH": "HOME/bin"}, "six", []string{"six@1.16.0/six.py"}},
		{"its standard library", "", map[string]string{"PATH": "HOME/bin"}, "json", []string{"python@3.11/json/__init__.py"}},
		{"the packages of the user", "-- home/.local/lib/python3.11/site-packages/mine.py --\ndef f(): ...\n", map[string]string{"PATH": "HOME/bin"}, "mine", []string{"mine/mine.py"}},
		{"a version of pyenv", "-- home/.pyenv/shims/python3 --\n#!/bin/sh\n-- home/.pyenv/version --\n3.11.4\n", map[string]string{"PATH": "HOME/.pyenv/shims"}, "six", []string{"six@1.16.0/six.py"}},
		{"a version of pyenv with a path", "-- home/.pyenv/shims/python3 --\n#!/bin/sh\n-- home/.pyenv/version --\n../versions/3.11.4\n", map[string]string{"PATH": "HOME/.pyenv/shims"}, "six", nil},
		{"a PATH with a relative directory", "-- work/bin/python3 --\n", map[string]string{"PATH": "bin"}, "json", nil},
		{"no python at all", "", nil, "json", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, _, _ := strings.Cut(pyHome, "-- work/.venv/")
			m := newMachine(t, all+tt.files)
			m.link(t, m.path("home/py/bin/python3.11"), "home/bin/python3")
			m.link(t, m.path("home/py"), "home/.pyenv/versions/3.11.4")
			m.link(t, m.path("home/py/bin/python3.11"), "home/py/bin/python3")
			for name, value := range tt.env {
				m.env[name] = strings.ReplaceAll(value, "HOME", m.path("home"))
			}
			if diff := cmp.Diff(tt.want, found(t, m.finder(), "a.py", tt.module, "f")); diff != "" {
				t.Errorf("Find(%s) (-want +got):\n%s", tt.module, diff)
			}
		})
	}
}

func TestAWorkspaceReachesNoOtherDirectoryByPython(t *testing.T) {
	const pySecret = "def key(): ...\n"
	const cfg = "-- work/.venv/pyvenv.cfg --\nhome = HOME/py/bin\n"
	const direct = "-- SITE/lib-1.0.dist-info/METADATA --\nName: lib\nVersion: 1.0\n-- SITE/lib-1.0.dist-info/direct_url.json --\n"
	editable := func(dir string) string {
		return direct + `{"url": "file://` + dir + `", "dir_info": {"editable": true}}` + "\n-- SITE/lib.pth --\n" + dir + "\n"
	}
	tests := []struct {
		name   string
		files  string
		links  [][2]string // from the second to the first, below the machine
		module string
		reason string // of the refusal; "" for none
	}{
		{"an environment that is a link", "-- evil/lib/python3.11/site-packages/lib.py --\n" + pySecret + "-- evil/pyvenv.cfg --\nhome = HOME/py/bin\n", [][2]string{{"evil", "work/venv"}}, "lib", "it is a link out of the workspace; activate the environment in its place"},
		{"a package that is a link", cfg, [][2]string{{"home/notes", "SITE/lib"}}, "lib.key", ""},
		{"a file that is a link", cfg, [][2]string{{"home/notes/key.py", "SITE/lib.py"}}, "lib", ""},
		{"a directory site-packages that is a link", "-- work/env/pyvenv.cfg --\nhome = HOME/py/bin\n-- work/env/lib/python3.11/keep --\n", [][2]string{{"home/notes", "work/env/lib/python3.11/site-packages"}}, "key", ""},
		{"a .pth file with a hidden directory", cfg + editable("HOME/.ssh") + "-- home/.ssh/lib.py --\n" + pySecret + "-- home/.ssh/pyproject.toml --\n[project]\nname = \"lib\"\n", nil, "lib", ".ssh is a hidden directory"},
		{"a .pth file with a directory of no distribution", cfg + "-- SITE/x.pth --\nHOME/notes\n", nil, "key", "no distribution is installed from it"},
		{"one that leads there by dots", cfg + "-- SITE/x.pth --\n../../../../../home/notes\n", nil, "key", ""},
		{"a .pth file that is a link", cfg + "-- evil/x.pth --\nHOME/notes\n", [][2]string{{"evil/x.pth", "SITE/x.pth"}}, "key", ""},
		{"the project of another distribution", cfg + editable("HOME/notes") + "-- home/notes/setup.cfg --\n[metadata]\nname = other\n", nil, "key", "it has no manifest of lib"},
		{"a project without a manifest", cfg + editable("HOME/notes"), nil, "key", "it has no manifest of lib"},
		{"a distribution that is not editable", cfg + direct + `{"url": "file://HOME/notes"}` + "\n-- SITE/lib.pth --\nHOME/notes\n", nil, "key", "no distribution is installed from it"},
		{"a mapping of setuptools", cfg + "-- SITE/x.pth --\nimport __editable___x_finder\n-- SITE/__editable___x_finder.py --\nMAPPING = {'notes': 'HOME/notes'}\n", nil, "notes.key", "no distribution is installed from it"},
		{"an interpreter without a library", "-- work/.venv/pyvenv.cfg --\nhome = HOME/notes/bin\n-- home/notes/lib/python3.11/key.py --\n" + pySecret, nil, "key", "there is no Python with a standard library"},
		{"a module with a path", cfg, nil, "../../../../../../home/notes/key", ""},
		{"a module with dots", cfg, nil, "a......home.notes.key", ""},
		{"a module above all", cfg, nil, "......home.notes.key", ""},
		{"a module with an absolute path", cfg, nil, "HOME/notes/key", ""},
		{"a distribution with a path for a name", cfg + "-- SITE/lib-1.0.dist-info/METADATA --\nName: ../../x\nVersion: ../1\n-- SITE/lib-1.0.dist-info/top_level.txt --\n../notes\n", nil, "notes", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := strings.NewReplacer("SITE", "work/.venv/lib/python3.11/site-packages")
			interpreter, _, _ := strings.Cut(pyHome, "-- work/.venv/")
			m := newMachine(t, interpreter+"-- home/notes/key.py --\n"+pySecret+site.Replace(tt.files))
			for _, l := range tt.links {
				m.link(t, m.path(l[0]), site.Replace(l[1]))
			}
			f := m.finder()
			module := strings.ReplaceAll(tt.module, "HOME", m.path("home"))
			for _, from := range []record.Path{"a.py", "site-packages/lib/__init__.py"} {
				if got := f.Find(t.Context(), "a.py", from, module, []string{"key"}).Files; len(got) > 0 {
					t.Errorf("from %s it reaches %s", from, got[0].Name)
				}
			}
			checkRefused(t, f, "a.py", tt.reason)
		})
	}
}

func TestAChangedEnvironmentCountsAtOnce(t *testing.T) {
	m := pyMachine(t, "")
	f := m.finder()
	if got := found(t, f, "a.py", "late", "f"); len(got) > 0 {
		t.Fatalf("before it is installed: %v", got)
	}
	m.write(t, "work/.venv/lib/python3.11/site-packages/late-1.0.dist-info/top_level.txt", "late\n")
	m.write(t, "work/.venv/lib/python3.11/site-packages/late.py", "def f(): ...\n")
	if got := found(t, f, "a.py", "late", "f"); !slices.Equal(got, []string{"late@1.0/late.py"}) {
		t.Errorf("after it is installed: %v", got)
	}
}

func TestTheReportSaysWhatOfPythonIsMissing(t *testing.T) {
	m := pyMachine(t, "-- work/pyproject.toml --\n[project]\nname = \"shop\"\ndependencies = [\"flask>=2\", \"Google.A\", \"gone\"]\n")
	site := m.path("work/.venv/lib/python3.11/site-packages")
	want := []deps.Report{{
		Ecosystem: "Python", Std: &deps.Package{Name: "python", Version: "3.11", Dir: m.path("home/py/lib/python3.11")},
		Remedy:  "an environment in .venv (uv sync, poetry install, or python3 -m venv .venv and pip install)",
		Found:   []deps.Package{{Name: "Flask", Version: "3.0.0", Dir: site}, {Name: "google_a", Version: "1.0", Dir: site}},
		Missing: []deps.Package{{Name: "gone"}},
	}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"a.py", "pyproject.toml"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
	if got := m.finder().Report([]record.Path{"README.md", "pyproject.toml"}); got != nil {
		t.Errorf("the report on a workspace without Python has %v", got)
	}
}
