package deps

import (
	"encoding/xml"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/indexer/lazy"
)

// jvCoordinate identifies an artifact of a repository of Maven.
type jvCoordinate struct{ group, artifact, version string }

func (c jvCoordinate) key() string { return c.group + ":" + c.artifact }

var (
	jvGroup   = lazy.Regexp(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	jvVersion = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)
)

// isNamed reports whether group and artifact are names, which no path is in.
func (c jvCoordinate) isNamed() bool {
	return jvGroup().MatchString(c.group) && plainName().MatchString(c.artifact)
}

// isValid reports whether a coordinate has the form that names a directory of a repository.
func (c jvCoordinate) isValid() bool { return c.isNamed() && jvVersion().MatchString(c.version) }

// jvRepository is a directory with artifacts.
type jvRepository struct {
	base   string // absolute
	gradle bool   // it is the cache of Gradle: GROUP/ARTIFACT/VERSION/HASH/FILE, with dots in the group
}

// jvRepositories returns the directories with artifacts of the user: the local repository of Maven
// and the cache of Gradle. A workspace cannot name one.
func jvRepositories(getenv func(string) string) []jvRepository {
	home := homeOf(getenv)
	gradle := getenv("GRADLE_USER_HOME")
	if gradle == "" && home != "" {
		gradle = filepath.Join(home, ".gradle")
	}
	var out []jvRepository
	for _, r := range []jvRepository{{jvLocal(home), false}, {filepath.Join(gradle, "caches", "modules-2", "files-2.1"), true}} {
		if filepath.IsAbs(r.base) && isFolder(r.base) {
			out = append(out, r)
		}
	}
	return out
}

// jvLocal returns the local repository of Maven: the one that the settings of the user name, else
// the usual one.
func jvLocal(home string) string {
	if home == "" {
		return ""
	}
	var settings struct {
		Local string `xml:"localRepository"`
	}
	_ = xml.Unmarshal([]byte(smallFile(filepath.Join(home, ".m2", "settings.xml"))), &settings) // without it the usual one counts
	if dir := strings.ReplaceAll(strings.TrimSpace(settings.Local), "${user.home}", home); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, ".m2", "repository")
}

// dir returns the directory of an artifact, or of its version when it has one.
func (r jvRepository) dir(c jvCoordinate) string {
	if !r.gradle {
		return path.Join(strings.ReplaceAll(c.group, ".", "/"), c.artifact, c.version)
	}
	return path.Join(c.group, c.artifact, c.version)
}

// file returns the path below the base of the file of an artifact with an ending, as "-sources.jar".
func (r jvRepository) file(c jvCoordinate, ending string) (string, bool) {
	if !c.isValid() {
		return "", false
	}
	root, err := open(r.base, r.dir(c))
	if err != nil {
		return "", false
	}
	defer func() { _ = root.Close() }() // it is only read
	dirs := []string{"."}
	if r.gradle {
		dirs = namesIn(root, ".")
	}
	for _, dir := range dirs {
		name := path.Join(dir, c.artifact+"-"+c.version+ending)
		if info, err := root.Stat(filepath.FromSlash(name)); err == nil && info.Mode().IsRegular() {
			return path.Join(r.dir(c), name), true
		}
	}
	return "", false
}

// newest returns the newest version of an artifact in the repository, "" for none.
func (r jvRepository) newest(c jvCoordinate) string {
	if c.version = ""; !c.isNamed() {
		return ""
	}
	root, err := open(r.base, r.dir(c))
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }() // it is only read
	versions := slices.DeleteFunc(namesIn(root, "."), func(v string) bool {
		c.version = v
		_, ok := r.file(c, ".pom")
		return !ok
	})
	if len(versions) == 0 {
		return ""
	}
	return slices.MaxFunc(versions, func(a, b string) int {
		if newer(a, b) {
			return 1
		}
		return -1
	})
}

// jdk is an installed JDK with its sources.
type jdk struct {
	dir     string
	archive string // absolute path, "" for none
	version string
}

var javaVersion = lazy.Regexp(`(?m)^JAVA_VERSION="([0-9][0-9A-Za-z._+-]*)"`)

// jdkOf returns the JDK in use: that of JAVA_HOME, else of the java on PATH. When it has no
// sources, as the package of a Linux distribution, the newest JDK beside it that has them counts.
func jdkOf(getenv func(string) string) jdk {
	home := getenv("JAVA_HOME")
	for _, dir := range filepath.SplitList(getenv("PATH")) {
		if filepath.IsAbs(home) {
			break
		}
		program := "java"
		if filepath.Separator == '\\' {
			program = "java.exe"
		}
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, program)); err == nil && filepath.IsAbs(dir) {
			home = filepath.Dir(filepath.Dir(real))
		}
	}
	if !filepath.IsAbs(home) {
		return jdk{}
	}
	own := jdkAt(home)
	if own.archive != "" {
		return own
	}
	beside, err := os.ReadDir(filepath.Dir(home))
	if err != nil {
		return own
	}
	for _, e := range beside {
		if j := jdkAt(filepath.Join(filepath.Dir(home), e.Name())); j.archive != "" && (own.archive == "" || newer(j.version, own.version)) {
			own = j
		}
	}
	return own
}

// jdkAt returns the JDK in a directory: since version 9 its sources are in lib.
func jdkAt(dir string) jdk {
	j := jdk{dir: dir}
	if m := javaVersion().FindStringSubmatch(smallFile(filepath.Join(dir, "release"))); m != nil {
		j.version = m[1]
	}
	for _, name := range []string{filepath.Join("lib", "src.zip"), "src.zip"} {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if info, serr := os.Stat(real); err == nil && serr == nil && info.Mode().IsRegular() {
			j.archive = real
			return j
		}
	}
	return j
}
