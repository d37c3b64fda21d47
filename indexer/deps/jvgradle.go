package deps

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/indexer/lazy"

	"github.com/BurntSushi/toml"
)

var (
	gradleNeed    = lazy.Regexp(`^\s*(?:add\(\s*)?["']?(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[cC]ompileOnlyApi|[rR]untimeOnly)|compile|testCompile|runtime|kapt|ksp|annotationProcessor)["']?\s*[\s(,](.*)$`)
	gradleText    = lazy.Regexp(`["']([\w.-]+):([\w.-]+)(?::([^"':@]+))?[^"']*["']`)
	gradleParts   = lazy.Regexp(`\b(group|name|version)\s*[:=]\s*["']([^"']+)["']`)
	gradleLibrary = lazy.Regexp(`\blibs\.([\w.]+)`)
	gradleProject = lazy.Regexp(`\bproject\(\s*(?:path\s*[:=]\s*)?["'](:[\w.:-]*)["']`)
	gradleValue   = lazy.Regexp(`^\s*(?:ext\s*\{\s*)?(?:(?:def|val|var|const val|String)\s+|ext\.|extra\[")?(\w+)(?:"\])?\s*(?:=|by\s+extra\s*[({])\s*["']([^"'$]+)["']`)
	gradleUse     = lazy.Regexp(`\$\{?(\w+)\}?`)
	gradleLocked  = lazy.Regexp(`^([\w.-]+):([\w.-]+):([^=:]+)=`)
)

// gradle returns what the build files of a project of Gradle need: of its directory and those
// above it up to the one with the settings, whose build file can speak for all projects.
func (w *jvWalk) gradle(dir string) []jvNeed {
	if w.projects[dir] {
		return nil
	}
	w.projects[dir] = true
	top := w.gradleTop(dir)
	values := map[string]string{}
	for _, line := range w.lines(path.Join(top, "gradle.properties")) {
		if name, value, ok := strings.Cut(line, "="); ok {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	libraries := parseCatalog(strings.Join(w.lines(path.Join(top, "gradle", "libs.versions.toml")), "\n"))
	for _, line := range w.lines(path.Join(dir, "gradle.lockfile")) {
		if m := gradleLocked().FindStringSubmatch(line); m != nil {
			if c := (jvCoordinate{m[1], m[2], m[3]}); c.isValid() {
				w.managed[c.key()] = jvNeed{jvCoordinate: c}
			}
		}
	}
	var needs []jvNeed
	for at := dir; ; at = path.Dir(at) {
		for _, name := range []string{"build.gradle", "build.gradle.kts"} {
			for _, n := range gradleNeeds(w.lines(path.Join(at, name)), values, libraries) {
				if m := w.managed[n.key()]; m.version != "" {
					n.version = m.version // the lock file says more
				}
				if n.kind == "pom" {
					if bom := w.pom(n.jvCoordinate, 0); bom != nil {
						w.manage(bom, 0)
					}
					continue
				}
				needs = append(needs, n)
			}
		}
		if at == top || at == "." {
			return needs
		}
	}
}

// gradleTop returns the directory of the settings of a build, dir itself when there are none.
func (w *jvWalk) gradleTop(dir string) string {
	for at := dir; ; at = path.Dir(at) {
		for _, name := range []string{"settings.gradle", "settings.gradle.kts"} {
			if info, err := w.root.Stat(filepath.FromSlash(path.Join(at, name))); err == nil && info.Mode().IsRegular() {
				return at
			}
		}
		if at == "." || at == "/" {
			return dir
		}
	}
}

// gradleProject returns what a project of the workspace needs, ":core:io".
func (w *jvWalk) gradleProject(name string) []jvNeed {
	dir := path.Join(w.gradleTop(w.project.dir), strings.ReplaceAll(strings.TrimPrefix(name, ":"), ":", "/"))
	if len(w.projects) >= maxModules || !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil
	}
	return w.gradle(dir)
}

// lines returns the lines of a file of the workspace, none when it cannot be read.
func (w *jvWalk) lines(name string) []string {
	text, _, err := readFile(w.root, filepath.FromSlash(name))
	w.project.files = append(w.project.files, stampOf(filepath.Join(w.java.root, filepath.FromSlash(name))))
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\n")
}

// gradleNeeds returns the dependencies that the lines of a build file name literally. libraries
// are those of the version catalog.
func gradleNeeds(lines []string, values map[string]string, libraries map[string][]jvNeed) (out []jvNeed) {
	for _, line := range lines {
		if m := gradleValue().FindStringSubmatch(line); m != nil {
			values[m[1]] = m[2]
		}
		m := gradleNeed().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		found := gradleLine(m[2], values, libraries)
		for i := range found {
			if strings.Contains(m[2], "latform(") { // platform(…), enforcedPlatform(…)
				found[i].kind = "pom"
			}
		}
		out = append(out, found...)
	}
	return out
}

// gradleLine returns the dependencies behind the name of a configuration.
func gradleLine(line string, values map[string]string, libraries map[string][]jvNeed) []jvNeed {
	if m := gradleProject().FindStringSubmatch(line); m != nil {
		return []jvNeed{{project: m[1]}}
	}
	if m := gradleLibrary().FindStringSubmatch(line); m != nil {
		return slices.Clone(libraries[catalogName(strings.TrimSuffix(m[1], ".get"))])
	}
	var c jvCoordinate
	if m := gradleText().FindStringSubmatch(line); m != nil {
		c = jvCoordinate{m[1], m[2], m[3]}
	} else {
		for _, m := range gradleParts().FindAllStringSubmatch(line, -1) {
			switch m[1] {
			case "group":
				c.group = m[2]
			case "name":
				c.artifact = m[2]
			case "version":
				c.version = m[2]
			}
		}
	}
	c.version = gradleUse().ReplaceAllStringFunc(c.version, func(use string) string { return values[strings.Trim(use, "${}")] })
	if n, ok := jvNeedOf(c); ok {
		return []jvNeed{n}
	}
	return nil
}

// jvNeedOf returns the dependency of a coordinate. A version that is none, such as "1.+", is left
// out: the newest that is installed counts.
func jvNeedOf(c jvCoordinate) (jvNeed, bool) {
	if !jvVersion().MatchString(c.version) || strings.HasSuffix(c.version, "+") {
		c.version = ""
	}
	return jvNeed{jvCoordinate: c, kind: "jar"}, c.isNamed()
}

// catalogName returns the name of a library as build files write it, in one spelling.
func catalogName(name string) string { return strings.NewReplacer("-", ".", "_", ".").Replace(name) }

// parseCatalog returns the libraries of a version catalog and its bundles, by the names behind
// "libs." in build files.
func parseCatalog(text string) map[string][]jvNeed {
	var t struct {
		Versions, Libraries map[string]any
		Bundles             map[string][]string
	}
	if toml.Unmarshal([]byte(text), &t) != nil {
		return nil
	}
	version := func(value any) string {
		v := table(value)
		for _, key := range []string{"strictly", "require", "prefer"} {
			if s := stringOf(v[key]); s != "" {
				return s
			}
		}
		return stringOf(value)
	}
	out := map[string][]jvNeed{}
	for name, value := range t.Libraries {
		l := table(value)
		group, artifact, _ := strings.Cut(stringOf(l["module"]), ":")
		c := jvCoordinate{group, artifact, version(l["version"])}
		if parts := strings.Split(stringOf(value), ":"); len(parts) == 3 {
			c = jvCoordinate{parts[0], parts[1], parts[2]}
		} else if group == "" {
			c.group, c.artifact = stringOf(l["group"]), stringOf(l["name"])
		}
		if ref := stringOf(table(l["version"])["ref"]); ref != "" {
			c.version = version(t.Versions[ref])
		}
		if n, ok := jvNeedOf(c); ok {
			out[catalogName(name)] = []jvNeed{n}
		}
	}
	for name, all := range t.Bundles {
		for _, library := range all {
			key := "bundles." + catalogName(name)
			out[key] = append(out[key], out[catalogName(library)]...)
		}
	}
	return out
}
