package deps_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// install returns a package in a directory node_modules as a txtar text. files are names and texts.
func install(dir, name, manifest string, files ...string) string {
	at := "work/" + dir + "node_modules/" + name + "/"
	text := "-- " + at + "package.json --\n" + manifest + "\n"
	for i := 0; i < len(files); i += 2 {
		text += "-- " + at + files[i] + " --\n" + files[i+1] + "\n"
	}
	return text
}

const run = "export declare function run(): void;"

func TestAnImportOfAPackageIsFoundAsTypeScriptFindsIt(t *testing.T) {
	const exports = `{"name":"lib","version":"1.2.0","exports":{
		".":{"types":"./types/index.d.ts","default":"./index.js"},
		"./by-condition":{"require":{"types":"./r.d.cts"},"import":{"types":"./i.d.mts","default":"./i.mjs"}},
		"./beside":"./beside.js",
		"./deep/*":"./src/*.js", "./deep/special/*":{"types":"./special/*.d.ts"},
		"./old/":"./src/",
		"./closed":null,
		"./list":["./gone.js","./src/a.js"],
		"./versioned":{"types@<3":"./gone.d.ts","types":"./src/a.d.ts"}}}`
	lib := install("", "lib", exports, "types/index.d.ts", run, "r.d.cts", run, "i.d.mts", run, "beside.d.ts", run, "beside.js", "", "src/a.d.ts", run, "special/b.d.ts", run, "secret.d.ts", run)
	plain := `{"name":"lib","version":"1.2.0"`
	tests := []importTest{
		{"types of exports", lib, "a.ts", "lib", []string{"lib@1.2.0/types/index.d.ts"}},
		{"the condition import", lib, "a.ts", "lib/by-condition", []string{"lib@1.2.0/i.d.mts"}},
		{"declarations beside the code", lib, "a.ts", "lib/beside", []string{"lib@1.2.0/beside.d.ts"}},
		{"declarations that name one another as the code", install("", "lib", plain+`,"types":"index.d.mts"}`, "index.d.mts", "export * from './a.ts';\nexport * from './b.mts';", "a.d.ts", run, "b.d.mts", ""), "a.ts", "lib", []string{"lib@1.2.0/a.d.ts", "lib@1.2.0/index.d.mts"}},
		{"a pattern", lib, "a.ts", "lib/deep/a", []string{"lib@1.2.0/src/a.d.ts"}},
		{"the longest pattern", lib, "a.ts", "lib/deep/special/b", []string{"lib@1.2.0/special/b.d.ts"}},
		{"a directory of exports", lib, "a.ts", "lib/old/a.js", []string{"lib@1.2.0/src/a.d.ts"}},
		{"a closed subpath", lib, "a.ts", "lib/closed", nil},
		{"a list", lib, "a.ts", "lib/list", nil},
		{"a condition of a version", lib, "a.ts", "lib/versioned", []string{"lib@1.2.0/src/a.d.ts"}},
		{"a file that exports does not name", lib, "a.ts", "lib/secret", nil},
		{"types", install("", "lib", plain+`,"types":"./t.d.ts","main":"m.js"}`, "t.d.ts", run, "m.d.ts", run), "a.ts", "lib", []string{"lib@1.2.0/t.d.ts"}},
		{"typings without an extension", install("", "lib", plain+`,"typings":"dist/t"}`, "dist/t.d.ts", run), "a.ts", "lib", []string{"lib@1.2.0/dist/t.d.ts"}},
		{"declarations beside main", install("", "lib", plain+`,"main":"dist/m.js"}`, "dist/m.d.ts", run, "dist/m.js", ""), "a.js", "lib", []string{"lib@1.2.0/dist/m.d.ts"}},
		{"main is a directory", install("", "lib", plain+`,"main":"dist"}`, "dist/index.d.ts", run), "a.ts", "lib", []string{"lib@1.2.0/dist/index.d.ts"}},
		{"the index", install("", "lib", plain+`}`, "index.d.ts", run), "a.ts", "lib", []string{"lib@1.2.0/index.d.ts"}},
		{"a subpath without exports", install("", "lib", plain+`}`, "fp/run.d.ts", run), "a.ts", "lib/fp/run", []string{"lib@1.2.0/fp/run.d.ts"}},
		{"a subpath with a manifest", install("", "lib", plain+`}`, "sub/package.json", `{"types":"../dist/sub.d.ts"}`, "dist/sub.d.ts", run), "a.ts", "lib/sub", []string{"lib@1.2.0/dist/sub.d.ts"}},
		{"typesVersions", install("", "lib", plain+`,"types":"index.d.ts","typesVersions":{"<=4.0":{"*":["old/*"]},">=4.1":{"*":["new/*"]}}}`, "index.d.ts", run, "old/index.d.ts", run, "new/index.d.ts", run, "new/sub.d.ts", run), "a.ts", "lib", []string{"lib@1.2.0/new/index.d.ts"}},
		{"a subpath of typesVersions", install("", "lib", plain+`,"typesVersions":{"*":{"sub":["new/sub.d.ts"]}}}`, "new/sub.d.ts", run), "a.ts", "lib/sub", []string{"lib@1.2.0/new/sub.d.ts"}},
		{"@types", install("", "lib", plain+`,"main":"m.js"}`, "m.js", "") + install("", "@types/lib", `{"version":"1.0.5","types":"index.d.ts"}`, "index.d.ts", run), "a.ts", "lib", []string{"@types/lib@1.0.5/index.d.ts"}},
		{"@types of a scope", install("", "@types/scope__lib", `{"version":"2.0.0"}`, "index.d.ts", run), "a.ts", "@scope/lib", []string{"@types/scope__lib@2.0.0/index.d.ts"}},
		{"a package of a scope", install("", "@scope/lib", `{"version":"2.0.0"}`, "index.d.ts", run), "a.ts", "@scope/lib", []string{"@scope/lib@2.0.0/index.d.ts"}},
		{"code without declarations", install("", "lib", plain+`,"main":"m.js"}`, "m.js", "exports.run = function () {};"), "a.js", "lib", []string{"lib@1.2.0/m.js"}},
		{"declarations above code", install("", "lib", plain+`}`, "index.d.ts", run) + install("in/", "lib", `{"version":"9.0.0"}`, "index.js", ""), "in/a.ts", "lib", []string{"lib@1.2.0/index.d.ts"}},
		{"the nearest directory", install("", "lib", plain+`}`, "index.d.ts", run) + install("in/", "lib", `{"version":"9.0.0"}`, "index.d.ts", run), "in/deep/a.ts", "lib", []string{"lib@9.0.0/index.d.ts"}},
		{"a module of Node.js", install("", "@types/node", `{"version":"22.1.0"}`, "fs.d.ts", "declare module \"fs\" {\n    function run(): void;\n}\ndeclare module \"node:fs\" {\n    export * from \"fs\";\n}"), "a.ts", "node:fs", []string{"@types/node@22.1.0/fs.d.ts"}},
		{"a module in another one of Node.js", install("", "@types/node", `{"version":"22.1.0"}`, "path.d.ts", "declare module \"path/posix\" {\n    function run(): void;\n}"), "a.ts", "path/posix", []string{"@types/node@22.1.0/path.d.ts"}},
		{"export * from", install("", "lib", plain+`}`, "index.d.ts", "export * from './a';\nexport * from './b';", "a.d.ts", "export declare const other = 1;", "b/index.d.ts", run), "a.ts", "lib", []string{"lib@1.2.0/b/index.d.ts", "lib@1.2.0/index.d.ts"}},
		{"export by another name", install("", "lib", plain+`}`, "index.d.ts", "export { start as run, type Stop } from './a.js';", "a.d.ts", "export declare function start(): void;"), "a.ts", "lib", []string{"lib@1.2.0/a.d.ts", "lib@1.2.0/index.d.ts"}},
		{"export from another package", install("", "lib", plain+`}`, "index.d.ts", "export * from 'core';") + install("", "core", `{"version":"3.0.0"}`, "index.d.ts", run), "a.ts", "lib", []string{"core@3.0.0/index.d.ts", "lib@1.2.0/index.d.ts"}},
		{"files that export one another", install("", "lib", plain+`}`, "index.d.ts", "export * from './a';", "a.d.ts", "export * from './index';"), "a.ts", "lib", nil},
		{"a declared module", install("", "lib", plain+`}`, "index.d.ts", "declare module 'lib' {\n  export function run(): void;\n}"), "a.ts", "lib", []string{"lib@1.2.0/index.d.ts"}},
		{"a name that is not there", install("", "lib", plain+`}`, "index.d.ts", "export declare function walk(): void;"), "a.ts", "lib", nil},
		{"a package that is not installed", "", "a.ts", "gone", nil},
		{"a broken manifest", install("", "lib", `{"name":"lib","version":"1.2.0","exports":{".":`, "index.d.ts", run), "a.ts", "lib", nil},
		{"a version that is no version", install("", "lib", `{"version":"../../x\n"}`, "index.d.ts", run), "a.ts", "lib", []string{"lib/index.d.ts"}},
		{"a global of @types", install("", "@types/env", `{"version":"1.0.0"}`, "index.d.ts", "declare function run(): void;"), "a.ts", graph.Globals, []string{"@types/env@1.0.0/index.d.ts"}},
		{"a global of a file that another one names", install("", "@types/env", `{"version":"1.0.0"}`, "index.d.ts", `/// <reference path="./run.d.ts" />`, "run.d.ts", "declare function run(): void;"), "a.ts", graph.Globals, []string{"@types/env@1.0.0/run.d.ts"}},
		{"a global of a module", install("", "@types/env", `{"version":"1.0.0"}`, "index.d.ts", "export {};\ndeclare global {\n  function run(): void;\n}"), "a.ts", graph.Globals, []string{"@types/env@1.0.0/index.d.ts"}},
		{"an export is no global", install("", "@types/env", `{"version":"1.0.0"}`, "index.d.ts", run), "a.ts", graph.Globals, nil},
		{"a package without types by default has no globals", install("", "env", `{"version":"1.0.0"}`, "index.d.ts", "declare function run(): void;"), "a.ts", graph.Globals, nil},
		{"a global of the library", install("", "typescript", `{"version":"5.9.2"}`, "lib/lib.esnext.full.d.ts", `/// <reference lib="es5" />`, "lib/lib.es5.d.ts", "/** A. */\ninterface A {\n    a: A;\n}\n"+"declare function run(): void;"), "a.ts", graph.Globals, []string{"typescript@5.9.2/lib/lib.es5.d.ts"}},
		{"the library of a configuration", install("", "typescript", `{"version":"5.9.2"}`, "lib/lib.d.ts", "declare function run(): void;", "lib/lib.dom.d.ts", "declare function run(): void;") + "-- work/tsconfig.json --\n" + `{"compilerOptions":{"lib":["DOM"]}}` + "\n", "in/a.ts", graph.Globals, []string{"typescript@5.9.2/lib/lib.dom.d.ts"}},
		{"a library outside of the package", install("", "typescript", `{"version":"5.9.2"}`) + "-- work/lib.d.ts --\ndeclare function run(): void;\n-- work/tsconfig.json --\n" + `{"compilerOptions":{"lib":["/../../../../lib"]}}` + "\n", "a.ts", graph.Globals, nil},
		{"a component", install("", "lib", plain+`}`, "index.d.ts", run), "A.vue", "lib", []string{"lib@1.2.0/index.d.ts"}},
	}
	for _, tt := range tests {
		tt.check(t, "run")
	}
}

func TestADependencyFindsItsOwnImports(t *testing.T) {
	m := newMachine(t, install("", "lib", `{"version":"1.0.0","imports":{"#x":"./x.js"}}`, "index.d.ts", "", "sub/a.d.ts", run, "x.d.ts", run)+
		install("", "core", `{"version":"1.0.0"}`, "index.d.ts", run)+
		install("node_modules/lib/", "core", `{"version":"2.0.0"}`, "index.d.ts", run))
	f := m.finder()
	for module, want := range map[string]string{"./sub/a": "lib@1.0.0/sub/a.d.ts", "core": "core@2.0.0/index.d.ts", "#x": "lib@1.0.0/x.d.ts"} {
		got := f.Find(t.Context(), "a.ts", "node_modules/lib/index.d.ts", module, []string{"run"})
		if len(got.Files) != 1 || string(got.Files[0].Path) != want {
			t.Errorf("%s: Find returns %v, want %s", module, got.Files, want)
			continue
		}
		lead := graph.Lead{From: "node_modules/lib/index.d.ts", Module: module}
		if to := got.Leads[lead]; to != got.Files[0].Record.File.Path {
			t.Errorf("%s leads to %q", module, to)
		}
	}
}

func TestAPackageOfPnpmFindsItsNeighbours(t *testing.T) {
	const store = "work/node_modules/.pnpm/"
	m := newMachine(t, "-- "+store+"lib@1.0.0/node_modules/lib/package.json --\n{\"version\":\"1.0.0\"}\n-- "+store+"lib@1.0.0/node_modules/lib/index.d.ts --\nexport * from 'core';\n"+
		"-- "+store+"core@2.0.0/node_modules/core/package.json --\n{\"version\":\"2.0.0\"}\n-- "+store+"core@2.0.0/node_modules/core/index.d.ts --\n"+run+"\n")
	m.link(t, ".pnpm/lib@1.0.0/node_modules/lib", "work/node_modules/lib")
	m.link(t, "../../core@2.0.0/node_modules/core", store+"lib@1.0.0/node_modules/core")
	got := found(t, m.finder(), "src/a.ts", "lib", "run")
	if want := []string{"core@2.0.0/index.d.ts", "lib@1.0.0/index.d.ts"}; !slices.Equal(got, want) {
		t.Errorf("Find returns %v, want %v", got, want)
	}
}

// Yarn's linker pnpm has no directory node_modules between its store and a package.
func TestAPackageInTheStoreOfYarnFindsItsFilesAndNeighbours(t *testing.T) {
	const store = "work/node_modules/.store/"
	m := newMachine(t, "-- "+store+"@acme-lib-npm-1.0.0-aa/package/package.json --\n{\"name\":\"@acme/lib\",\"version\":\"1.0.0\"}\n"+
		"-- "+store+"@acme-lib-npm-1.0.0-aa/package/index.d.ts --\nexport * from './part.js';\n"+
		"-- "+store+"@acme-lib-npm-1.0.0-aa/package/part.d.ts --\nexport * from 'core';\nexport declare function own(): void;\n"+
		"-- "+store+"core-npm-2.0.0-bb/package/package.json --\n{\"name\":\"core\",\"version\":\"2.0.0\"}\n-- "+store+"core-npm-2.0.0-bb/package/index.d.ts --\nexport * from './run.js';\n"+
		"-- "+store+"core-npm-2.0.0-bb/package/run.d.ts --\n"+run+"\n-- work/node_modules/@acme/.keep --\n-- "+store+"@acme-lib-npm-1.0.0-aa/node_modules/.keep --\n")
	m.link(t, "../.store/@acme-lib-npm-1.0.0-aa/package", "work/node_modules/@acme/lib")
	m.link(t, "../../core-npm-2.0.0-bb/package", store+"@acme-lib-npm-1.0.0-aa/node_modules/core")
	got := found(t, m.finder(), "src/a.ts", "@acme/lib", "own", "run")
	if want := []string{"@acme/lib@1.0.0/part.d.ts", "@acme/lib@1.0.0/index.d.ts", "core@2.0.0/run.d.ts", "core@2.0.0/index.d.ts"}; !slices.Equal(got, want) {
		t.Errorf("Find returns %v, want %v", got, want)
	}
}

func TestAPackageOfTheWorkspaceIsNoDependency(t *testing.T) {
	m := newMachine(t, "-- work/packages/lib/package.json --\n{\"name\":\"lib\"}\n-- work/packages/lib/index.d.ts --\n"+run+"\n-- work/package.json --\n{\"dependencies\":{\"lib\":\"workspace:*\"}}\n")
	m.link(t, "../packages/lib", "work/node_modules/lib")
	f := m.finder()
	if got := found(t, f, "a.ts", "lib", "run"); len(got) > 0 {
		t.Errorf("Find returns %v", got)
	}
	if diff := cmp.Diff([]deps.Report{{Ecosystem: "JavaScript and TypeScript", Remedy: "npm install, or that of another package manager,"}}, f.Report([]record.Path{"package.json"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
}

// A workspace that is a package of a monorepo has the packages that are installed at its root.
func TestPackagesAtTheRootOfTheMonorepoCount(t *testing.T) {
	const lib = "-- node_modules/lib/package.json --\n{\"version\":\"1.0.0\"}\n-- node_modules/lib/index.d.ts --\n" + run + "\n-- work/package.json --\n{}\n"
	tests := []struct {
		name, files string
		want        []string
	}{
		{"workspaces", "-- package.json --\n{\"workspaces\":[\"wor*\"]}\n", []string{"lib@1.0.0/index.d.ts"}},
		{"workspaces of Yarn 1", "-- package.json --\n{\"workspaces\":{\"packages\":[\"**\"]}}\n", []string{"lib@1.0.0/index.d.ts"}},
		{"pnpm", "-- pnpm-workspace.yaml --\nonlyBuiltDependencies:\n  - other\npackages:\n  # all\n  - \"work\" # and this\n", []string{"lib@1.0.0/index.d.ts"}},
		{"a package that is left out", "-- package.json --\n{\"workspaces\":[\"*\",\"!work\"]}\n", nil},
		{"packages elsewhere", "-- package.json --\n{\"workspaces\":[\"packages/*\"]}\n", nil},
		{"another list of pnpm", "-- pnpm-workspace.yaml --\nonlyBuiltDependencies:\n  - work\n", nil},
		{"no workspaces", "-- package.json --\n{}\n", nil},
		{"a list in the workspace itself", "-- work/pnpm-workspace.yaml --\npackages: ['..']\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, found(t, newMachine(t, lib+tt.files).finder(), "a.ts", "lib", "run")); diff != "" {
				t.Errorf("Find (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnUpdateOfAPackageCountsAtOnce(t *testing.T) {
	m := newMachine(t, install("", "lib", `{"version":"1.0.0"}`, "index.d.ts", run))
	f := m.finder()
	if got := found(t, f, "a.ts", "lib", "run"); !slices.Equal(got, []string{"lib@1.0.0/index.d.ts"}) {
		t.Fatalf("before the update: %v", got)
	}
	if err := os.RemoveAll(m.path("work/node_modules/lib")); err != nil {
		t.Fatal(err)
	}
	m.write(t, "work/node_modules/lib/package.json", `{"version":"1.10.0","types":"new.d.ts"}`)
	m.write(t, "work/node_modules/lib/new.d.ts", run)
	if got := found(t, f, "a.ts", "lib", "run"); !slices.Equal(got, []string{"lib@1.10.0/new.d.ts"}) {
		t.Errorf("after the update: %v", got)
	}
}

func TestNoPackageLeadsOutOfTheWorkspace(t *testing.T) {
	const manifest = "-- work/package.json --\n{\"dependencies\":{\"lib\":\"1.0.0\"}}\n"
	const there = "-- home/lib/package.json --\n{\"version\":\"1.0.0\"}\n-- home/lib/index.d.ts --\n" + run + "\n"
	hidden := strings.ReplaceAll(there, "home/lib/", "work/.secret/node_modules/lib/")
	tests := []struct {
		name   string
		files  string
		links  [][2]string // from the second to the first
		module string
		reason string // in the report; "" for none
	}{
		{"a link to a directory of the home", there, [][2]string{{"../../home/lib", "work/node_modules/lib"}}, "lib", "it has no package.json below BASE"},
		{"a link with an absolute path", there, [][2]string{{"HOME/lib", "work/node_modules/lib"}}, "lib", "it has no package.json below BASE"},
		{"node_modules is a link", there, [][2]string{{"../home", "work/node_modules"}}, "lib", "it has no package.json below BASE"},
		{"a link to a hidden directory", hidden, [][2]string{{"../.secret/node_modules/lib", "work/node_modules/lib"}}, "lib", ".secret is a hidden directory"},
		{"a manifest that is a link", install("", "lib", "{}", "index.d.ts", run), [][2]string{{"../../../home/lib/package.json", "work/node_modules/lib/package.json"}}, "lib", "it has no package.json below BASE"},
		{"a file that is a link", install("", "lib", `{"version":"1.0.0"}`), [][2]string{{"../../../home/lib/index.d.ts", "work/node_modules/lib/index.d.ts"}}, "lib", ""},
		{"a file that is a link into the workspace", install("", "lib", `{"version":"1.0.0"}`) + "-- work/key.d.ts --\n" + run + "\n", [][2]string{{"../../key.d.ts", "work/node_modules/lib/index.d.ts"}}, "lib", ""},
		{"types above the package", install("", "lib", `{"types":"../../../home/lib/index.d.ts"}`) + there, nil, "lib", ""},
		{"types with an absolute path", install("", "lib", `{"types":"HOME/lib/index.d.ts"}`) + there, nil, "lib", ""},
		{"exports above the package", install("", "lib", `{"exports":{".":"./../../../home/lib/index.d.ts"}}`) + there, nil, "lib", ""},
		{"a pattern with dots", install("", "lib", `{"exports":{"./*":"./*"}}`) + there, nil, "lib/../../../home/lib/index.d.ts", ""},
		{"typesVersions above the package", install("", "lib", `{"types":"i.d.ts","typesVersions":{"*":{"*":["../../../home/lib/index.d.ts"]}}}`) + there, nil, "lib", ""},
		{"a manifest of a directory above the package", install("", "lib", `{}`, "sub/package.json", `{"types":"../../../../home/lib/index.d.ts"}`) + there, nil, "lib/sub", ""},
		{"types that are no code", install("", "lib", `{"types":".env"}`, ".env", run), nil, "lib", ""},
		{"a re-export above the package", install("", "lib", `{"version":"1.0.0"}`, "index.d.ts", "export * from '../../../home/lib/index';") + there, nil, "lib", ""},
		{"a re-export of a file of the workspace", install("", "lib", `{"version":"1.0.0"}`, "index.d.ts", "export * from '../../key';") + "-- work/key.d.ts --\n" + run + "\n", nil, "lib", ""},
		{"an import with dots", there, nil, "../../home/lib", ""},
		{"an import with an absolute path", there, nil, "HOME/lib", ""},
		{"an import of node_modules", there, nil, "node_modules/../../home/lib", ""},
		{"an import with a backslash", there, nil, `..\..\home\lib`, ""},
		{"an import of a hidden directory", hidden, nil, ".secret/node_modules/lib", ""},
		{"node_modules above the workspace", strings.ReplaceAll(there, "home/lib", "node_modules/lib"), nil, "lib", ""},
		{"a name with dots in the manifest", "-- work/package.json --\n{\"dependencies\":{\"../../home/lib\":\"1.0.0\"}}\n" + there, nil, "lib", "it is no name of a package"},
		{"Plug'n'Play", "-- work/.pnp.cjs --\nmodule.exports = {};\n", nil, "lib", "archives of Yarn Plug'n'Play are not read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, manifest+tt.files)
			for _, l := range tt.links {
				_ = os.Remove(m.path(l[1])) // it need not be there
				m.link(t, strings.ReplaceAll(l[0], "HOME", m.path("home")), l[1])
			}
			f := m.finder()
			if got := found(t, f, "a.ts", strings.ReplaceAll(tt.module, "HOME", m.path("home")), "run"); len(got) > 0 {
				t.Errorf("it reaches %v", got)
			}
			base, err := filepath.EvalSymlinks(m.path("work"))
			if err != nil {
				t.Fatal(err)
			}
			checkRefused(t, f, "package.json", strings.ReplaceAll(tt.reason, "BASE", base))
		})
	}
}

func TestTheReportHasTheInstalledPackages(t *testing.T) {
	m := newMachine(t, "-- work/package.json --\n{\"dependencies\":{\"lib\":\"^1.0.0\",\"gone\":\"^2.0.0\"},\"devDependencies\":{\"typescript\":\"5\"}}\n"+
		install("", "lib", `{"version":"1.2.0"}`)+install("", "typescript", `{"version":"5.9.2"}`, "lib/lib.es5.d.ts", "interface Array<T> {}"))
	want := []deps.Report{{
		Ecosystem: "JavaScript and TypeScript", Remedy: "npm install, or that of another package manager,",
		Std: &deps.Package{Name: "typescript", Version: "5.9.2", Dir: m.path("work/node_modules/typescript/lib")},
		Found: []deps.Package{
			{Name: "lib", Version: "1.2.0", Dir: m.path("work/node_modules/lib")},
			{Name: "typescript", Version: "5.9.2", Dir: m.path("work/node_modules/typescript")},
		},
		Missing: []deps.Package{{Name: "gone", Version: "^2.0.0"}},
	}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"a.ts", "package.json"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
}

func TestAReportOfPlugAndPlayNamesWhatMakesDirectories(t *testing.T) {
	m := newMachine(t, "-- work/.pnp.cjs --\n-- work/package.json --\n{\"dependencies\":{\"lib\":\"^1\"}}\n")
	want := []deps.Report{{
		Ecosystem: "JavaScript and TypeScript", Missing: []deps.Package{{Name: "lib", Version: "^1"}},
		Remedy:  "yarn install with nodeLinker: node-modules in .yarnrc.yml",
		Refused: []deps.Refused{{What: ".pnp.cjs", Reason: "archives of Yarn Plug'n'Play are not read"}},
	}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"package.json"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
}
