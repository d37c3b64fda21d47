package deps

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ambit/indexer/lazy"
)

// pyEnv is an environment of Python: the directories in which it looks for modules. It does not
// change.
type pyEnv struct {
	dir     string   // as reports name it
	version string   // "3.11", "" when unknown
	std     string   // absolute path of the standard library, "" when it is missing
	sites   []pySite // in the order of sys.path
	refused []Refused
	files   []stamp // of the environment, by absolute paths
}

// pySite is a directory from which modules are imported.
type pySite struct {
	base, dir string // as in source
	only      string // the one package that may be imported from it, "" for all
	dist      *pyDist
	dists     *pyDists // nil for a directory of a project
}

func (s *pySite) absolute() string { return filepath.Join(s.base, filepath.FromSlash(s.dir)) }

// interpreter is an installed Python.
type interpreter struct {
	prefix  string // "" for none
	version string // "3.11"
	std     string // absolute path of the standard library
}

var pyLibrary = lazy.Regexp(`^python(3\.\d+)t?$`)

// pyPrograms are the names of the interpreter, the likeliest first.
func pyPrograms(version string) []string {
	names := []string{"python3", "python"}
	if version != "" {
		names = slices.Insert(names, 0, "python"+version)
	}
	if runtime.GOOS == "windows" {
		for i := range names {
			names[i] += ".exe"
		}
	}
	return names
}

// interpreterOnPath returns the interpreter of the python3 on PATH. It is not executed: where it
// is installed tells where its library is.
func interpreterOnPath(getenv func(string) string) interpreter {
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, name := range pyPrograms("") {
			real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			if filepath.Base(dir) == "shims" {
				real = pyenvProgram(getenv, filepath.Dir(dir))
			}
			if in := interpreterOf(real); in.prefix != "" {
				return in
			}
		}
	}
	return interpreter{}
}

var plainName = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// pyenvProgram returns the interpreter that a script of pyenv starts: a version of the user.
func pyenvProgram(getenv func(string) string, root string) string {
	version := cmp.Or(getenv("PYENV_VERSION"), strings.TrimSpace(smallFile(filepath.Join(root, "version"))))
	version, _, _ = strings.Cut(version, ":")
	version, _, _ = strings.Cut(version, "\n")
	if !plainName().MatchString(version) {
		return ""
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root, "versions", version, "bin", "python3"))
	if err != nil {
		return ""
	}
	return real
}

// interpreterOf returns the interpreter with a program, whose path has no links.
func interpreterOf(program string) interpreter {
	dir := filepath.Dir(program)
	if !filepath.IsAbs(program) {
		return interpreter{}
	}
	if std := filepath.Join(dir, "Lib"); isPyLibrary(std) { // Windows
		return interpreter{prefix: dir, std: std}
	}
	version := ""
	if m := pyLibrary().FindStringSubmatch(filepath.Base(program)); m != nil {
		version = m[1]
	}
	return interpreterAt(filepath.Dir(dir), version)
}

// interpreterAt returns the interpreter that is installed below a prefix, of a version unless that
// is "".
func interpreterAt(prefix, version string) interpreter {
	names := []string{"python" + version}
	if version == "" {
		names = pyLibraries(filepath.Join(prefix, "lib"))
	}
	for _, name := range names {
		if std := filepath.Join(prefix, "lib", name); isPyLibrary(std) {
			return interpreter{prefix: prefix, version: pyLibrary().FindStringSubmatch(name)[1], std: std}
		}
	}
	return interpreter{}
}

// pyLibraries returns the directories python3.N of a directory, the newest first.
func pyLibraries(lib string) []string {
	root, err := os.OpenRoot(lib)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // it is only read
	return pyLibrariesIn(root, ".")
}

func pyLibrariesIn(root *os.Root, dir string) []string {
	var names []string
	for _, name := range namesIn(root, dir) {
		if pyLibrary().MatchString(name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(b, a)) })
	return names
}

// isPyLibrary reports whether a directory is the standard library of Python. The python command
// knows it by os.py. No other directory can be reached by a pyvenv.cfg.
func isPyLibrary(dir string) bool {
	for _, name := range []string{"os.py", "site.py", "encodings/__init__.py"} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// sites returns the directories of the packages that were installed for an interpreter: its own,
// those of Debian, and those of the user.
func (in interpreter) sites(home string) []string {
	if in.prefix == "" {
		return nil
	}
	python := "python" + in.version
	all := []string{filepath.Join(in.std, "site-packages"), filepath.Join(in.prefix, "local", "lib", python, "dist-packages"),
		filepath.Join(in.prefix, "lib", "python3", "dist-packages")}
	if home != "" {
		all = slices.Insert(all, 0, filepath.Join(home, ".local", "lib", python, "site-packages"))
	}
	return all
}

// pyConfig is a pyvenv.cfg: what a virtual environment is made of.
type pyConfig struct {
	home    string // the directory of the program of its interpreter
	version string // "3.11"
	system  bool   // the packages of the interpreter count
}

var pyVersion = lazy.Regexp(`^3\.\d+`)

func parsePyConfig(text string) pyConfig {
	var c pyConfig
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "home":
			c.home = value
		case "version", "version_info":
			c.version = pyVersion().FindString(value)
		case "include-system-site-packages":
			c.system = strings.EqualFold(value, "true")
		}
	}
	return c
}

// interpreter returns the interpreter of a virtual environment.
func (c pyConfig) interpreter() interpreter {
	if !filepath.IsAbs(c.home) {
		return interpreter{}
	}
	for _, name := range pyPrograms(c.version) {
		if real, err := filepath.EvalSymlinks(filepath.Join(c.home, name)); err == nil {
			if in := interpreterOf(real); in.prefix != "" && (c.version == "" || in.version == "" || in.version == c.version) {
				return in
			}
		}
	}
	return interpreterAt(filepath.Dir(c.home), c.version)
}

// sitePackages returns the directories site-packages of an environment at dir below an open root.
func sitePackages(root *os.Root, dir string) []string {
	all := []string{path.Join(dir, "Lib", "site-packages")}
	for _, name := range pyLibrariesIn(root, path.Join(dir, "lib")) {
		all = append(all, path.Join(dir, "lib", name, "site-packages"))
	}
	return slices.DeleteFunc(all, func(name string) bool {
		info, err := root.Stat(filepath.FromSlash(name))
		return err != nil || !info.IsDir()
	})
}

// namesIn returns the names in a directory, at most maxDirFiles.
func namesIn(root *os.Root, dir string) []string {
	d, err := root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()        // it is only read
	names, _ := d.Readdirnames(maxDirFiles) // what was read is used
	slices.Sort(names)
	return names
}
