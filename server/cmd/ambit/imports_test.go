package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// allowed lists every import between two packages of ambit, except those of tests. The
// test refuses all others. The commit that adds an import gives the reason.
var allowed = map[string][]string{
	"vectors/record":    nil,
	"vectors/quantize":  nil,
	"vectors/script":    nil,
	"vectors/embed":     {"vectors/script"},
	"vectors/pages":     nil,
	"vectors/shelf":     {"vectors/record"},
	"vectors/revisions": {"vectors/record"},
	"vectors/store":     {"vectors/pages", "vectors/quantize", "vectors/record", "vectors/revisions"},
	"vectors/clone":     {"vectors/pages", "vectors/store"},
	"vectors/flat":      {"vectors/quantize", "vectors/record"},
	"vectors/lexical":   {"vectors/record", "vectors/script"},

	"indexer/gitignore": nil,
	"indexer/lazy":      nil,
	"indexer/watch":     {"indexer/gitignore", "indexer/languages"},
	"indexer/charset":   nil,
	"indexer/redact":    nil,
	// a command for developers, which writes the rules for secrets as Go code
	"indexer/redact/gitleaks": nil,
	"indexer/githist":         {"indexer/redact", "vectors/record"},
	"indexer/project":         {"indexer/lazy", "vectors/record", "vectors/script"},
	"indexer/patch":           nil,
	"indexer/languages":       {"indexer/lazy", "vectors/record"},
	// a command for developers, which starts ctags and the parsers of other languages
	"indexer/languages/outlinecheck": {"indexer/languages", "vectors/record"},
	"indexer/chunk":                  {"indexer/languages", "vectors/record"},
	"indexer/graph":                  {"indexer/languages", "vectors/record"},
	"indexer/enrich":                 {"indexer/chunk", "indexer/languages", "vectors/record"},
	// the graph finds what the code names in the files of dependencies, too
	"indexer/deps": {"indexer/graph", "indexer/languages", "indexer/lazy", "indexer/project", "indexer/redact", "vectors/record"},
	"indexer/pipeline": {"indexer/charset", "indexer/chunk", "indexer/enrich", "indexer/graph", "indexer/languages", "indexer/redact", "indexer/watch",
		"vectors/quantize", "vectors/record"},

	"server/config":     nil,
	"server/tokens":     nil,
	"server/api":        {"vectors/record"},
	"server/api/apigen": {"server/api", "server/config", "vectors/record"},
	"server/location":   {"server/api", "vectors/record"},
	"server/retrieve": {"indexer/deps", "indexer/graph", "indexer/languages", "indexer/lazy", "indexer/project", // manifests, for an overview
		"server/api", "vectors/record", "vectors/script"},
	"server/assemble":  {"indexer/languages", "server/api", "server/location", "server/retrieve", "vectors/record"},
	"server/format":    {"server/api", "server/assemble", "vectors/record"},
	"server/workspace": {"server/api"},
	"server/scheduler": {"indexer/languages", "indexer/pipeline", "indexer/watch", "server/api", "server/workspace",
		"vectors/record", "vectors/store"},
	"server/snapshot": {"indexer/graph", "indexer/languages", "indexer/pipeline", "indexer/watch", "server/api", "server/retrieve",
		"server/workspace", "vectors/flat", "vectors/lexical", "vectors/quantize", "vectors/record", "vectors/store"},
	"server/answer": {"indexer/gitignore", "indexer/patch", "indexer/languages", "server/api", "server/assemble", "server/format", "server/location", "server/retrieve",
		"server/snapshot", "server/tokens", "vectors/record"},
	"server/session": {"indexer/chunk", "indexer/deps", "indexer/enrich", "indexer/githist", "indexer/gitignore", "indexer/pipeline", "indexer/watch",
		"server/answer", "server/api", "server/config", "server/retrieve", "server/scheduler", "server/snapshot", "server/tokens", "server/workspace",
		"vectors/clone", "vectors/embed", "vectors/record", "vectors/shelf", "vectors/store"},
	"server/attach": {"server/api", "server/process", "server/rpc", "server/workspace", "vectors/record"},
	"server/eval": {"indexer/charset", "indexer/chunk", "indexer/githist", "indexer/languages", "indexer/watch", "server/api", "server/tokens",
		"vectors/embed", "vectors/lexical", "vectors/quantize", "vectors/record"},
	"server/process": nil,
	"server/rpc":     nil,
	"server/lsp":     {"server/api", "server/config", "server/format", "server/location", "server/process", "server/rpc", "vectors/record"},
	"server/mcp":     {"server/api", "vectors/record"},
	"server/setup":   nil,
	"server/upgrade": nil,
	"server/cli": {"server/api", "server/attach", "server/config", "server/eval", "server/location", "server/lsp", "server/mcp", "server/process", "server/scheduler",
		"server/session", "server/setup", "server/upgrade", "server/workspace", "vectors/record"},
	"server/cmd/ambit": {"server/cli"},
	// a command for those who release ambit
	"server/cmd/release": nil,

	"editors/neovim/tests": nil, // tests only
}

// helpers are packages that only tests import. They may import all packages of their own
// directory and of those to its right.
var helpers = []string{"vectors/storetest", "indexer/gitignore/gittest", "indexer/watch/treetest", "indexer/golden", "server/lsp/lsptest"}

// owners names, for each module and each standard package with a reach of its own,
// the packages that may import it outside of tests. A trailing "/" means all packages
// below. The test refuses modules that are not listed.
var owners = map[string][]string{
	"github.com/BurntSushi/toml":              {"server/config", "server/setup", "indexer/deps", "indexer/languages", "indexer/project", "indexer/redact/gitleaks"},
	"github.com/adrg/xdg":                     {"server/config", "server/session"},
	"github.com/alecthomas/kong":              {"server/cli"},
	"github.com/dlclark/regexp2":              {"server/tokens"},
	"github.com/fsnotify/fsnotify":            {"indexer/watch"},
	"github.com/goccy/go-yaml":                {"indexer/languages", "server/eval"},
	"github.com/goccy/go-yaml/":               {"indexer/languages"},
	"github.com/klauspost/compress/":          {"vectors/store"},
	"github.com/modelcontextprotocol/go-sdk/": {"server/mcp"},
	"github.com/pkoukk/tiktoken-go":           {"server/tokens"},
	"github.com/pkoukk/tiktoken-go-loader":    {"server/tokens"},
	"github.com/pkoukk/tiktoken-go-loader/":   {"server/tokens"},
	"github.com/alex-pinkus/":                 {"indexer/languages"},
	"github.com/tailscale/hujson":             {"server/setup"},
	"github.com/smacker/go-tree-sitter":       {"indexer/languages"},
	"github.com/smacker/go-tree-sitter/":      {"indexer/languages"},
	"github.com/tree-sitter/":                 {"indexer/languages"},
	"github.com/tree-sitter-grammars/":        {"indexer/languages"},
	"github.com/yuin/goldmark":                {"indexer/languages"},
	"github.com/yuin/goldmark/":               {"indexer/languages"},
	"go.etcd.io/bbolt":                        {"vectors/store"},
	"go.etcd.io/bbolt/":                       {"vectors/store"},
	"go.lsp.dev/":                             {"server/attach", "server/lsp", "server/rpc"},
	"golang.org/x/mod/":                       {"indexer/deps", "server/upgrade"}, // go.mod, go.work, versions, the names of the module cache
	"golang.org/x/sync/errgroup":              {"indexer/pipeline", "indexer/watch", "server/eval", "server/session", "server/snapshot", "server/lsp"},
	"golang.org/x/sys/":                       {"indexer/watch", "server/cli", "server/process", "server/scheduler", "server/workspace"},
	"golang.org/x/term":                       {"server/cli"},
	"golang.org/x/text/":                      {"indexer/charset"},

	"net":            {"vectors/embed", "server/attach", "server/cli", "server/mcp"}, // cli and mcp listen on loopback when the user asks
	"net/http":       {"vectors/embed", "server/mcp", "server/upgrade"},
	"os/exec":        {"indexer/githist", "indexer/languages/outlinecheck", "server/cmd/release"},
	"os/signal":      {"server/cli"},
	"database/":      nil,
	"plugin":         nil,
	"net/rpc":        nil,
	"net/http/":      nil,
	"html/":          nil,
	"text/template":  {"server/format"}, // the formatter of a user
	"text/template/": {"server/format"},
	"log":            nil, // log/slog, from Options
	"math/rand":      nil, // results are functions of the input
	// with the seed that the user gives, and with a fixed seed that balances a tree
	"math/rand/":  {"server/eval", "server/location"},
	"crypto/md5":  {"server/cmd/release"}, // the sums of a Debian package
	"crypto/sha1": {"vectors/record"},     // UUIDs of version 5
}

// banned lists the standard packages that would break the promise of a package: a pure
// package reads no disk, does not wait and has no clock.
var banned = map[string][]string{
	"vectors/record":    {"os", "io", "context", "time", "encoding/json", "log/slog"},
	"vectors/quantize":  {"os", "context", "time", "log/slog"},
	"vectors/flat":      {"os", "time"},
	"vectors/lexical":   {"os", "time"},
	"indexer/languages": {"os", "context", "log/slog"},
	"indexer/chunk":     {"os", "context", "time", "log/slog"},
	"indexer/enrich":    {"os", "context", "time", "log/slog"},
	"indexer/graph":     {"os", "time"},
	"indexer/patch":     {"os", "context", "time", "log/slog"},
	"indexer/project":   {"os", "context", "time", "log/slog"},
	"indexer/redact":    {"os", "context", "time", "log/slog"},
	"server/retrieve":   {"os"},
	"server/assemble":   {"os"},
	"server/format":     {"os", "context", "time"},
	"server/tokens":     {"context", "time"},
}

// tools are the modules that only tests import.
var tools = []string{
	"github.com/google/go-cmp/",
	"github.com/rogpeppe/go-internal/",
	"go.uber.org/goleak",
	"pgregory.net/rapid",
}

// module is the path of the module in go.mod, with a slash.
var module = func() string {
	info, _ := debug.ReadBuildInfo() // a test has it
	return info.Main.Path + "/"
}()

// goPackage has the fields of `go list -json` that the test reads.
type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestEveryImportIsAllowed(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		arrows, known := allowed[name]
		helper := slices.Contains(helpers, name)
		if !known && !helper {
			t.Errorf("package %s is not in the table of allowed imports; docs/architecture.md lists the packages", name)
		}
		for _, imp := range p.Imports {
			to, own := strings.CutPrefix(imp, module)
			switch {
			case own && helper:
				checkDirection(t, name, to)
			case own && slices.Contains(helpers, to):
				t.Errorf("%s imports %s, which is for tests only", name, to)
			case own && !slices.Contains(arrows, to):
				t.Errorf("%s imports %s, which the law of imports refuses", name, to)
			case !own && !helper:
				checkOwner(t, name, imp)
			}
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			if to, own := strings.CutPrefix(imp, module); own {
				checkDirection(t, name, to)
			}
		}
	}
}

// The tables must obey the direction between the three directories.
func TestTheTablesPointToTheRight(t *testing.T) {
	for from, tos := range allowed {
		for _, to := range tos {
			if _, ok := allowed[to]; !ok {
				t.Errorf("the table allows %s to import %s, which is no package of it", from, to)
			}
			checkDirection(t, from, to)
		}
	}
}

// checkOwner refuses a module or standard package that belongs to another package.
func checkOwner(t *testing.T, name, imp string) {
	t.Helper()
	if slices.Contains(banned[name], imp) {
		t.Errorf("%s imports %s, which would break its promise", name, imp)
	}
	for _, tool := range tools {
		if imp == tool || strings.HasPrefix(imp, tool) {
			t.Errorf("%s imports %s, which is for tests only", name, imp)
			return
		}
	}
	owner, owned := ownersOf(imp)
	if owned && !slices.Contains(owner, name) {
		t.Errorf("%s imports %s, which only %v may", name, imp, owner)
	}
	first, _, _ := strings.Cut(imp, "/")
	if !owned && strings.Contains(first, ".") {
		t.Errorf("%s imports %s, which has no owner in the table", name, imp)
	}
}

// ownersOf returns the packages that may import imp; owned is false for a standard
// package that all packages may import.
func ownersOf(imp string) (owner []string, owned bool) {
	if owner, owned = owners[imp]; owned {
		return owner, true
	}
	for prefix, owner := range owners {
		if strings.HasSuffix(prefix, "/") && strings.HasPrefix(imp, prefix) {
			return owner, true
		}
	}
	return nil, false
}

// checkDirection refuses an arrow to the left of server → indexer → vectors.
func checkDirection(t *testing.T, from, to string) {
	t.Helper()
	line := []string{"server", "indexer", "vectors"}
	top := func(name string) int {
		first, _, _ := strings.Cut(name, "/")
		return slices.Index(line, first)
	}
	if top(to) < top(from) {
		t.Errorf("%s imports %s, which points to the left", from, to)
	}
}

// listPackages returns all packages of the module.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	watchSources(t)
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the packages of the module: %v", err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read the output of go list: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Fatal("go list names no package")
	}
	return packages
}

// watchSources makes the cached result of the test depend on every Go file of the module:
// go test tracks the files that the test itself opens, not those of its child processes.
func watchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
