package retrieve

import (
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// fileFacts are facts about a file that its path reveals.
type fileFacts struct {
	stem, dirs    []string // stems of the words of its name and of its directories
	demotion      float64  // factor in (0, 1]; below 1 for files that are rarely the answer
	test, example bool
	document      bool
	barrel        bool     // named like files that re-export others
	platforms     []string // operating systems that the path names
}

func factsOf(p record.Path, w *weightTable) fileFacts {
	dir, base := path.Split(string(p))
	return factsIn(dir, w).of(dir, base, w)
}

// factsIn returns the facts that all files of a directory share. The path of the directory is
// "" or ends in "/".
func factsIn(dir string, w *weightTable) fileFacts {
	f := fileFacts{demotion: 1, platforms: platformsOf(dir)}
	for _, d := range strings.Split(strings.Trim(dir, "/"), "/") {
		for _, w := range split(d) {
			f.dirs = append(f.dirs, stem(w))
		}
	}
	f.demoteIn(w, dir)
	return f
}

// of adds the facts about one file to those that the files of its directory share.
func (f fileFacts) of(dir, base string, w *weightTable) fileFacts {
	f.stem = stemsOf(dir, base)
	f.platforms = append(slices.Clip(f.platforms), platformsOf(base)...)
	f.demote(w, base, nameOf(base))
	return f
}

// nameOf returns the name of a file without its endings.
func nameOf(base string) string {
	if name, _, _ := strings.Cut(base, "."); name != "" {
		return name
	}
	return base
}

// stemsOf returns the stems of the words that a file is named by.
func stemsOf(dir, base string) []string { return nameStems(namedBy(dir, base)) }

// namedBy returns the name of a file, or of its directory when it represents that.
func namedBy(dir, base string) string {
	name := nameOf(base)
	if dir != "" && standIns[strings.ToLower(name)] {
		return path.Base(dir)
	}
	return name
}

// nameStems returns the stems of the words of a file name. It leaves out emptyWords
// unless there are no others: BooleanUtils is about booleans.
func nameStems(name string) []string {
	var all, meaningful []string
	for _, w := range split(name) {
		all = append(all, stem(w))
		if !emptyWords[w] {
			meaningful = append(meaningful, stem(w))
		}
	}
	if len(meaningful) == 0 {
		return all
	}
	return meaningful
}

// standIns are the names of files that represent their directory.
var standIns = map[string]bool{"index": true, "mod": true, "__init__": true, "package-info": true, "init": true}

// emptyWords are parts of file names without meaning.
var emptyWords = map[string]bool{"util": true, "utils": true, "utility": true, "utilities": true, "helper": true, "helpers": true, "common": true, "impl": true,
	"base": true, "core": true, "misc": true, "lib": true, "main": true, "index": true, "type": true, "types": true}

// demoteIn sets the demotion of the files of a directory and its reasons.
func (f *fileFacts) demoteIn(w *weightTable, dir string) {
	less := func(factor float64) { f.demotion = min(f.demotion, factor) }
	for _, d := range strings.Split(strings.ToLower(dir), "/") {
		if isTestDirectory(d) {
			less(w.Test)
			f.test = true
		}
		switch d {
		case "test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "testing", "testutil", "mocks", "__mocks__", "e2e":
			less(w.Test)
			f.test = true
		case "example", "examples", "demo", "demos", "sample", "samples", "playground", "benchmark", "benchmarks", "bench", "benches", "benchsuite":
			less(w.Example)
			f.example = true
		case "vendor", "third_party", "node_modules", "external":
			less(w.Vendored)
		case "compat", "legacy", "deprecated", "_compat":
			less(w.Compat)
		case "dist", "build", "out", "target", "generated", "gen", "_build":
			less(w.Compiled)
		case "locale", "locales", "i18n", "translations", "lang", "langs", "l10n":
			less(w.Locale)
		case ".github", ".circleci", ".gitlab", ".buildkite", ".devcontainer", ".vscode":
			less(w.Data)
		case "doc", "docs", "website":
			less(w.Document)
			f.document = true
		}
	}
}

// demote adds the demotion of a file by its name, and its reasons.
func (f *fileFacts) demote(w *weightTable, base, name string) {
	less := func(factor float64) { f.demotion = min(f.demotion, factor) }
	base = strings.ToLower(base)
	if isTestName(base, name) {
		less(w.Test)
		f.test = true
	}
	switch path.Ext(base) {
	case ".md", ".mdx", ".rst", ".txt", ".adoc", ".markdown", ".org", ".tex", ".1", ".pod":
		less(w.Document)
		f.document = true
	case ".json", ".yaml", ".yml", ".toml", ".lock", ".cfg", ".ini", ".csv", ".svg", ".xml", ".snap", ".ipynb", ".properties", ".sum", ".mod", ".css", ".scss", ".in", ".conf":
		less(w.Data)
	case "":
		less(w.Data)
	}
	if strings.Contains(base, "changelog") || strings.HasPrefix(base, "changes.") || strings.HasPrefix(base, "history.") || strings.HasPrefix(base, "release") && f.document || strings.HasPrefix(base, "news.") || strings.HasPrefix(base, "upgrading") {
		less(w.Changelog)
	}
	if strings.Contains(base, ".min.") || strings.HasSuffix(base, ".map") || strings.HasSuffix(base, ".pb.go") || strings.Contains(base, "_pb2") || strings.Contains(base, "generated") || strings.HasSuffix(base, ".g.dart") {
		less(w.Compiled)
	}
	switch {
	case strings.HasSuffix(base, ".d.ts"), strings.HasSuffix(base, ".pyi"):
		less(w.Types)
	case base == "index.ts", base == "index.js", base == "mod.ts", base == "__init__.py":
		f.barrel = true
	case strings.HasSuffix(strings.ToLower(name), "compat"):
		less(w.Compat)
	}
}

// isTestDirectory reports whether a directory in lower case is named for tests: "test cases",
// "stress_tests", "shoptests".
func isTestDirectory(d string) bool {
	if strings.HasSuffix(d, "tests") {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(d, notLetter), func(w string) bool { return w == "test" || w == "tests" })
}

// isTestName reports whether a file is a test by the conventions of its language.
func isTestName(base, name string) bool {
	lower := strings.ToLower(name)
	switch path.Ext(base) {
	case ".py":
		return strings.HasPrefix(lower, "test_") || strings.HasSuffix(lower, "_test") || lower == "conftest"
	case ".java", ".kt", ".cs", ".php", ".swift", ".scala":
		return strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "Tests")
	}
	return strings.HasSuffix(lower, "_test") || strings.HasSuffix(lower, "_spec") || strings.HasSuffix(lower, "_unittest") || strings.HasSuffix(lower, "_benchmark") ||
		strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}
