package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Setting is the documentation of one setting.
type Setting struct {
	Name    string // "maxTokens"
	Doc     string // one sentence
	Allowed string // "a whole number from 64 to 8000"
	Default string // as TOML, or in words
	Shared  bool   // allowed in a workspace's .ambit.toml
}

// Describe returns all settings in the order of the table.
func Describe() []Setting {
	defaults := Defaults()
	all := make([]Setting, len(table))
	for i, r := range table {
		all[i] = Setting{r.name, r.doc, r.allowed(), r.unset, r.shared}
		if r.unset == "" {
			all[i].Default = fieldTOML(r.field(&defaults))
		}
	}
	return all
}

// row is one setting: its description, its values and its field.
type row struct {
	name  string
	doc   string
	field func(*Settings) any // a *int, *bool, *string or *[]string

	min, max int               // of an int, both inclusive
	values   []string          // of a string; nil means an absolute path
	aliases  map[string]string // other spellings of values
	unset    string            // the default in words, if the value is not clear
	shared   bool              // allowed in a workspace's file
	index    bool              // the contents of an index depend on it
}

// table lists every setting. It is never changed.
var table = []row{
	{
		name:  "budget",
		doc:   "Most tokens of an answer, markup included.",
		field: func(s *Settings) any { return &s.Budget },
		min:   200, max: 2_000_000, // fewer have no room for a unit; no model takes more
	},
	{
		name:  "documentsBudget",
		doc:   "Most tokens of an answer to a question about documents only.",
		field: func(s *Settings) any { return &s.DocumentsBudget },
		min:   200, max: 2_000_000,
	},
	{
		name:    "format",
		doc:     "Format of an answer.",
		field:   func(s *Settings) any { return &s.Format },
		values:  []string{"xml", "markdown", "plain", "human", "json"},
		aliases: map[string]string{"claude": "xml", "gpt": "markdown", "generic": "plain"},
		unset:   "human on a terminal, plain elsewhere",
		shared:  true,
	},
	{
		name:  "template",
		doc:   "File with a Go text/template that writes the text of an answer in place of a format.",
		field: func(s *Settings) any { return &s.Template },
		unset: "none",
	},
	{
		name:    "encoding",
		doc:     "Vocabulary for counting tokens; with ratio four characters are one token.",
		field:   func(s *Settings) any { return &s.Encoding },
		values:  []string{"o200k_base", "cl100k_base", "ratio"},
		aliases: map[string]string{"chars/4": "ratio"},
	},
	{
		name:   "contextMode",
		doc:    "Text embedded with a chunk: none, its unit and file, or also its relations.",
		field:  func(s *Settings) any { return &s.ContextMode },
		values: []string{"none", "minimal", "full"},
		shared: true, index: true,
	},
	{
		name:   "astChunking",
		doc:    "Cut code at its declarations; false cuts it as text.",
		field:  func(s *Settings) any { return &s.ASTChunking },
		shared: true, index: true,
	},
	{
		name:  "maxTokens",
		doc:   "Most tokens of a chunk of prose.",
		field: func(s *Settings) any { return &s.MaxTokens },
		min:   64, max: 7000, // the smallest window of the embedders
		shared: true, index: true,
	},
	{
		name:  "overlapTokens",
		doc:   "Tokens that two neighboring chunks of prose share, at most half of maxTokens.",
		field: func(s *Settings) any { return &s.OverlapTokens },
		min:   0, max: 3500,
		shared: true, index: true,
	},
	{
		name:  "maxFileBytes",
		doc:   "Larger files are listed, not indexed.",
		field: func(s *Settings) any { return &s.MaxFileBytes },
		min:   1 << 10, max: 16 << 20, // a syntax tree takes 30 to 180 times its source
		index: true,
	},
	{
		name:   "include",
		doc:    "Patterns, as in .gitignore, of the files to index.",
		field:  func(s *Settings) any { return &s.Include },
		unset:  "every file",
		shared: true, index: true,
	},
	{
		name:   "exclude",
		doc:    "Patterns, as in .gitignore, of files not to index; the patterns of all sources count.",
		field:  func(s *Settings) any { return &s.Exclude },
		unset:  "none",
		shared: true, index: true,
	},
	{
		name:  "showSecrets",
		doc:   "Patterns, as in .gitignore, of files whose secrets are not masked.",
		field: func(s *Settings) any { return &s.ShowSecrets },
		unset: "none",
		index: true,
	},
	{
		name:  "cacheDir",
		doc:   "Directory of the indexes.",
		field: func(s *Settings) any { return &s.CacheDir },
		unset: "ambit in the user's cache directory",
	},
	{
		name:  "workers",
		doc:   "Files parsed at the same time; 0 is one per CPU.",
		field: func(s *Settings) any { return &s.Workers },
		min:   0, max: 256,
	},
	{
		name:  "dependencies",
		doc:   "Show the declarations of dependencies that a symbol uses; false reads nothing outside of the workspace.",
		field: func(s *Settings) any { return &s.Dependencies },
	},
	{
		name:  "dependencyCacheMB",
		doc:   "Megabytes on disk for what is parsed of dependencies, which all workspaces share; 0 keeps nothing.",
		field: func(s *Settings) any { return &s.DependencyMB },
		min:   0, max: 1 << 16,
	},
	{
		name:   "embedder",
		doc:    "Model that turns text into vectors.",
		field:  func(s *Settings) any { return &s.Embedder },
		values: []string{"builtin"},
	},
}

// OfIndex returns the settings on which the contents of an index depend, by name, as TOML.
func (s *Settings) OfIndex() map[string]string {
	values := map[string]string{}
	for _, r := range table {
		if r.index {
			values[r.name] = fieldTOML(r.field(s))
		}
	}
	return values
}

// names returns the names of all settings, or of those that a workspace may set.
func names(shared bool) []string {
	var names []string
	for _, r := range table {
		if r.shared || !shared {
			names = append(names, r.name)
		}
	}
	return names
}

// Bounds of a list of patterns. A workspace that needs more has a .gitignore.
const (
	maxPatterns     = 1000
	maxPatternBytes = 1000
)

// allowed describes the values of a setting.
func (r row) allowed() string {
	switch r.field(new(Settings)).(type) {
	case *int:
		return fmt.Sprintf("a whole number from %d to %d", r.min, r.max)
	case *bool:
		return "true or false"
	case *[]string:
		return fmt.Sprintf("a list of at most %d patterns", maxPatterns)
	}
	switch len(r.values) {
	case 0:
		return "an absolute path, or one that starts with ~/"
	case 1:
		return quote(r.values[0])
	}
	return "one of " + join(r.values, "or")
}

// set sets the field of s to value. It returns "", or the reason why the value is wrong.
func (r row) set(s *Settings, value any) string {
	ok := false
	switch field := r.field(s).(type) {
	case *int:
		n, isInt := value.(int64)
		if ok = isInt && n >= int64(r.min) && n <= int64(r.max); ok {
			*field = int(n)
		}
	case *bool:
		var b bool
		if b, ok = value.(bool); ok {
			*field = b
		}
	case *string:
		var text string
		if text, ok = value.(string); ok {
			if text, ok = r.text(text); ok {
				*field = text
			}
		}
	case *[]string:
		var list []string
		if list, ok = patterns(value); ok {
			*field = list
		}
	}
	if ok {
		return ""
	}
	return describeValue(value) + " is not allowed; use " + r.allowed()
}

// text returns the value of the field for text, and whether text is allowed.
func (r row) text(text string) (string, bool) {
	if r.values == nil {
		if rest, ok := strings.CutPrefix(text, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", false
			}
			text = filepath.Join(home, rest)
		}
		return filepath.Clean(text), filepath.IsAbs(text) && !strings.Contains(text, "\x00")
	}
	if name, ok := r.aliases[text]; ok {
		text = name
	}
	return text, slices.Contains(r.values, text)
}

// patterns returns a list of patterns, and whether value is one.
func patterns(value any) ([]string, bool) {
	values, ok := value.([]any)
	if !ok || len(values) > maxPatterns {
		return nil, false
	}
	list := make([]string, len(values))
	for i, v := range values {
		text, ok := v.(string)
		if !ok || text == "" || len(text) > maxPatternBytes || strings.ContainsAny(text, "\x00\n") {
			return nil, false
		}
		list[i] = text
	}
	return list, true
}

// describeValue names a value in a message.
func describeValue(value any) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return "this list"
	case map[string]any, []map[string]any:
		return "a table"
	}
	return "this value"
}

// fieldTOML returns the value of a field as TOML.
func fieldTOML(field any) string {
	switch v := field.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *bool:
		return strconv.FormatBool(*v)
	case *string:
		return strconv.Quote(*v)
	case *[]string:
		quoted := make([]string, len(*v))
		for i, text := range *v {
			quoted[i] = strconv.Quote(text)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return ""
}
