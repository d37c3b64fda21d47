package deps

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/lazy"
	"ambit/indexer/redact"
	"ambit/vectors/record"
)

// java is the ecosystem of Java and Kotlin.
type java struct {
	place

	mu       sync.Mutex // guards all fields below
	ready    bool
	repos    []jvRepository
	jdk      jdk
	std      *jvClasses // nil without sources of the JDK
	projects map[string]*jvProject
	poms     map[jvCoordinate]*jvPom // of the repositories
	archives map[string]*archive     // by path; nil for one that cannot be read
}

// jvProject is the artifacts that a build file leads to.
type jvProject struct {
	dir       string // relative to the workspace
	gradle    bool
	direct    []jvNeed
	artifacts []*jvArtifact
	packages  map[string][]*jvArtifact // by the directory of the package
	refused   []Refused
	files     []stamp
}

// jvArtifact is an artifact of the build.
type jvArtifact struct {
	jvCoordinate
	dir     string   // absolute path in a repository, "" when it is in none
	sources *archive // nil when there are none
}

func (a *jvArtifact) label() string { return a.artifact + "@" + a.version }

// jvView is the directory in which package graph knows the files of artifacts and of the JDK.
const jvView = "maven/"

// sourcesEnding is the end of the name of an archive with sources.
const sourcesEnding = "-sources.jar"

// jvExtensions are those of the files with sources.
var jvExtensions = []string{".java", ".kt"}

func (j *java) serves(ext string) bool { return slices.Contains(jvExtensions, ext) }

// find returns the files of classes. Each stands in a file of its name: the module is a package
// whose classes are among the names, or a class, or one inside of a class.
func (j *java) find(ctx context.Context, file, _ record.Path, module string, names []string) Found {
	if !jvModule().MatchString(module) {
		return Found{}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	p := j.project(file)
	var out Found
	for _, class := range jvClassesOf(module, names) {
		if ctx.Err() != nil || len(out.Files) >= maxFiles {
			break
		}
		if f := j.class(p, class); f != nil && !slices.Contains(out.Files, f) {
			out.Files = append(out.Files, f)
		}
	}
	return out
}

var (
	jvModule = lazy.Regexp(`^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$`)
	jvName   = lazy.Regexp(`^[A-Z_$][\w$]*$`)
)

// jvClassesOf returns the paths of the classes that a module and names can mean, "java/util/List".
func jvClassesOf(module string, names []string) []string {
	dir := strings.ReplaceAll(module, ".", "/")
	var out []string
	for _, name := range names {
		if jvName().MatchString(name) {
			out = append(out, dir+"/"+name)
		}
	}
	for ; dir != "."; dir = path.Dir(dir) {
		if jvName().MatchString(path.Base(dir)) {
			out = append(out, dir)
		}
	}
	return out
}

// class returns the file of a class: of an artifact, else of the JDK.
func (j *java) class(p *jvProject, class string) *File {
	for _, a := range p.packages[path.Dir(class)] {
		for _, ext := range jvExtensions {
			if a.sources.entries[class+ext] != nil {
				return j.cache.entryFile(a.sources, a.sources.sourceOf(class+ext, jvView+path.Dir(class), a.label(), false), class+ext)
			}
		}
	}
	if j.std == nil {
		return nil
	}
	if entry, ok := j.std.entries[class]; ok {
		return j.cache.entryFile(j.std.archive, j.std.archive.sourceOf(entry, jvView+path.Dir(class), j.jdkLabel(), true), entry)
	}
	return nil
}

func (j *java) jdkLabel() string {
	if j.jdk.version == "" {
		return "java"
	}
	return "java@" + j.jdk.version
}

// jvClasses is the classes of the sources of a JDK.
type jvClasses struct {
	archive *archive
	entries map[string]string // by the path of the class
}

// jdkClasses reads the sources of a JDK. Since version 9 each module has a directory in them.
func jdkClasses(a *archive) *jvClasses {
	c := &jvClasses{a, make(map[string]string, len(a.entries))}
	for entry := range a.entries {
		c.entries[jdkClass(entry)] = entry
	}
	return c
}

// jdkClass returns the path of the class of an entry.
func jdkClass(entry string) string {
	class := strings.TrimSuffix(entry, ".java")
	if module, rest, _ := strings.Cut(class, "/"); strings.Contains(module, ".") {
		class = rest
	}
	return class
}

// isJavaSource reports whether an entry of an archive is a file with sources.
func isJavaSource(entry string) bool { return slices.Contains(jvExtensions, path.Ext(entry)) }

// prepare finds the places of the user. The caller holds the mutex.
func (j *java) prepare() {
	if j.ready {
		return
	}
	j.ready, j.repos, j.jdk, j.projects = true, jvRepositories(j.getenv), jdkOf(j.getenv), map[string]*jvProject{}
	j.poms, j.archives = map[jvCoordinate]*jvPom{}, map[string]*archive{}
	if j.jdk.archive == "" {
		return
	}
	if a, err := openArchive(filepath.Dir(j.jdk.archive), filepath.Base(j.jdk.archive), isJavaSource); err == nil {
		j.std = jdkClasses(a)
	}
}

// project returns what the build file above a file leads to. The caller holds the mutex.
func (j *java) project(file record.Path) *jvProject {
	j.prepare()
	dir := path.Dir(string(file))
	for dir != "." && dir != "/" && !j.hasBuild(dir) {
		dir = path.Dir(dir)
	}
	if p := j.projects[dir]; p != nil && p.isCurrent() {
		return p
	}
	p := &jvProject{dir: dir, packages: map[string][]*jvArtifact{}}
	root, err := os.OpenRoot(j.root)
	if err != nil {
		return p
	}
	defer func() { _ = root.Close() }() // nothing is written
	j.load(p, root)
	j.projects[dir] = p
	return p
}

// jvBuilds are the files that make a directory that of a project.
var jvBuilds = []string{"pom.xml", "build.gradle", "build.gradle.kts"}

func (j *java) hasBuild(dir string) bool {
	return slices.ContainsFunc(jvBuilds, func(name string) bool {
		return !stampOf(filepath.Join(j.root, filepath.FromSlash(dir), name)).modTime.IsZero()
	})
}

func (p *jvProject) isCurrent() bool {
	return areCurrent(p.files)
}

// load finds the artifacts of a project and their sources.
func (j *java) load(p *jvProject, root *os.Root) {
	w := &jvWalk{java: j, project: p, root: root, managed: map[string]jvNeed{}, at: map[string]*jvArtifact{}, projects: map[string]bool{}}
	w.build()
	for _, a := range p.artifacts {
		if j.bring(a); a.sources == nil {
			continue
		}
		seen := map[string]bool{}
		for entry := range a.sources.entries {
			if dir := path.Dir(entry); !seen[dir] {
				seen[dir] = true
				p.packages[dir] = append(p.packages[dir], a)
			}
		}
	}
	for _, n := range p.direct { // so that sources which come later are noticed
		if a := w.at[n.key()]; a != nil && a.dir != "" && a.sources == nil {
			p.files = append(p.files, stampOf(a.dir))
		}
	}
}

// bring finds an artifact and its sources in the repositories. Its sources and its classes can
// be in different ones.
func (j *java) bring(a *jvArtifact) {
	for _, r := range j.repos {
		for _, ending := range []string{sourcesEnding, ".jar", ".pom"} {
			name, ok := r.file(a.jvCoordinate, ending)
			if !ok {
				continue
			}
			if a.dir == "" {
				a.dir = filepath.Join(r.base, filepath.FromSlash(r.dir(a.jvCoordinate)))
			}
			if ending == sourcesEnding {
				if a.sources = j.open(r.base, name); a.sources != nil {
					return
				}
			}
		}
	}
}

// open returns an archive of a repository, nil when it cannot be read.
func (j *java) open(base, name string) *archive {
	at := filepath.Join(base, filepath.FromSlash(name))
	if a := j.archives[at]; a != nil {
		if s := stampOf(at); s.size == a.info.Size() && s.modTime.Equal(a.info.ModTime()) {
			return a
		}
	}
	a, err := openArchive(base, name, isJavaSource)
	if err != nil {
		a = nil
	}
	j.archives[at] = a
	return a
}

// text returns the text of an entry of an archive of sources in a repository or of the JDK.
func (j *java) text(at, entry string) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.prepare()
	var a *archive
	if j.std != nil && at == filepath.ToSlash(j.jdk.archive) {
		a = j.std.archive
	}
	for _, r := range j.repos {
		rel, err := filepath.Rel(r.base, filepath.FromSlash(at))
		if err == nil && filepath.IsLocal(rel) && strings.HasSuffix(rel, sourcesEnding) && a == nil {
			a = j.open(r.base, filepath.ToSlash(rel))
		}
	}
	if a == nil {
		return nil, errors.New("it is in no archive of sources of a repository of the user or of the JDK")
	}
	text, err := a.read(entry)
	if err != nil {
		return nil, err
	}
	text, _ = redact.Mask(path.Base(entry), text)
	return text, nil
}
