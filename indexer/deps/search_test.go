package deps_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/record"
)

// searched returns the matches of a search, "file name score", on a machine.
func searched(t *testing.T, m *machine, files []record.Path, query string) (out []string) {
	t.Helper()
	for _, x := range m.finder().Search(t.Context(), files, query, 3) {
		out = append(out, fmt.Sprintf("%s %s %.2f", x.File.Path, x.File.Record.Graph.Symbols[x.Symbol].Qualified, x.Score))
	}
	return out
}

func TestASearchFindsDeclarationsOfDependencies(t *testing.T) {
	const cache = "-- home/go/pkg/mod/example.com/lib@v1.0.0/"
	m := javaMachine(t, javaHome+pom("org.a:lib:1.2")+"-- work/go.mod --\nmodule m\nrequire (\n\texample.com/lib v1.0.0\n\texample.com/other v1.0.0 // indirect\n)\n"+
		cache+"lib.go --\npackage lib\n\n// Client asks for pages.\ntype Client struct{}\n\n// Retry asks again after a failure.\nfunc (c *Client) Retry(times int) {}\n\nfunc NewClient() *Client { return nil }\n\ntype hidden int\n\nfunc (hidden) Retry() {}\n"+
		cache+"lib_test.go --\npackage lib\n\nfunc Retry() {}\n"+cache+"examples/a.go --\npackage a\n\nfunc Retry() {}\n"+
		"-- home/go/pkg/mod/example.com/other@v1.0.0/o.go --\npackage other\n\nfunc Retry() {}\n-- work/a.go --\npackage m\n\nfunc Retry() {}\n")
	const file = "example.com/lib@v1.0.0/lib.go"
	files := []record.Path{"a.go", "go.mod", "A.java"}
	for query, want := range map[string][]string{
		"retry":          {file + " Client.Retry 1.00"},
		"new client":     {file + " NewClient 1.00", file + " Client 0.45"},
		"client.retry":   {file + " Client.Retry 1.00", file + " Client 0.45", file + " NewClient 0.41"},
		"after failure":  nil,
		"Lib":            {"lib@1.2/org/a/Lib.java Lib 1.00"},
		"what is a gone": nil,
		"":               nil,
	} {
		if diff := cmp.Diff(want, searched(t, m, files, query)); diff != "" {
			t.Errorf("Search(%q) (-want +got):\n%s", query, diff)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := m.finder().Search(ctx, files, "retry", 3); got != nil {
		t.Errorf("a search that was cancelled returns %v", got)
	}
}

func TestASearchReachesThePackagesOfEachEcosystem(t *testing.T) {
	tests := []struct{ name, files, file, query, want string }{
		{"TypeScript", "-- work/package.json --\n{\"dependencies\": {\"web\": \"1\"}}\n-- work/node_modules/web/package.json --\n{\"name\": \"web\", \"version\": \"1.0.0\", \"types\": \"index.d.ts\"}\n" +
			"-- work/node_modules/web/index.d.ts --\nexport declare function parseBody(text: string): string;\n-- work/node_modules/web/index.js --\nexport function parseBody(text) { return text; }\n", "a.ts", "parse body", "web@1.0.0/index.d.ts parseBody 1.00"},
		{"Rust", "-- work/Cargo.toml --\n[package]\nname = \"shop\"\nversion = \"0.1.0\"\n[dependencies]\nweb = \"0.7\"\n-- work/Cargo.lock --\nversion = 3\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\ndependencies = [\"web\"]\n" +
			"[[package]]\nname = \"web\"\nversion = \"0.7.5\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n-- home/.cargo/registry/src/index/web-0.7.5/Cargo.toml --\n[package]\nname = \"web\"\nversion = \"0.7.5\"\n" +
			"-- home/.cargo/registry/src/index/web-0.7.5/src/lib.rs --\npub fn parse_body(text: &str) {}\n", "src/a.rs", "parseBody", "web@0.7.5/src/lib.rs parse_body 1.00"},
		{"Ruby", "-- work/Gemfile.lock --\nGEM\n  specs:\n    web (1.0)\n\nDEPENDENCIES\n  web\n-- home/rb/bin/ruby --\n-- home/rb/lib/ruby/3.3.0/set.rb --\n" +
			"-- home/rb/lib/ruby/gems/3.3.0/gems/web-1.0/lib/web.rb --\nmodule Web\n  def self.parse_body(text); end\nend\n", "a.rb", "parse_body", "web@1.0/lib/web.rb Web.parse_body 1.00"},
		{"Python", "-- work/pyproject.toml --\n[project]\nname = \"shop\"\ndependencies = [\"Web\"]\n-- work/.venv/pyvenv.cfg --\nhome = HOME/py/bin\nversion = 3.12.1\n-- home/py/bin/python3 --\n-- home/py/lib/python3.12/os.py --\n" +
			"-- work/.venv/lib/python3.12/site-packages/Web-1.0.dist-info/METADATA --\nName: Web\nVersion: 1.0\n-- work/.venv/lib/python3.12/site-packages/Web-1.0.dist-info/RECORD --\nweb/__init__.py,,\n" +
			"-- work/.venv/lib/python3.12/site-packages/web/__init__.py --\ndef parse_body(text):\n    pass\n-- work/.venv/lib/python3.12/site-packages/other.py --\ndef parse_body(text):\n    pass\n", "a.py", "parse body", "Web@1.0/web/__init__.py parse_body 1.00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMachine(t, tt.files)
			m.env["PATH"] = m.path("home/rb/bin")
			if diff := cmp.Diff([]string{tt.want}, searched(t, m, []record.Path{record.Path(tt.file), "package.json", "Cargo.toml", "pyproject.toml"}, tt.query)); diff != "" {
				t.Errorf("Search(%s) (-want +got):\n%s", tt.query, diff)
			}
		})
	}
}
