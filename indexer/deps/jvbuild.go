package deps

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxArtifacts bounds the artifacts of a build: a large application has some 400.
	maxArtifacts = 1000
	// maxPomChain bounds the poms above a pom.
	maxPomChain = 16
	// maxModules bounds the modules of a build whose poms are read.
	maxModules = 300
)

// jvWalk finds the artifacts of a build.
type jvWalk struct {
	*java
	project  *jvProject
	root     *os.Root
	managed  map[string]jvNeed      // versions that the build sets, by group and artifact
	at       map[string]*jvArtifact // that were found, by group and artifact
	projects map[string]bool        // directories of projects that were read
	modules  map[string]string      // directories of the workspace's own artifacts; nil until they are needed
}

// build reads the build files of a project and follows what they need, the nearest first.
func (w *jvWalk) build() {
	p := w.project
	var queue []jvNeed
	if pom := w.ownPom(path.Join(p.dir, "pom.xml"), 0); pom != nil {
		w.manage(pom, 0)
		queue = pom.all()
		w.refuse(pom)
	} else {
		p.gradle = true
		queue = w.gradle(p.dir)
	}
	p.direct = slices.DeleteFunc(slices.Clone(queue), func(n jvNeed) bool { return n.project != "" || n.kind == "pom" || n.scope == "system" })
	for i := 0; i < len(queue) && len(p.artifacts) < maxArtifacts; i++ {
		queue = append(queue, w.follow(&queue[i], i < len(p.direct))...)
	}
	for i := range p.direct {
		if a := w.at[p.direct[i].key()]; a != nil {
			p.direct[i].version = a.version
		}
	}
}

// refuse notes the dependencies that are the path of a file.
func (w *jvWalk) refuse(pom *jvPom) {
	for _, x := range pom.chain {
		for i := range x.Needs {
			if n := &x.Needs[i]; n.Path != "" {
				w.project.refused = append(w.project.refused, Refused{"pom.xml: " + n.Group + ":" + n.Artifact + " in " + n.Path, "only artifacts of a repository are read"})
			}
		}
	}
}

// follow adds the artifact of a dependency, and returns what it needs.
func (w *jvWalk) follow(n *jvNeed, direct bool) []jvNeed {
	if n.project != "" {
		return w.gradleProject(n.project)
	}
	if n.scope == "system" || !direct && (n.optional || n.scope == "test" || n.scope == "provided") {
		return nil
	}
	c := n.jvCoordinate
	if m := w.managed[n.key()]; m.version != "" && (!direct || c.version == "") {
		c.version = m.version
	}
	for _, r := range w.repos {
		if c.version == "" {
			c.version = r.newest(c)
		}
	}
	if old := w.at[c.key()]; old != nil {
		if !w.project.gradle || !newer(c.version, old.version) {
			return nil
		}
		old.version = c.version // Gradle takes the newest
	} else if n.kind != "pom" {
		if dir, ok := w.module(c); ok {
			w.at[c.key()] = &jvArtifact{jvCoordinate: c}
			if pom := w.ownPom(path.Join(dir, "pom.xml"), 0); pom != nil {
				return pom.all()
			}
			return nil
		}
		w.at[c.key()] = &jvArtifact{jvCoordinate: c}
		w.project.artifacts = append(w.project.artifacts, w.at[c.key()])
	}
	if pom := w.pom(c, 0); pom != nil {
		return w.versioned(pom)
	}
	return nil
}

// versioned returns the dependencies of the pom of an artifact, with the versions that it manages.
func (w *jvWalk) versioned(pom *jvPom) []jvNeed {
	needs := pom.all()
	if !slices.ContainsFunc(needs, func(n jvNeed) bool { return n.version == "" }) {
		return needs
	}
	own := jvWalk{java: w.java, project: w.project, root: w.root, managed: map[string]jvNeed{}}
	own.manage(pom, 0)
	for i := range needs {
		if m := own.managed[needs[i].key()]; needs[i].version == "" {
			needs[i].version = m.version
			if needs[i].scope == "" {
				needs[i].scope = m.scope
			}
		}
	}
	return needs
}

// manage adds the versions that a pom and those above it set, and those of the poms that they
// import.
func (w *jvWalk) manage(pom *jvPom, depth int) {
	var imported []jvNeed
	for _, x := range pom.chain {
		for _, n := range pom.needs(x.Managed) {
			if n.scope == "import" {
				imported = append(imported, n)
			} else if _, ok := w.managed[n.key()]; !ok {
				w.managed[n.key()] = n
			}
		}
	}
	for _, n := range imported {
		if depth >= maxPomChain {
			break
		}
		if bom := w.pom(n.jvCoordinate, 0); bom != nil {
			w.manage(bom, depth+1)
		}
	}
}

// pom returns the pom of an artifact of a repository with those above it.
func (w *jvWalk) pom(c jvCoordinate, depth int) *jvPom {
	if p := w.poms[c]; p != nil || depth > maxPomChain {
		return p
	}
	for _, r := range w.repos {
		name, ok := r.file(c, ".pom")
		if !ok {
			continue
		}
		root, err := os.OpenRoot(r.base)
		if err != nil {
			continue
		}
		text, _, err := readFile(root, filepath.FromSlash(name))
		_ = root.Close() // it was only read
		if err != nil {
			continue
		}
		p := parsePom(text)
		if p.Parent != nil {
			p.above(w.pom(p.parent(), depth+1))
		}
		w.poms[c] = p
		return p
	}
	return nil
}

func (p *jvPom) parent() jvCoordinate {
	return jvCoordinate{strings.TrimSpace(p.Parent.Group), strings.TrimSpace(p.Parent.Artifact), p.value(p.Parent.Version)}
}

// above notes the pom that a pom inherits from.
func (p *jvPom) above(parent *jvPom) {
	if parent != nil {
		p.chain = append(p.chain, parent.chain...)
	}
}

// ownPom returns a pom of the workspace with those above it, nil when there is none. The pom
// above lies where relativePath says, unless that is outside of the workspace, or in a repository.
func (w *jvWalk) ownPom(name string, depth int) *jvPom {
	text, _, err := readFile(w.root, filepath.FromSlash(name))
	w.project.files = append(w.project.files, stampOf(filepath.Join(w.java.root, filepath.FromSlash(name))))
	if err != nil {
		return nil
	}
	p := parsePom(text)
	if p.Parent == nil || depth > maxPomChain {
		return p
	}
	at := "../pom.xml"
	if p.Parent.Path != nil {
		at = strings.TrimSpace(*p.Parent.Path)
	}
	if at != "" && path.Ext(at) != ".xml" {
		at += "/pom.xml"
	}
	full := path.Join(path.Dir(name), at)
	inside := at != "" && filepath.IsLocal(filepath.FromSlash(full))
	if inside {
		if parent := w.ownPom(full, depth+1); parent != nil && parent.Artifact == p.parent().artifact {
			p.above(parent)
			return p
		}
	}
	parent := w.pom(p.parent(), depth+1)
	if p.above(parent); parent == nil && !inside && p.Parent.Path != nil && at != "" {
		w.project.refused = append(w.project.refused, Refused{name + ": parent in " + at, "it is outside of the workspace"})
	}
	return p
}

// module returns the directory of the workspace that makes an artifact.
func (w *jvWalk) module(c jvCoordinate) (dir string, ok bool) {
	if w.modules == nil {
		w.modules = map[string]string{}
		top := w.project.dir
		for up := path.Dir(top); top != "." && !stampOf(filepath.Join(w.java.root, filepath.FromSlash(up), "pom.xml")).modTime.IsZero(); up = path.Dir(top) {
			top = up
		}
		w.addModules(top)
	}
	dir, ok = w.modules[c.key()]
	return dir, ok
}

// addModules adds the artifact of a directory of the workspace and those of its modules.
func (w *jvWalk) addModules(dir string) {
	text, _, err := readFile(w.root, filepath.FromSlash(path.Join(dir, "pom.xml")))
	if err != nil || len(w.modules) >= maxModules {
		return
	}
	p := parsePom(text)
	key := p.group() + ":" + p.Artifact
	if _, ok := w.modules[key]; ok {
		return
	}
	w.modules[key] = dir
	for _, m := range p.Modules {
		if at := path.Join(dir, strings.TrimSpace(m)); filepath.IsLocal(filepath.FromSlash(at)) {
			w.addModules(at)
		}
	}
}
