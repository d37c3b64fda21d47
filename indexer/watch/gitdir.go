package watch

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// repo is one git repository that governs files below the root.
type repo struct {
	top    string // of the working tree
	dir    string // .git, or the worktree's own directory in it
	common string // the .git that worktrees share
	config gitConfig
	names  func() *trackedNames
}

// openRepo returns the repository whose working tree starts at top, or nil when
// there is none. It calls found, unless nil, with it before it reads what the
// repository says of files, and also with what git is only about to make.
func openRepo(top string, found func(*repo)) *repo {
	dir := filepath.Join(top, ".git")
	fi, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	if !fi.IsDir() {
		text, err := os.ReadFile(dir)
		target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
		if err != nil || !ok {
			return nil
		}
		if dir = strings.TrimSpace(target); !filepath.IsAbs(dir) {
			dir = filepath.Join(top, dir)
		}
	}
	r := &repo{top: top, dir: dir, common: dir}
	if text, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		if r.common = strings.TrimSpace(string(text)); !filepath.IsAbs(r.common) {
			r.common = filepath.Join(dir, r.common)
		}
	}
	r.names = sync.OnceValue(func() *trackedNames { return readIndex(dir, r.config.sha256) })
	if found != nil {
		found(r)
	}
	if !exists(filepath.Join(dir, "HEAD")) || !exists(filepath.Join(r.common, "objects")) {
		return nil
	}
	r.config = readConfig(r)
	return r
}

// findRepo returns the repository that root lies in, or nil. It calls found as
// [openRepo] does.
func findRepo(root string, found func(*repo)) *repo {
	for top := root; ; {
		if r := openRepo(top, found); r != nil {
			return r
		}
		parent := filepath.Dir(top)
		if parent == top {
			return nil
		}
		top = parent
	}
}

// tracks reports whether git has the file in its index; p is counted from the
// repository's top.
func (r *repo) tracks(p string) bool { return r != nil && r.names().has(p) }

// tracksBelow reports whether git has files below dir, which ends in "/", or dir
// itself as a submodule.
func (r *repo) tracksBelow(dir string) bool {
	return r != nil && (r.names().hasBelow(dir) || r.names().has(strings.TrimSuffix(dir, "/")))
}

// everywhere returns the rules that hold in the whole repository: info/exclude in
// front of the user's own file. r may be nil; then only the latter is left.
func (r *repo) everywhere() *chain {
	if r == nil {
		return (*chain)(nil).push(readIgnore(readConfig(nil).excludesFile, false, ruleList{}))
	}
	list := ruleList{fold: r.config.ignoreCase}
	return (*chain)(nil).push(readIgnore(r.config.excludesFile, false, list)).
		push(readIgnore(filepath.Join(r.common, "info", "exclude"), false, list))
}

// gitConfig is what matters here of git's settings.
type gitConfig struct {
	excludesFile string
	ignoreCase   bool
	sha256       bool // objects are named by SHA-256
	perWorktree  bool // config.worktree is read too
}

// readConfig reads the settings as git would, the weakest file first: system,
// user, repository, worktree. r may be nil. Conditional includes (includeIf) are
// not followed.
func readConfig(r *repo) gitConfig {
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
	c.read(filepath.Join(r.common, "config"), home, 0)
	if c.perWorktree {
		c.read(filepath.Join(r.dir, "config.worktree"), home, 0)
	}
	if c.excludesFile != "" && !filepath.IsAbs(c.excludesFile) {
		c.excludesFile = filepath.Join(filepath.Dir(r.common), c.excludesFile)
	}
	return c
}

// maxConfigBytes and maxIncludes bound what a configuration may cost.
const (
	maxConfigBytes = 1 << 20
	maxIncludes    = 10 // deep, as in git
)

// read adds the settings of one file; a file that is not there adds nothing.
//
// Source: git-config(1), "Syntax".
func (c *gitConfig) read(file, home string, depth int) {
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxConfigBytes || depth > maxIncludes {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
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

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}
