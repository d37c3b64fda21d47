package deps

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ambit/indexer/lazy"
	"ambit/indexer/project"
)

// gem is a gem whose directory is known.
type gem struct {
	name, version string
	base, dir     string   // as in source
	needs         []string // the gems that it names in the lock file
	std           bool     // it is the standard library
	flat          bool     // its files are among those of other gems, as Debian puts some
}

func (g *gem) label() string {
	if g.version == "" {
		return g.name
	}
	return g.name + "@" + g.version
}

// gemHome is a directory with gems, as GEM_HOME names one.
type gemHome struct {
	base, dir string
	vendor    string // of Debian: the directory with vendor_ruby, which has the files of gems that only have a specification
}

// vendored returns a gem whose files are in vendor_ruby.
func (h gemHome) vendored(name, version string) (gem, bool) {
	if h.vendor == "" {
		return gem{}, false
	}
	for _, file := range []string{filepath.Join(h.base, "specifications", name+"-"+version+".gemspec"), filepath.Join(h.vendor, "vendor_ruby", name+".rb")} {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			return gem{}, false
		}
	}
	return gem{name: name, version: version, base: h.vendor, dir: "vendor_ruby", flat: true}, true
}

func (h gemHome) at(parts ...string) source {
	return source{base: h.base, dir: path.Join(append([]string{h.dir}, parts...)...)}
}

// gemLock is what a Gemfile.lock says.
type gemLock struct {
	gems   []lockedGem
	direct []string
}

// lockedGem is a gem of a lock file.
type lockedGem struct {
	name, version string
	section       string // "GEM", "GIT" or "PATH"
	remote        string
	revision      string
	needs         []string
}

var (
	lockSpec = lazy.Regexp(`^    ([A-Za-z0-9][A-Za-z0-9._-]*) \(([0-9][A-Za-z0-9.+_-]*)\)$`)
	lockNeed = lazy.Regexp(`^      ([A-Za-z0-9][A-Za-z0-9._-]*)\b`)
	lockName = lazy.Regexp(`^  ([A-Za-z0-9][A-Za-z0-9._-]*)`)
	lockRev  = lazy.Regexp(`^[0-9a-f]{12,64}$`)
)

// parseGemLock reads a lock file of bundler. What is no name or version is left out.
func parseGemLock(text string) gemLock {
	var l gemLock
	section, remote, revision := "", "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case line != "" && line[0] != ' ':
			section, remote, revision = line, "", ""
		case section == "DEPENDENCIES":
			if m := lockName().FindStringSubmatch(line); m != nil {
				l.direct = append(l.direct, m[1])
			}
		case key == "remote":
			remote = value
		case key == "revision" && lockRev().MatchString(value):
			revision = value
		case section == "GEM" || section == "GIT" || section == "PATH":
			if m := lockSpec().FindStringSubmatch(line); m != nil {
				l.gems = append(l.gems, lockedGem{name: m[1], version: m[2], section: section, remote: remote, revision: revision})
			} else if m := lockNeed().FindStringSubmatch(line); m != nil && len(l.gems) > 0 {
				last := &l.gems[len(l.gems)-1]
				last.needs = append(last.needs, m[1])
			}
		}
	}
	return l
}

// locate returns the directory of a locked gem: in the first home that has it, or where its lock
// file says for one of a path.
func (l *lockedGem) locate(homes []gemHome) (gem, bool) {
	g := gem{name: l.name, version: l.version, needs: l.needs}
	for _, h := range homes {
		s := h.at("gems", l.name+"-"+l.version)
		if l.section == "GIT" {
			repository := strings.TrimSuffix(path.Base(strings.TrimSuffix(l.remote, "/")), ".git")
			if l.revision == "" || !plainName().MatchString(repository) {
				return gem{}, false
			}
			s = h.at("bundler", "gems", repository+"-"+l.revision[:12])
		}
		if isDir(s) {
			g.base, g.dir = s.base, s.dir
			return g, true
		}
		if v, ok := h.vendored(l.name, l.version); ok && l.section == "GEM" {
			v.needs = l.needs
			return v, true
		}
	}
	return gem{}, false
}

// checkPathGem returns the real path of the directory of a gem outside of the workspace, or why it
// is not read. It must have the specification of the gem: no other code can be reached by a lock
// file. A hidden directory is refused, unless the workspace lies in it.
func checkPathGem(workspace, name, dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", errors.New("there is no such directory")
	}
	if hidden := hiddenPart(workspace, real); hidden != "" {
		return "", fmt.Errorf("%s is a hidden directory", hidden)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return "", errors.New("it cannot be opened")
	}
	defer func() { _ = root.Close() }() // it is only read
	if info, err := root.Lstat(name + ".gemspec"); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("it has no %s.gemspec", name)
	}
	text, _, err := readFile(root, name+".gemspec")
	if err != nil {
		return "", fmt.Errorf("it has no %s.gemspec", name)
	}
	if declared := project.Read(name+".gemspec", text).Name; declared != name {
		return "", fmt.Errorf("its %s.gemspec declares the gem %q", name, declared)
	}
	return real, nil
}

// latestGems returns the newest version of each gem in the homes, for a workspace without a lock
// file.
func latestGems(homes []gemHome) []gem {
	newest := map[string]gem{}
	add := func(g gem) {
		if old, ok := newest[g.name]; !ok || newer(g.version, old.version) {
			newest[g.name] = g
		}
	}
	for _, h := range homes {
		s := h.at("gems")
		for _, m := range h.versions("gems") {
			add(gem{name: m[1], version: m[2], base: s.base, dir: path.Join(s.dir, m[0])})
		}
		if h.vendor == "" {
			continue
		}
		for _, m := range h.versions("specifications") {
			if g, ok := h.vendored(m[1], m[2]); ok {
				add(g)
			}
		}
	}
	gems := make([]gem, 0, len(newest))
	for _, g := range newest {
		gems = append(gems, g)
	}
	slices.SortFunc(gems, func(a, b gem) int { return strings.Compare(a.name, b.name) })
	return gems
}

// versions returns the names in a directory of a home with the name and the version of the gem.
func (h gemHome) versions(dir string) (all [][]string) {
	s := h.at(dir)
	root, err := open(s.base, s.dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // it is only read
	for _, name := range namesIn(root, ".") {
		if m := gemDir().FindStringSubmatch(strings.TrimSuffix(name, ".gemspec")); m != nil {
			all = append(all, m)
		}
	}
	return all
}

var gemDir = lazy.Regexp(`^([A-Za-z0-9][A-Za-z0-9._-]*?)-([0-9][A-Za-z0-9.]*)(-[a-z0-9_-]+)?$`)

// newer reports whether a version comes after another one.
func newer(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		n, errN := strconv.Atoi(x[i])
		m, errM := strconv.Atoi(y[i])
		c := cmp.Compare(n, m)
		if errN != nil || errM != nil {
			c = strings.Compare(x[i], y[i])
		}
		if c != 0 {
			return c > 0
		}
	}
	return len(x) > len(y)
}

// rubyAt is an installed Ruby.
type rubyAt struct {
	prefix  string
	version string // "3.3.0", the version of its libraries
}

var rubyLibrary = lazy.Regexp(`^\d+\.\d+\.\d+$`)

// rubyOnPath returns the Ruby of the program on PATH. It is not executed: where it is installed
// tells where its libraries are.
func rubyOnPath(getenv func(string) string) rubyAt {
	program := "ruby"
	if filepath.Separator == '\\' {
		program = "ruby.exe"
	}
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, program))
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		prefix := filepath.Dir(filepath.Dir(real))
		if filepath.Base(dir) == "shims" { // of rbenv
			version := cmp.Or(getenv("RBENV_VERSION"), strings.TrimSpace(smallFile(filepath.Join(filepath.Dir(dir), "version"))))
			if !plainName().MatchString(version) {
				continue
			}
			prefix = filepath.Join(filepath.Dir(dir), "versions", version)
		}
		root, err := os.OpenRoot(filepath.Join(prefix, "lib", "ruby"))
		if err != nil {
			continue
		}
		names := slices.DeleteFunc(namesIn(root, "."), func(n string) bool { return !rubyLibrary().MatchString(n) })
		_ = root.Close() // it was only read
		if len(names) > 0 {
			return rubyAt{prefix, slices.MaxFunc(names, func(a, b string) int {
				if newer(a, b) {
					return 1
				}
				return -1
			})}
		}
	}
	return rubyAt{}
}

// std returns the standard library as a gem, whose files are in lib.
func (r rubyAt) std() (gem, bool) {
	if r.prefix == "" {
		return gem{}, false
	}
	dir := filepath.Join(r.prefix, "lib", "ruby", r.version)
	if info, err := os.Stat(filepath.Join(dir, "set.rb")); err != nil || !info.Mode().IsRegular() {
		return gem{}, false
	}
	return gem{name: "ruby", version: strings.TrimSuffix(r.version, ".0"), base: dir, dir: ".", std: true}, true
}

// homes returns the directories with gems of the user: those of the variables, of the user's
// home, of the installed Ruby and of Debian.
func (r rubyAt) homes(getenv func(string) string) []gemHome {
	dirs := append([]string{getenv("GEM_HOME")}, filepath.SplitList(getenv("GEM_PATH"))...)
	if r.prefix != "" {
		if home := homeOf(getenv); home != "" {
			dirs = append(dirs, filepath.Join(home, ".gem", "ruby", r.version), filepath.Join(home, ".local", "share", "gem", "ruby", r.version))
		}
		dirs = append(dirs, filepath.Join(r.prefix, "lib", "ruby", "gems", r.version), filepath.Join(r.prefix, "share", debianGems, "all"),
			filepath.Join(r.prefix, "share", debianGems, r.version))
		if r.prefix == "/usr" {
			dirs = append(dirs, filepath.Join("/var/lib/gems", r.version))
		}
	}
	var homes []gemHome
	for _, dir := range dirs {
		h := gemHome{base: dir, dir: "."}
		if filepath.Base(filepath.Dir(dir)) == debianGems {
			h.vendor = filepath.Join(r.prefix, "lib", "ruby")
		}
		if filepath.IsAbs(dir) && isFolder(dir) && !slices.Contains(homes, h) {
			homes = append(homes, h)
		}
	}
	return homes
}

// debianGems is the directory in which Debian puts gems, and the specifications of others.
const debianGems = "rubygems-integration"

var gemfileName = lazy.Regexp(`(?m)^[ \t]*gem[ \t(]+["']([A-Za-z0-9][A-Za-z0-9._-]*)["']`)

// gemfileNames returns the gems that a Gemfile names.
func gemfileNames(text []byte) (names []string) {
	for _, m := range gemfileName().FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}
