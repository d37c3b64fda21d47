// Package config reads the settings of ambit as plain values.
//
// Sources count in this order, the later over the earlier: the defaults, the user's
// config.toml, the workspace's .ambit.toml, the client's settings. Exclude is the one
// setting whose sources are joined instead.
//
// A workspace is not trusted: its file may set only settings that are safe to share. An endpoint, a
// key, a command or a path in it is refused with a warning. It cannot include a file that
// the user excluded.
//
// The package reads at most two small files, writes nothing, logs nothing, and never
// panics on any content.
package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// WorkspaceFile is the name of the settings file in the root of a workspace.
const WorkspaceFile = ".ambit.toml"

// Settings are all settings. [Describe] explains each.
type Settings struct {
	Budget          int    // tokens of an answer
	DocumentsBudget int    // tokens of an answer to a question about documents only: prose is long and hard to shorten
	Format          string // "xml", "markdown", "plain", "human", "json", or "" for the choice of the caller
	Template        string // absolute path of a template for the text of an answer, or ""
	Encoding        string // "o200k_base", "cl100k_base" or "ratio"
	ContextMode     string // "none", "minimal" or "full"
	ASTChunking     bool
	MaxTokens       int // of a chunk of prose
	OverlapTokens   int // of two chunks of prose, at most half of MaxTokens
	MaxFileBytes    int
	Include         []string // patterns; empty means every file
	Exclude         []string // patterns; the last one that matches a file decides
	ShowSecrets     []string // patterns of files whose secrets are not masked
	CacheDir        string   // absolute, or "" for the user's cache directory
	Workers         int      // 0 means one per CPU
	Dependencies    bool     // answers have the declarations of dependencies that a symbol uses
	DependencyMB    int      // on disk, of what is parsed of dependencies; 0 keeps nothing
	Embedder        string   // "builtin"
}

// Defaults returns the settings without any source.
func Defaults() Settings {
	return Settings{
		Budget:          8000,
		DocumentsBudget: 20000,
		Encoding:        "o200k_base",
		ContextMode:     "full",
		ASTChunking:     true,
		MaxTokens:       700,
		OverlapTokens:   80,
		MaxFileBytes:    1 << 20,
		Dependencies:    true,
		DependencyMB:    512,
		Embedder:        "builtin",
	}
}

// Sources are the sources of settings. The zero value has only the defaults.
type Sources struct {
	UserFile  string // path of the user's TOML file, see [UserFile]; "" reads none
	Workspace string // root directory with a [WorkspaceFile]; "" reads none
	Client    []byte // a JSON object of settings by name, as initializationOptions; may be empty or null
}

// UserFile returns the path of the user's settings file, which need not exist:
// ambit/config.toml in $XDG_CONFIG_HOME when that is absolute, else in ~/.config.
// It is "" when there is no home directory either.
func UserFile() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "ambit", "config.toml")
}

// Load reads the sources. A file need not exist.
//
// The warnings are settings without effect: unknown ones, and those that a workspace may
// not set. The error, a [*Problem], is the first invalid setting or the first source that
// cannot be read. The settings are valid even then: Load skips invalid ones.
func Load(s Sources) (Settings, []Problem, error) {
	l := loader{settings: Defaults(), from: map[string]origin{}}
	if s.UserFile != "" {
		l.addFile(s.UserFile, user)
	}
	if s.Workspace != "" {
		l.addFile(filepath.Join(s.Workspace, WorkspaceFile), workspace)
	}
	l.addClient(s.Client)
	l.finish()
	if len(l.errors) > 0 {
		return l.settings, l.warnings, &l.errors[0]
	}
	return l.settings, l.warnings, nil
}

// rank orders the sources.
type rank int

const (
	user rank = iota
	workspace
	client
	nRanks
)

// origin is the place of a value.
type origin struct {
	rank   rank
	source string // as in [Problem]
	line   int
}

// entry is a setting of a source. The value is a string, bool, int64 or []any, or of
// another type, which no setting has.
type entry struct {
	name  string
	value any
	line  int // from 1; 0 when the source has no lines
}

// loader collects the settings of the sources.
type loader struct {
	settings Settings
	from     map[string]origin // of each setting that a source has set
	exclude  [nRanks][]string
	warnings []Problem
	errors   []Problem
}

// maxWarnings bounds the warnings about one source.
const maxWarnings = 20

// add applies the settings of one source.
func (l *loader) add(r rank, source string, entries []entry) {
	nWarnings := 0
	warn := func(e entry, reason string) {
		if nWarnings++; nWarnings <= maxWarnings {
			l.warnings = append(l.warnings, Problem{source, e.line, e.name, reason})
		}
	}
	for _, e := range entries {
		at := slices.IndexFunc(table, func(row row) bool { return row.name == e.name })
		switch {
		case r == workspace && (at < 0 || !table[at].shared):
			warn(e, "refused: a workspace may set only "+join(names(true), "and")+suggest(e.name, names(true)))
			continue
		case at < 0:
			warn(e, "unknown setting, ignored"+suggest(e.name, names(false)))
			continue
		}
		row := table[at]
		if reason := row.set(&l.settings, e.value); reason != "" {
			l.errors = append(l.errors, Problem{source, e.line, e.name, reason})
			continue
		}
		l.from[row.name] = origin{r, source, e.line}
		if row.name == "exclude" {
			l.exclude[r] = l.settings.Exclude
		}
	}
}

// finish applies the rules that involve several settings.
func (l *loader) finish() {
	// The workspace comes first, so that the user's patterns decide.
	l.settings.Exclude = slices.Concat(l.exclude[workspace], l.exclude[user], l.exclude[client])
	half := l.settings.MaxTokens / 2
	if l.settings.OverlapTokens <= half {
		return
	}
	if o, ok := l.from["overlapTokens"]; ok {
		l.errors = append(l.errors, Problem{o.source, o.line, "overlapTokens",
			fmt.Sprintf("%d is more than half of maxTokens, %d; use 0 to %d", l.settings.OverlapTokens, l.settings.MaxTokens, half)})
	}
	l.settings.OverlapTokens = half
}
