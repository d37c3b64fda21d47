// Package config reads the settings of ambit as plain values.
//
// Sources count in this order, the later over the earlier: the defaults, the user's
// config.toml, the workspace's .ambit.toml, what the client sends. Exclude is the one
// setting that adds up instead.
//
// A workspace is somebody else's: its file may set what is safe to share and
// nothing else. An endpoint, a key, a command or a path in it is refused with a
// warning, never honoured. It can take no file into the index again that the user
// excluded.
//
// The package reads at most two small files when it is asked to, writes nothing,
// logs nothing, and never panics on any content.
package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// WorkspaceFile is the name of the settings file in the root of a workspace.
const WorkspaceFile = ".ambit.toml"

// Settings are all settings. See [Describe] for what each is and may be.
type Settings struct {
	Budget          int    // tokens of an answer
	DocumentsBudget int    // tokens of an answer to a question about documents only: prose is long and reduces badly
	Format          string // "xml", "markdown", "plain", "human", "json", or "" for the caller's own choice
	Encoding        string // "o200k_base", "cl100k_base" or "ratio"
	ContextMode     string // "none", "minimal" or "full"
	ASTChunking     bool
	MaxTokens       int // of a chunk of prose
	OverlapTokens   int // of two chunks of prose, at most half of MaxTokens
	MaxFileBytes    int
	Include         []string // patterns; empty means every file
	Exclude         []string // patterns; of two that match a file the later one counts
	CacheDir        string   // absolute, or "" for the user's cache directory
	Workers         int      // 0 means one per CPU
	Embedder        string   // "builtin"
}

// Defaults returns the settings when nobody says anything.
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
		Embedder:        "builtin",
	}
}

// Sources says where settings come from. The zero value has none but the defaults.
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

// Load reads the sources. A file that does not exist says nothing.
//
// The warnings are settings that have no effect: unknown ones, and those that a
// workspace may not set. The error is the first setting with a wrong value or the
// first source that cannot be read, and is a [*Problem]. The settings are valid
// even then: what is wrong counts as not said, the rest holds.
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

// origin is where a value stands.
type origin struct {
	rank   rank
	source string // as a [Problem] names it
	line   int
}

// entry is a setting as a source spells it. A value has one of the types string,
// bool, int64, []any, or another, which no setting has.
type entry struct {
	name  string
	value any
	line  int // from 1; 0 when the source has no lines
}

// loader collects what the sources say.
type loader struct {
	settings Settings
	from     map[string]origin // by setting that a source has set
	exclude  [nRanks][]string
	warnings []Problem
	errors   []Problem
}

// maxWarnings bounds what one source can complain about.
const maxWarnings = 20

// add takes over the settings of one source.
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
			warn(e, "refused: a workspace may set only "+join(sharedNames(), "and")+suggest(e.name, sharedNames()))
			continue
		case at < 0:
			warn(e, "unknown setting, ignored"+suggest(e.name, names()))
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

// finish settles what depends on more than one setting.
func (l *loader) finish() {
	// The workspace comes first, so that the user has the last word on every file.
	l.settings.Exclude = slices.Concat(l.exclude[workspace], l.exclude[user], l.exclude[client])
	half := l.settings.MaxTokens / 2
	if l.settings.OverlapTokens <= half {
		return
	}
	if o, said := l.from["overlapTokens"]; said {
		l.errors = append(l.errors, Problem{o.source, o.line, "overlapTokens",
			fmt.Sprintf("%d is more than half of maxTokens, %d; use 0 to %d", l.settings.OverlapTokens, l.settings.MaxTokens, half)})
	}
	l.settings.OverlapTokens = half
}
