package deps_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// crate returns a package in a directory as a txtar text. files are names below src and texts.
func crate(dir, name, version, manifest string, files ...string) string {
	text := "-- " + dir + "/Cargo.toml --\n[package]\nname = \"" + name + "\"\nversion = \"" + version + "\"\n" + manifest + "\n"
	for i := 0; i < len(files); i += 2 {
		text += "-- " + dir + "/src/" + files[i] + " --\n" + files[i+1] + "\n"
	}
	return text
}

const (
	registry  = "home/.cargo/registry/src/index.crates.io-6f17d22bba15001f/"
	checkouts = "home/.cargo/git/checkouts/"
	goes      = "pub fn go() {}"
)

// member returns the manifest of the workspace, with the dependencies and the Cargo.lock.
func member(dependencies, lock string) string {
	return "-- work/Cargo.toml --\n[package]\nname = \"m\"\nversion = \"0.1.0\"\n[dependencies]\n" + dependencies + "\n-- work/Cargo.lock --\nversion = 3\n" + lock + "\n"
}

// locked returns a package of a Cargo.lock.
func locked(name, version, source string, dependencies ...string) string {
	text := "[[package]]\nname = \"" + name + "\"\nversion = \"" + version + "\"\n"
	if source != "" {
		text += "source = \"" + source + "\"\n"
	}
	if len(dependencies) > 0 {
		text += "dependencies = [\"" + strings.Join(dependencies, "\", \"") + "\"]\n"
	}
	return text
}

const cratesIO = "registry+https://github.com/rust-lang/crates.io-index"

func TestCargoSaysWhichSourcesOfACrateCount(t *testing.T) {
	lib := crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", goes) + crate(registry+"lib-2.0.0", "lib", "2.0.0", "", "lib.rs", goes)
	v12 := []string{"lib@1.2.0/src/lib.rs"}
	commit := "0123456789abcdef0123456789abcdef01234567"
	git := member(`lib = { git = "https://example.com/repo.git" }`, locked("lib", "1.2.0", "git+https://example.com/repo.git?branch=main#"+commit))
	std := "home/.rustup/toolchains/1.80.0-x/lib/rustlib/src/rust/library/"
	tests := []importTest{
		{"the version of Cargo.lock", lib + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib", v12},
		{"the newest without a Cargo.lock", lib + "-- work/Cargo.toml --\n[package]\nname = \"m\"\n[dependencies]\nlib = \"*\"\n", "src/a.rs", "lib", []string{"lib@2.0.0/src/lib.rs"}},
		{"one of two versions", lib + member(`lib = "2"`, locked("m", "0.1.0", "", "lib 2.0.0")+locked("lib", "1.2.0", cratesIO)+locked("lib", "2.0.0", cratesIO)), "src/a.rs", "lib", []string{"lib@2.0.0/src/lib.rs"}},
		{"another name", lib + member(`old = { package = "lib", version = "1" }`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "old", v12},
		{"a name with a hyphen", crate(registry+"a-b-1.0.0", "a-b", "1.0.0", "", "lib.rs", goes) + member(`a-b = "1"`, locked("a-b", "1.0.0", cratesIO)), "src/a.rs", "a_b", []string{"a-b@1.0.0/src/lib.rs"}},
		{"a library with another name", crate(registry+"md-5-0.10.0", "md-5", "0.10.0", "[lib]\nname = \"md5\"", "lib.rs", goes) + member(`md-5 = "0.10"`, locked("md-5", "0.10.0", cratesIO)), "src/a.rs", "md5", []string{"md-5@0.10.0/src/lib.rs"}},
		{"a dependency of the workspace", lib + "-- work/Cargo.lock --\n" + locked("lib", "1.2.0", cratesIO) + "-- work/Cargo.toml --\n[workspace.dependencies]\nrenamed = { package = \"lib\", version = \"1\" }\n-- work/in/Cargo.toml --\n[package]\nname = \"in\"\n[dev-dependencies]\nrenamed.workspace = true\n", "in/src/a.rs", "renamed", v12},
		{"a dependency of a target", lib + "-- work/Cargo.lock --\n" + locked("lib", "1.2.0", cratesIO) + "-- work/Cargo.toml --\n[package]\nname = \"m\"\n[target.'cfg(unix)'.dependencies]\nlib = \"1\"\n", "src/a.rs", "lib", v12},
		{"a module", crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", "pub mod net;", "net/mod.rs", "pub mod tcp;", "net/tcp.rs", goes) + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib.net.tcp", []string{"lib@1.2.0/src/lib.rs", "lib@1.2.0/src/net/mod.rs", "lib@1.2.0/src/net/tcp.rs"}},
		{"pub use", crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", "mod net;\npub use net::start as go;", "net.rs", "pub fn start() {}") + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib", []string{"lib@1.2.0/src/lib.rs", "lib@1.2.0/src/net.rs"}},
		{"pub use of all names", crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", "mod a;\nmod b;\npub use self::a::*;\npub use crate::b::*;", "a.rs", "", "b.rs", goes) + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib", []string{"lib@1.2.0/src/b.rs", "lib@1.2.0/src/lib.rs"}},
		{"pub use of another crate", lib + crate(registry+"top-1.0.0", "top", "1.0.0", "[dependencies]\nlib = \"1\"", "lib.rs", "pub use lib::*;") + member(`top = "1"`, locked("top", "1.0.0", cratesIO, "lib 1.2.0")+locked("lib", "2.0.0", cratesIO)+locked("lib", "1.2.0", cratesIO)), "src/a.rs", "top", []string{"lib@1.2.0/src/lib.rs", "top@1.0.0/src/lib.rs"}},
		{"a block impl beside the type", crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", "pub mod net;", "net/mod.rs", "pub use tcp::Tcp;", "net/tcp.rs", "pub struct Tcp<T>(T);\nimpl<T> Tcp<T> {\n fn stop() {}\n}", "net/more.rs", "impl<T: Any> Tcp<T> {\n "+goes+"\n}", "net/other.rs", "impl Udp {\n "+goes+"\n}", "net/close.rs", "impl<T> Tcp<T> {\n fn close() {}\n}") + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib.net.Tcp", []string{"lib@1.2.0/src/lib.rs", "lib@1.2.0/src/net/mod.rs", "lib@1.2.0/src/net/more.rs", "lib@1.2.0/src/net/tcp.rs"}},
		{"no other block impl for a method of the type", crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", "mod tcp;\npub use tcp::Tcp;", "tcp.rs", "pub struct Tcp;\nimpl Tcp {\n "+goes+"\n}", "more.rs", "impl Tcp {\n "+goes+"\n}") + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib.Tcp", []string{"lib@1.2.0/src/lib.rs", "lib@1.2.0/src/tcp.rs"}},
		{"modules that use one another", crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", "mod a;\npub use a::*;", "a.rs", "pub use super::*;") + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib", []string{"lib@1.2.0/src/lib.rs"}},
		{"a checkout", crate(checkouts+"repo-0a1b2c/0123456", "lib", "1.2.0", "", "lib.rs", goes) + git, "src/a.rs", "lib", v12},
		{"a package in a checkout", crate(checkouts+"repo-0a1b2c/0123456/crates/lib", "lib", "1.2.0", "", "lib.rs", goes) + git, "src/a.rs", "lib", v12},
		{"another commit", crate(checkouts+"repo-0a1b2c/7654321", "lib", "1.2.0", "", "lib.rs", goes) + git, "src/a.rs", "lib", nil},
		{"the directory vendor", crate("work/vendor/lib", "lib", "1.2.0", "", "lib.rs", goes) + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)) + "-- work/.cargo/config.toml --\n[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"vendor\"\n", "src/a.rs", "lib", v12},
		{"a directory of the user's settings", crate("debian/lib-1.2.0", "lib", "1.2.0", "", "lib.rs", goes) + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)) + "-- home/.cargo/config.toml --\n[source.v]\ndirectory = \"HOME/../debian\"\n", "src/a.rs", "lib", v12},
		{"a directory beside the workspace", crate("near", "lib", "1.2.0", "", "lib.rs", goes) + member(`lib = { path = "../near" }`, locked("lib", "1.2.0", "")), "src/a.rs", "lib", v12},
		{"a directory of the workspace", crate("work/near", "lib", "1.2.0", "", "lib.rs", goes) + member(`lib = { path = "near" }`, locked("lib", "1.2.0", "")), "src/a.rs", "lib", nil},
		{"the standard library", member("", "") + crate(std+"std", "std", "0.0.0", "", "lib.rs", "pub mod fs;", "fs.rs", goes), "src/a.rs", "std.fs", []string{"rust@1.80.0/std/src/fs.rs", "rust@1.80.0/std/src/lib.rs"}},
		{"the standard library passes on core", member("", "") + crate(std+"std", "std", "0.0.0", "", "lib.rs", "pub use core::cell;") + crate(std+"core", "core", "0.0.0", "", "lib.rs", "pub mod cell;", "cell.rs", goes), "src/a.rs", "std.cell", []string{"rust@1.80.0/core/src/cell.rs", "rust@1.80.0/core/src/lib.rs", "rust@1.80.0/std/src/lib.rs"}},
		{"a crate that is not a dependency", lib + member("", locked("lib", "1.2.0", cratesIO)), "src/a.rs", "lib", nil},
		{"a crate that is not there", member(`gone = "1"`, locked("gone", "1.0.0", cratesIO)), "src/a.rs", "gone", nil},
		{"a module of the workspace", lib + member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)), "src/a.rs", "crate.lib", nil},
		{"a broken manifest", lib + "-- work/Cargo.toml --\n[dependencies\nlib = 1\n", "src/a.rs", "lib", nil},
	}
	for _, tt := range tests {
		tt.check(t, "go")
	}
}

func TestAnImportOfACrateLeadsToItsModule(t *testing.T) {
	m := newMachine(t, crate(registry+"top-1.0.0", "top", "1.0.0", "[dependencies]\nlib = \"1\"", "lib.rs", "pub use lib;")+
		crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", goes)+member(`top = "1"`, locked("top", "1.0.0", cratesIO)+locked("lib", "1.2.0", cratesIO)))
	got := m.finder().Find(t.Context(), "src/a.rs", "src/a.rs", "top.lib", []string{"go"})
	if to := got.Leads[graph.Lead{From: "src/a.rs", Module: "top.lib"}]; to != "cargo/lib/src/lib.rs" {
		t.Errorf("top.lib leads to %q", to)
	}
}

func TestCallsOfMacrosDeclareWhatTheirPatternNames(t *testing.T) {
	tests := []struct {
		name, macro, text string
		want              []string // kind, qualified name, type and text
	}{
		{"a function", "macro_rules! route { ($name:ident, $m:ident) => { pub fn $name<H>(h: H) -> Route<H, ()> { on(M::$m, h) } }; }",
			"/// Gets.\nroute!(get, GET);\nroute! { post, POST }",
			[]string{"function get Route /// Gets.\nroute!(get, GET);", "function post Route route! { post, POST }"}},
		{"arms that call one another", "macro_rules! route { ($name:ident, GET) => { route!(#[doc = \"g\"] $name, GET); }; ($(#[$m:meta])+ $name:ident, $f:ident) => { $(#[$m])+ pub fn $name() -> Route { M::$f } }; }",
			"#[cfg(x)]\nroute!(#[doc = \"a, b\"] get, GET);",
			[]string{"function get Route #[cfg(x)]\nroute!(#[doc = \"a, b\"] get, GET);"}},
		{"the second element", "macro_rules! method { ($variant:ident, $name:ident) => { fn $name() -> Option<Route> { $variant } } }", "method!(Get, get);",
			[]string{"function get  method!(Get, get);"}},
		{"a method in a block impl", "macro_rules! status { ($name:ident, $s:expr) => { pub fn $name() -> Builder { Builder::new($s) } } }", "impl Response {\n    status!(Ok, Status::OK);\n}",
			[]string{"method Response.Ok Builder status!(Ok, Status::OK);"}},
		{"entries", "macro_rules! codes { ($( $(#[$d:meta])* ($n:expr, $konst:ident, $p:expr); )+) => { impl Status { $( $(#[$d])* pub const $konst: Status = Status($n); )+ } } }",
			"codes! {\n    /// 200 OK\n    (200, OK, \"OK\");\n    (404, NOT_FOUND, \"Not, found\");\n}",
			[]string{"constant Status.OK Status /// 200 OK\n    (200, OK, \"OK\");", "constant Status.NOT_FOUND Status (404, NOT_FOUND, \"Not, found\");"}},
		{"a method of another type", "macro_rules! on { ($name:ident) => { impl<'a, T> From<$name<T>> for a::Router<'a, T> where T: Any { pub fn $name(self) -> &'a mut Self { self } } } }", "on!(get);",
			[]string{"method Router.get Self on!(get);"}},
		{"no name in the pattern", "macro_rules! log { ($x:expr) => { pub fn log() -> Log { $x } } }", "log!(name);", nil},
		{"a name that is only used", "macro_rules! check { ($name:ident) => { const _: () = $name(); } }", "check!(name);", nil},
		{"a name behind other words", "macro_rules! alias { ($(old $x:ident as $name:ident),*) => { $(type $name = $x;)* } }", "alias!(old A as B);", nil},
		{"a call in a function", "macro_rules! local { ($name:ident) => { fn $name() {} } }", "fn main() { local!(inner); }", nil},
		{"a call in a text", "macro_rules! make { ($name:ident) => { fn $name() {} } }", "// make!(a);\n/* make!(b); /* */ make!(c); */\nconst T: &str = r#\"make!(d);\"#;\nconst Q: char = '\"';", nil},
		{"a broken call", "macro_rules! make { ($name:ident) => { fn $name() {} } }", "make!(", nil},
		{"a broken macro", "macro_rules! make { ($name:ident) => { fn $name(", "make!(a);", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", tt.macro+"\n"+tt.text)+member(`lib = "1"`, locked("lib", "1.2.0", cratesIO)))
			files := m.finder().Find(t.Context(), "src/a.rs", "src/a.rs", "lib", []string{""}).Files
			if len(files) != 1 {
				t.Fatalf("Find returns %d files, want 1", len(files))
			}
			var got []string
			for _, s := range files[0].Record.Graph.Symbols {
				if text := string(files[0].Text); !strings.Contains(text, s.Signature) { // it is not written there
					got = append(got, string(s.Kind)+" "+s.Qualified+" "+s.Type+" "+text[s.Span.Start:s.Span.End])
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("declarations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoCrateLeadsToAnotherDirectory(t *testing.T) {
	there := crate("home/.ssh", "lib", "1.0.0", "", "lib.rs", goes) + crate("home/notes", "other", "1.0.0", "", "lib.rs", goes)
	one := locked("lib", "1.0.0", cratesIO)
	outside := crate("home/lib", "lib", "1.0.0", "", "lib.rs", goes)
	tests := []struct {
		name   string
		files  string
		links  [][2]string // from the second to the first, below the machine
		module string
		reason string // of the refusal; "" for none
	}{
		{"a path to a hidden directory", member(`lib = { path = "../home/.ssh" }`, ""), nil, "lib", ".ssh is a hidden directory"},
		{"an absolute path to a hidden directory", member(`lib = { path = "HOME/.ssh" }`, ""), nil, "lib", ".ssh is a hidden directory"},
		{"a path to a link to a hidden directory", member(`lib = { path = "../near" }`, ""), [][2]string{{"home/.ssh", "near"}}, "lib", ".ssh is a hidden directory"},
		{"a path to another package", member(`lib = { path = "../home/notes" }`, ""), nil, "lib", `its Cargo.toml declares the package "other"`},
		{"a path to a directory without a manifest", member(`lib = { path = "../home/empty" }`, "") + "-- home/empty/src/lib.rs --\n" + goes + "\n", nil, "lib", "it has no Cargo.toml"},
		{"a library elsewhere", crate("near", "lib", "1.0.0", "[lib]\npath = \"../home/.ssh/src/lib.rs\"") + member(`lib = { path = "../near" }`, ""), nil, "lib", "its library is not in a file lib.rs of its own"},
		{"a version with dots", outside + member(`lib = "1"`, locked("lib", "1.0.0/../../../../../lib", cratesIO)), nil, "lib", ""},
		{"a name with dots", outside + member(`"../../lib" = "1"`, locked("../../lib", "1.0.0", cratesIO)), nil, "lib", ""},
		{"a package with dots", outside + member(`lib = { package = "../../../../lib", version = "1" }`, ""), nil, "lib", ""},
		{"a crate of the registry that is a link", outside + member(`lib = "1"`, one) + "-- " + registry + "x --\n", [][2]string{{"home/lib", registry + "lib-1.0.0"}}, "lib", ""},
		{"a file that is a link", outside + crate(registry+"lib-1.0.0", "lib", "1.0.0", "") + member(`lib = "1"`, one), [][2]string{{"home/lib/src/lib.rs", registry + "lib-1.0.0/src/lib.rs"}}, "lib", ""},
		{"a module with dots", outside + crate(registry+"lib-1.0.0", "lib", "1.0.0", "", "lib.rs", "") + member(`lib = "1"`, one), nil, "lib.../../../../lib/src/lib", ""},
		{"a commit with dots", outside + member(`lib = { git = "https://example.com/repo" }`, locked("lib", "1.0.0", "git+https://example.com/repo#../../../../lib")), nil, "lib", ""},
		{"a repository with dots", outside + member(`lib = { git = "https://example.com/.." }`, locked("lib", "1.0.0", "git+https://example.com/..#0123456789")), nil, "lib", ""},
		{"vendor outside of the workspace", strings.ReplaceAll(outside, "home/lib", "home/v/lib") + member(`lib = "1"`, one) + "-- work/.cargo/config.toml --\n[source.v]\ndirectory = \"../home/v\"\n", nil, "lib", "it is outside of the workspace"},
		{"vendor with an absolute path", strings.ReplaceAll(outside, "home/lib", "home/v/lib") + member(`lib = "1"`, one) + "-- work/.cargo/config.toml --\n[source.v]\ndirectory = \"HOME/v\"\n", nil, "lib", "it is outside of the workspace"},
		{"vendor is a link", strings.ReplaceAll(outside, "home/lib", "home/v/lib") + member(`lib = "1"`, one) + "-- work/.cargo/config.toml --\n[source.v]\ndirectory = \"vendor\"\n", [][2]string{{"home/v", "work/vendor"}}, "lib", ""},
		{"a manifest that is a link", outside + "-- evil.toml --\n[package]\nname = \"m\"\n[dependencies]\nlib = { path = \"../home/lib\" }\n", [][2]string{{"evil.toml", "work/Cargo.toml"}}, "lib", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, there+tt.files)
			for _, l := range tt.links {
				_ = os.Remove(m.path(l[1])) // it need not be there
				m.link(t, m.path(l[0]), l[1])
			}
			f := m.finder()
			for _, p := range found(t, f, "src/a.rs", tt.module, "go") {
				if !strings.HasPrefix(p, "lib@1.0.0/src/lib.rs") || tt.name != "a module with dots" {
					t.Errorf("it reaches %s", p)
				}
			}
			checkRefused(t, f, "Cargo.toml", tt.reason)
		})
	}
}

func TestTheReportHasTheCrates(t *testing.T) {
	m := newMachine(t, crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", goes)+member("lib = \"1\"\ngone = \"1\"", locked("lib", "1.2.0", cratesIO)+locked("gone", "1.0.3", cratesIO)))
	m.env["PATH"] = ""
	want := deps.Report{Ecosystem: "Rust", Remedy: "cargo fetch", Found: []deps.Package{{Name: "lib", Version: "1.2.0", Dir: m.path(registry + "lib-1.2.0")}}, Missing: []deps.Package{{Name: "gone", Version: "1.0.3"}}}
	got := m.finder().Report([]record.Path{"Cargo.toml"})
	if len(got) != 1 {
		t.Fatalf("Report returns %v", got)
	}
	// Whether the machine that runs the test has the standard library is not for the test to say.
	got[0].Std, got[0].Remedy = nil, want.Remedy
	got[0].Missing = slices.DeleteFunc(got[0].Missing, func(p deps.Package) bool { return p.Name == "the standard library" })
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
}

func TestAChangedCrateAndLockCountFromTheNextQuestionOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib := crate(registry+"lib-1.2.0", "lib", "1.2.0", "", "lib.rs", goes) + crate(registry+"lib-2.0.0", "lib", "2.0.0", "", "lib.rs", goes)
		m := newMachine(t, lib+member(`lib = "*"`, locked("lib", "1.2.0", cratesIO)))
		f := m.finder()
		check := func(name string, want ...string) {
			t.Helper()
			time.Sleep(time.Second) // of the clock of the bubble: files are read again
			if diff := cmp.Diff(want, found(t, f, "src/a.rs", "lib", name)); diff != "" {
				t.Errorf("the files with %s (-want +got):\n%s", name, diff)
			}
		}
		declared := func(name string) bool {
			g := f.Find(t.Context(), "src/a.rs", "src/a.rs", "lib", []string{name}).Files[0].Record.Graph
			return slices.ContainsFunc(g.Symbols, func(s record.Symbol) bool { return s.Name == name })
		}
		check("go", "lib@1.2.0/src/lib.rs")
		if declared("stop") {
			t.Error("lib declares stop before the change")
		}
		m.write(t, registry+"lib-1.2.0/src/lib.rs", goes+"\npub fn stop() {}\n")
		check("stop", "lib@1.2.0/src/lib.rs")
		if !declared("stop") {
			t.Error("lib declares no stop after the change")
		}
		m.write(t, "work/Cargo.lock", "version = 3\n"+locked("lib", "2.0.0", cratesIO)+"\n\n")
		check("go", "lib@2.0.0/src/lib.rs")
	})
}
