package deps

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/indexer/project"
)

// pyDist is an installed distribution.
type pyDist struct {
	name, version string
	info          string // the directory with what is known of it, relative to its site
}

func (d *pyDist) label() string { return d.name + "@" + d.version }

// pyDists are the distributions of a directory site-packages.
type pyDists struct {
	all []*pyDist
	of  map[string][]*pyDist // by the first part of a module that they have
}

// pyInfo are the directories that say what is installed: of wheels, and of older tools.
var pyInfo = lazy.Regexp(`^(.+?)-([^-]+?)(-py[\d.]+)?\.(dist|egg)-info$`)

// readDists reads which distributions are installed in the directory of an open root.
func readDists(root *os.Root, names []string) *pyDists {
	d := &pyDists{of: map[string][]*pyDist{}}
	for _, name := range names {
		m := pyInfo().FindStringSubmatch(name)
		if m == nil {
			continue
		}
		dist := &pyDist{name: m[1], version: m[2], info: name}
		for _, meta := range []string{"METADATA", "PKG-INFO"} {
			if text, _, err := readFile(root, filepath.Join(name, meta)); err == nil {
				dist.name = cmp.Or(pyMeta(string(text), "Name"), dist.name)
				dist.version = cmp.Or(pyMeta(string(text), "Version"), dist.version)
				break
			}
		}
		d.all = append(d.all, dist)
		for _, top := range topLevel(root, dist) {
			d.of[top] = append(d.of[top], dist)
		}
	}
	return d
}

// pyMeta returns a field in the header of a METADATA, when it can stand in a path.
func pyMeta(text, field string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			if value = strings.TrimSpace(value); distName().MatchString(value) {
				return value
			}
			break
		}
	}
	return ""
}

var distName = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._+!-]*$`)

// topLevel returns the first parts of the modules of a distribution.
func topLevel(root *os.Root, d *pyDist) []string {
	if text, _, err := readFile(root, filepath.Join(d.info, "top_level.txt")); err == nil {
		return strings.Fields(string(text))
	}
	var tops []string
	text, _, _ := readFile(root, filepath.Join(d.info, "RECORD")) // nothing for one that is missing
	last := ""
	for line := range strings.Lines(string(text)) {
		file, _, _ := strings.Cut(line, ",")
		top, _, _ := strings.Cut(file, "/")
		if top == last || top == d.info || top == ".." || top == "__pycache__" {
			continue
		}
		last = top
		top, _, _ = strings.Cut(top, ".")
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	return tops
}

// owner returns the distribution of a file, nil when unknown. Several can have modules below one
// name; their lists of files then tell.
func (s *pySite) owner(file string) *pyDist {
	if s.dists == nil {
		return s.dist
	}
	top, _, _ := strings.Cut(file, "/")
	list := s.dists.of[strings.TrimSuffix(strings.TrimSuffix(top, path.Ext(top)), "-stubs")]
	if own := s.dists.of[top]; len(own) > 0 {
		list = own
	}
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		root, err := open(s.base, s.dir)
		if err != nil {
			return list[0]
		}
		defer func() { _ = root.Close() }() // it is only read
		for _, d := range list {
			if text, _, err := readFile(root, filepath.Join(d.info, "RECORD")); err == nil && strings.Contains("\n"+string(text), "\n"+file+",") {
				return d
			}
		}
	}
	return list[0]
}

// normalized returns the name of a distribution as all spellings of it have it.
func normalized(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
}

const (
	// maxPaths bounds the files that add directories to one site.
	maxPaths = 200
	// maxPathLines bounds the lines of such a file: one that a tool wrote has few.
	maxPathLines = 50
)

var (
	editableFinder = lazy.Regexp(`^import (__editable___\w+_finder)\b`)
	editableMap    = lazy.Regexp(`(?m)^MAPPING[^=\n]*=\s*\{(.*)\}`)
	editablePair   = lazy.Regexp(`'([\w.]+)':\s*'([^']*)'`)
)

// linkedSites returns the directories that the .pth files of a site add, and those that are
// refused. A directory of the workspace adds nothing: its files are in the index.
func (s *pySite) linkedSites(workspace string, root *os.Root, names []string) (sites []pySite, refused []Refused) {
	n := 0
	add := func(file, dir, only string) {
		if n++; n > maxPaths {
			return
		}
		dir = unescaped(dir)
		if !filepath.IsAbs(dir) {
			if rel := path.Join(s.dir, filepath.ToSlash(dir)); filepath.IsLocal(dir) && isDir(source{base: s.base, dir: rel}) {
				sites = append(sites, pySite{base: s.base, dir: rel, dists: s.dists})
			}
			return
		}
		if isBelow(workspace, dir) || !isFolder(dir) {
			return
		}
		dist, base, err := s.checkEditable(workspace, root, dir)
		if err != nil {
			refused = append(refused, Refused{file + ": " + dir, err.Error()})
			return
		}
		sites = append(sites, pySite{base: base, dir: ".", only: only, dist: dist})
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".pth") {
			continue
		}
		text, _, err := readFile(root, name)
		if err != nil {
			continue
		}
		for i, line := range strings.SplitN(string(text), "\n", maxPathLines+1) {
			line = strings.TrimSpace(line)
			if m := editableFinder().FindStringSubmatch(line); m != nil {
				for _, pair := range mapping(root, m[1]+".py") {
					if filepath.Base(pair[1]) == pair[0] {
						add(name, filepath.Dir(pair[1]), pair[0])
					}
				}
			} else if line != "" && i < maxPathLines && line[0] != '#' && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "import\t") {
				add(name, line, "")
			}
		}
	}
	return sites, refused
}

// mapping returns the packages and their directories in a module that setuptools wrote.
func mapping(root *os.Root, name string) (pairs [][2]string) {
	text, _, err := readFile(root, name)
	if err != nil {
		return nil
	}
	if m := editableMap().FindSubmatch(text); m != nil {
		for _, p := range editablePair().FindAllSubmatch(m[1], maxPaths) {
			pairs = append(pairs, [2]string{string(p[1]), string(p[2])})
		}
	}
	return pairs
}

// unescaped returns a path as it is in the text of a program: with single backslashes.
func unescaped(dir string) string { return strings.ReplaceAll(dir, `\\`, `\`) }

// checkEditable returns the distribution whose sources are below a directory outside of the
// workspace, and the real path of the directory, or why it is not read. The distribution must be
// installed from there, as its direct_url.json says, and the project there must have its name: no
// other code can be reached by a .pth file. A hidden directory is refused, unless the workspace
// lies in it.
func (s *pySite) checkEditable(workspace string, root *os.Root, dir string) (*pyDist, string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, "", errors.New("there is no such directory")
	}
	for _, d := range s.dists.all {
		at := editableAt(root, d)
		if at == "" || !isBelow(at, real) {
			continue
		}
		if hidden := hiddenPart(workspace, real); hidden != "" {
			return nil, "", fmt.Errorf("%s is a hidden directory", hidden)
		}
		if !declaresDist(at, d.name) {
			return nil, "", fmt.Errorf("it has no manifest of %s", d.name)
		}
		return d, real, nil
	}
	return nil, "", errors.New("no distribution is installed from it")
}

// editableAt returns the real path of the project that an editable distribution was installed
// from, "" for another distribution.
func editableAt(root *os.Root, d *pyDist) string {
	text, _, err := readFile(root, filepath.Join(d.info, "direct_url.json"))
	if err != nil {
		return ""
	}
	var direct struct {
		URL     string
		DirInfo struct{ Editable bool } `json:"dir_info"`
	}
	if json.Unmarshal(text, &direct) != nil || !direct.DirInfo.Editable {
		return ""
	}
	u, err := url.Parse(direct.URL)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(filepath.FromSlash(u.Path))
	if err != nil {
		return ""
	}
	return real
}

// declaresDist reports whether a manifest in a directory is of a distribution.
func declaresDist(dir, name string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }() // it is only read
	for _, file := range []string{"pyproject.toml", "setup.cfg", "setup.py"} {
		if text, _, err := readFile(root, file); err == nil {
			if m := project.Read(file, text); normalized(m.Name) == normalized(name) {
				return true
			}
		}
	}
	return false
}

// isBelow reports whether a path is a directory or below it, when links are followed.
func isBelow(dir, name string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
