package gitignore

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// gitConfig holds the settings of git that this package needs.
type gitConfig struct {
	excludesFile string
	ignoreCase   bool
	sha256       bool // objects are named by SHA-256
	perWorktree  bool // config.worktree is read too
}

// readConfig reads the settings in git's order, the weakest file first: system,
// user, repository, worktree. r may be nil. Conditional includes (includeIf) are
// not followed.
func readConfig(r *Repo) gitConfig {
	home, _ := os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	var c gitConfig
	if xdg != "" {
		c.excludesFile = filepath.Join(xdg, "git", "ignore")
	}
	if system := os.Getenv("GIT_CONFIG_SYSTEM"); system != "" {
		c.read(system, home, 0)
	} else if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		c.read("/etc/gitconfig", home, 0)
	}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		c.read(global, home, 0)
	} else {
		if xdg != "" {
			c.read(filepath.Join(xdg, "git", "config"), home, 0)
		}
		if home != "" {
			c.read(filepath.Join(home, ".gitconfig"), home, 0)
		}
	}
	if r == nil {
		return c
	}
	c.read(filepath.Join(r.Common, "config"), home, 0)
	if c.perWorktree {
		c.read(filepath.Join(r.Dir, "config.worktree"), home, 0)
	}
	if c.excludesFile != "" && !filepath.IsAbs(c.excludesFile) {
		c.excludesFile = filepath.Join(filepath.Dir(r.Common), c.excludesFile)
	}
	return c
}

// maxConfigBytes and maxIncludes bound the cost of a configuration.
const (
	maxConfigBytes = 1 << 20
	maxIncludes    = 10 // deep, as in git
)

// read adds the settings of one file; a missing file adds nothing.
//
// Source: git-config(1), "Syntax".
func (c *gitConfig) read(file, home string, depth int) {
	if depth > maxIncludes {
		return
	}
	text := readRegular(file, maxConfigBytes)
	text = bytes.ReplaceAll(text, []byte("\\\n"), nil) // continued lines
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, ok := strings.Cut(line[1:], "]")
			if !ok {
				return
			}
			section, line = strings.ToLower(strings.TrimSpace(head)), strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, assigned := strings.Cut(line, "=")
		value = configValue(strings.TrimSpace(value))
		isTrue := !assigned || configBool(value)
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.excludesfile":
			c.excludesFile = expandHome(value, home)
		case "core.ignorecase":
			c.ignoreCase = isTrue
		case "extensions.objectformat":
			c.sha256 = value == "sha256"
		case "extensions.worktreeconfig":
			c.perWorktree = isTrue
		case "include.path":
			other := expandHome(value, home)
			if !filepath.IsAbs(other) {
				other = filepath.Join(filepath.Dir(file), other)
			}
			c.read(other, home, depth+1)
		}
	}
}

// configValue drops the quotes, escapes and comment of a value.
func configValue(s string) string {
	var b strings.Builder
	quoted, blanks := false, 0 // blanks: unquoted ones at the end of b
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			quoted = !quoted
			blanks = 0
			continue
		case !quoted && (c == '#' || c == ';'):
			i = len(s)
			continue
		case c == '\\' && i+1 < len(s):
			i++
			switch c = s[i]; c {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			}
			blanks = -1
		}
		if b.WriteByte(c); !quoted && (c == ' ' || c == '\t') && blanks >= 0 {
			blanks++
		} else {
			blanks = 0
		}
	}
	return b.String()[:b.Len()-blanks]
}

func configBool(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

func expandHome(p, home string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return p
}
