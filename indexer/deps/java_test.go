package deps_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"ambit/indexer/deps"
	"ambit/vectors/record"
)

const (
	m2     = "home/.m2/repository/"
	gradle = "home/.gradle/caches/modules-2/files-2.1/"
)

// javaHome has an artifact that needs another one, and a JDK.
const javaHome = `
-- home/.m2/repository/org/a/lib/1.2/lib-1.2.pom --
<project><parent><groupId>org.a</groupId><artifactId>top</artifactId><version>1.2</version></parent><artifactId>lib</artifactId>
<dependencies><dependency><groupId>org.b</groupId><artifactId>core</artifactId></dependency>
<dependency><groupId>org.t</groupId><artifactId>checks</artifactId><version>1</version><scope>test</scope></dependency></dependencies></project>
-- home/.m2/repository/org/a/top/1.2/top-1.2.pom --
<project><groupId>org.a</groupId><artifactId>top</artifactId><version>1.2</version><properties><core.version>2.0</core.version></properties>
<dependencyManagement><dependencies><dependency><groupId>org.b</groupId><artifactId>core</artifactId><version>${core.version}</version></dependency></dependencies></dependencyManagement></project>
-- home/.m2/repository/org/a/lib/1.2/lib-1.2-sources.jar/org/a/Lib.java --
package org.a;
public class Lib { public static class Part {} }
-- home/.m2/repository/org/a/lib/1.2/lib-1.2-sources.jar/META-INF/MANIFEST.MF --
Manifest-Version: 1.0
-- home/.m2/repository/org/b/core/2.0/core-2.0.pom --
<project><groupId>org.b</groupId><artifactId>core</artifactId><version>2.0</version></project>
-- home/.m2/repository/org/b/core/2.0/core-2.0-sources.jar/org/b/Core.java --
package org.b;
public interface Core {}
-- home/.m2/repository/org/t/checks/1/checks-1-sources.jar/org/t/Check.java --
package org.t;
public class Check {}
-- home/jvm/own/release --
JAVA_VERSION="17.0.1"
-- home/jvm/own/bin/java --
-- home/jvm/newest/release --
JAVA_VERSION="25"
-- home/jvm/newest/lib/src.zip/java.base/java/util/List.java --
package java.util;
public interface List<E> {}
-- home/jvm/old/src.zip/java/util/List.java --
package java.util;
public interface List<E> {}
-- home/jvm/old/release --
JAVA_VERSION="8"
`

// javaMachine makes the files of a text. Those below a directory whose name ends with .jar or
// .zip are the entries of an archive with this name.
func javaMachine(t *testing.T, text string) *machine {
	t.Helper()
	all := txtar.Parse([]byte(text))
	plain := &txtar.Archive{}
	archives := map[string][]txtar.File{}
	for _, f := range all.Files {
		name, entry, ok := cutArchive(f.Name)
		if !ok {
			plain.Files = append(plain.Files, f)
			continue
		}
		archives[name] = append(archives[name], txtar.File{Name: entry, Data: f.Data})
	}
	m := newMachine(t, string(txtar.Format(plain)))
	for name, entries := range archives {
		m.write(t, name, zipped(t, entries))
	}
	m.env["PATH"] = m.path("home/jvm/own/bin")
	return m
}

func cutArchive(name string) (archive, entry string, ok bool) {
	for _, ext := range []string{".jar/", ".zip/"} {
		if archive, entry, ok = strings.Cut(name, ext); ok {
			return archive + ext[:4], entry, true
		}
	}
	return "", "", false
}

func zipped(t *testing.T, entries []txtar.File) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range entries {
		e, err := w.Create(f.Name)
		if err == nil {
			_, err = e.Write(f.Data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pom returns a pom.xml of the workspace with dependencies, "org.a:lib:1.2".
func pom(needs ...string) string {
	text := "-- work/pom.xml --\n<project><groupId>w</groupId><artifactId>w</artifactId><version>1</version><dependencies>"
	for _, n := range needs {
		c := append(strings.Split(n, ":"), "")
		text += "<dependency><groupId>" + c[0] + "</groupId><artifactId>" + c[1] + "</artifactId><version>" + c[2] + "</version></dependency>"
	}
	return text + "</dependencies></project>\n"
}

func TestTheBuildFileSaysWhereAClassLies(t *testing.T) {
	lib, core := []string{"lib@1.2/org/a/Lib.java"}, []string{"core@2.0/org/b/Core.java"}
	const inGradle = "-- " + gradle + "org.g/tool/3.1/0a1b/tool-3.1.pom --\n<project/>\n-- " + gradle + "org.g/tool/3.1/ffff/tool-3.1-sources.jar/org/g/Tool.kt --\npackage org.g\nclass Tool\n" +
		"-- " + gradle + "org.g/tool/3.0/0a1b/tool-3.0.pom --\n<project/>\n-- " + gradle + "org.g/tool/3.0/ffff/tool-3.0-sources.jar/org/g/Tool.kt --\npackage org.g\nclass Tool\n"
	tool := []string{"tool@3.1/org/g/Tool.kt"}
	tool30 := []string{"tool@3.0/org/g/Tool.kt"}
	tests := []struct {
		name, files, file, module string
		names, want               []string
	}{
		{"a dependency", pom("org.a:lib:1.2"), "A.java", "org.a", []string{"Lib"}, lib},
		{"a class inside of a class", pom("org.a:lib:1.2"), "A.java", "org.a.Lib", []string{"Part"}, lib},
		{"a name that is no class", pom("org.a:lib:1.2"), "A.java", "org.a", []string{"lib", "Gone", "", "../Lib"}, nil},
		{"what a dependency needs, with the version that its parent manages", pom("org.a:lib:1.2"), "A.java", "org.b", []string{"Core"}, core},
		{"not its tests", pom("org.a:lib:1.2"), "A.java", "org.t", []string{"Check"}, nil},
		{"an artifact that nobody needs", pom(), "A.java", "org.a", []string{"Lib"}, nil},
		{"a property", strings.Replace(pom("org.a:lib:${v}"), "<dependencies>", "<properties><v>${w}</v><w>1.2</w></properties><dependencies>", 1), "A.java", "org.a", []string{"Lib"}, lib},
		{"a property that leads to itself", strings.Replace(pom("org.a:lib:${v}"), "<dependencies>", "<properties><v>${v}</v></properties><dependencies>", 1), "A.java", "org.a", []string{"Lib"}, nil},
		{"the version of a parent in the workspace", "-- work/pom.xml --\n<project><groupId>w</groupId><artifactId>up</artifactId><version>1</version><dependencyManagement><dependencies><dependency><groupId>org.a</groupId><artifactId>lib</artifactId><version>1.2</version></dependency></dependencies></dependencyManagement></project>\n" +
			"-- work/sub/pom.xml --\n<project><parent><groupId>w</groupId><artifactId>up</artifactId><version>1</version></parent><artifactId>sub</artifactId><dependencies><dependency><groupId>org.a</groupId><artifactId>lib</artifactId></dependency></dependencies></project>\n", "sub/A.java", "org.a", []string{"Lib"}, lib},
		{"the version of an imported pom", strings.Replace(pom("org.a:lib"), "<dependencies>", "<dependencyManagement><dependencies><dependency><groupId>org.bom</groupId><artifactId>bom</artifactId><version>7</version><type>pom</type><scope>import</scope></dependency></dependencies></dependencyManagement><dependencies>", 1) +
			"-- " + m2 + "org/bom/bom/7/bom-7.pom --\n<project><dependencyManagement><dependencies><dependency><groupId>org.a</groupId><artifactId>lib</artifactId><version>1.2</version></dependency></dependencies></dependencyManagement></project>\n", "A.java", "org.a", []string{"Lib"}, lib},
		{"what a module of the workspace needs", "-- work/pom.xml --\n<project><groupId>w</groupId><artifactId>up</artifactId><version>1</version><modules><module>x</module><module>y</module></modules></project>\n" +
			"-- work/x/pom.xml --\n<project><groupId>w</groupId><artifactId>x</artifactId><version>1</version><dependencies><dependency><groupId>w</groupId><artifactId>y</artifactId><version>1</version></dependency></dependencies></project>\n" +
			"-- work/y/pom.xml --\n<project><groupId>w</groupId><artifactId>y</artifactId><version>1</version><dependencies><dependency><groupId>org.a</groupId><artifactId>lib</artifactId><version>1.2</version></dependency></dependencies></project>\n", "x/A.java", "org.a", []string{"Lib"}, lib},
		{"a repository that the user's settings name", pom("org.a:lib:1.2") + "-- home/.m2/settings.xml --\n<settings><localRepository>${user.home}/other</localRepository></settings>\n-- home/other/org/a/lib/1.2/lib-1.2-sources.jar/org/a/Lib.java --\npackage org.a;\n", "A.java", "org.a", []string{"Lib"}, lib},
		{"Gradle", inGradle + "-- work/build.gradle --\ndependencies {\n  implementation 'org.g:tool:3.0'\n}\n", "A.java", "org.g", []string{"Tool"}, tool30},
		{"Gradle with Kotlin", inGradle + "-- work/build.gradle.kts --\nval v = \"3.0\"\ndependencies {\n  api(\"org.g:tool:$v\") { exclude(\"x\") }\n}\n", "A.kt", "org.g", []string{"Tool"}, tool30},
		{"Gradle with a value of ext", inGradle + "-- work/build.gradle --\next { v = '3.0' }\nimplementation \"org.g:tool:$v\"\n", "A.java", "org.g", []string{"Tool"}, tool30},
		{"Gradle with a value by extra", inGradle + "-- work/build.gradle.kts --\nval v by extra(\"3.0\")\nimplementation(\"org.g:tool:$v\")\n", "A.kt", "org.g", []string{"Tool"}, tool30},
		{"Gradle by parts", inGradle + "-- work/gradle.properties --\ntv=3.0\n-- work/build.gradle --\ntestImplementation group: 'org.g', name: 'tool', version: \"${tv}\"\n", "A.java", "org.g", []string{"Tool"}, tool30},
		{"Gradle without a version", inGradle + "-- work/build.gradle --\nimplementation 'org.g:tool'\n", "A.java", "org.g", []string{"Tool"}, tool},
		{"Gradle with a lock file", inGradle + "-- work/build.gradle --\nimplementation 'org.g:tool:3.+'\n-- work/gradle.lockfile --\norg.g:tool:3.0=compileClasspath\n", "A.java", "org.g", []string{"Tool"}, tool30},
		{"a version catalog", inGradle + "-- work/settings.gradle --\n-- work/app/build.gradle.kts --\nimplementation(libs.my.tool)\n-- work/gradle/libs.versions.toml --\n[versions]\nt = \"3.0\"\n[libraries]\nmy-tool = { module = \"org.g:tool\", version.ref = \"t\" }\n", "app/A.java", "org.g", []string{"Tool"}, tool30},
		{"a bundle of a version catalog", inGradle + "-- work/build.gradle.kts --\nimplementation(libs.bundles.all)\n-- work/gradle/libs.versions.toml --\n[libraries]\nmy_tool = \"org.g:tool:3.0\"\n[bundles]\nall = [\"my_tool\"]\n", "A.java", "org.g", []string{"Tool"}, tool30},
		{"a project of the workspace", inGradle + "-- work/settings.gradle --\n-- work/app/build.gradle --\nimplementation project(':core')\n-- work/core/build.gradle --\napi 'org.g:tool:3.0'\n", "app/A.java", "org.g", []string{"Tool"}, tool30},
		{"the JDK", "", "A.java", "java.util", []string{"List"}, []string{"java@25/java.base/java/util/List.java"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found(t, javaMachine(t, javaHome+tt.files).finder(), tt.file, tt.module, tt.names...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%s, %v) (-want +got):\n%s", tt.module, tt.names, diff)
			}
		})
	}
}

func TestAJDKOfVersion8HasItsSourcesBesideLib(t *testing.T) {
	m := javaMachine(t, javaHome)
	m.env["JAVA_HOME"] = m.path("home/jvm/old")
	if got := found(t, m.finder(), "A.java", "java.util", "List"); !slices.Equal(got, []string{"java@8/java/util/List.java"}) {
		t.Errorf("Find returns %v, want the list of Java 8", got)
	}
}

func TestSourcesThatComeLaterAreFound(t *testing.T) {
	m := javaMachine(t, javaHome+pom("org.l:late:1")+"-- "+m2+"org/l/late/1/late-1.pom --\n<project/>\n")
	f := m.finder()
	if got := found(t, f, "A.java", "org.l", "Late"); got != nil {
		t.Fatalf("Find returns %v before there are sources", got)
	}
	m.write(t, m2+"org/l/late/1/late-1-sources.jar", zipped(t, []txtar.File{{Name: "org/l/Late.java", Data: []byte("package org.l;\nclass Late {}\n")}}))
	if got := found(t, f, "A.java", "org.l", "Late"); len(got) != 1 {
		t.Errorf("Find returns %v, want the file that has come", got)
	}
}

func TestTheTextOfAnEntry(t *testing.T) {
	m := javaMachine(t, javaHome+pom("org.a:lib:1.2"))
	f := m.finder()
	files := f.Find(t.Context(), "A.java", "A.java", "org.a", []string{"Lib"}).Files
	if len(files) != 1 || !files[0].InArchive {
		t.Fatalf("Find returns %v, want an entry of an archive", files)
	}
	jar := m.path(m2 + "org/a/lib/1.2/lib-1.2-sources.jar")
	if want := jar + "!/org/a/Lib.java"; files[0].Name != want {
		t.Errorf("its name is %s, want %s", files[0].Name, want)
	}
	text, err := deps.New(m.path("work"), deps.Options{Getenv: func(name string) string { return m.env[name] }}).Text(nil, files[0].Name)
	if err != nil || !bytes.Equal(text, files[0].Text) {
		t.Errorf("Text returns %q, %v", text, err)
	}
	m.write(t, "home/notes-sources.jar", zipped(t, []txtar.File{{Name: "a/A.java", Data: []byte("class A {}")}}))
	m.write(t, m2+"plain.jar", zipped(t, []txtar.File{{Name: "a/A.java", Data: []byte("class A {}")}}))
	for _, name := range []string{"", "/etc/passwd", m.path("home/notes-sources.jar") + "!/a/A.java", m.path(m2) + "/../../notes-sources.jar!/a/A.java",
		m.path(m2+"plain.jar") + "!/a/A.java", jar + "!/META-INF/MANIFEST.MF", jar + "!/../Lib.java", jar + "!/"} {
		if text, err := f.Text(nil, name); err == nil {
			t.Errorf("Text(%s) returns %q", name, text)
		}
	}
}

func TestAWorkspaceReachesNoOtherDirectoryByJava(t *testing.T) {
	const key = "package org.a;\npublic class Key { public void open() {} }\n"
	system := "-- work/pom.xml --\n<project><dependencies><dependency><groupId>org.a</groupId><artifactId>key</artifactId><version>1</version><scope>system</scope><systemPath>HOME/notes/key-1-sources.jar</systemPath></dependency></dependencies></project>\n"
	above := func(path string) string {
		return "-- work/pom.xml --\n<project><parent><groupId>w</groupId><artifactId>up</artifactId><version>1</version><relativePath>" + path + "</relativePath></parent><artifactId>w</artifactId></project>\n" +
			"-- home/up/pom.xml --\n<project><groupId>w</groupId><artifactId>up</artifactId><version>1</version><dependencies><dependency><groupId>org.s</groupId><artifactId>secret</artifactId><version>1</version></dependency></dependencies></project>\n" +
			"-- " + m2 + "org/s/secret/1/secret-1-sources.jar/org/a/Key.java --\n" + key
	}
	tests := []struct {
		name   string
		files  string
		links  [][2]string // from the second to the first, below the machine
		reason string      // of the refusal; "" for none
	}{
		{"a group with a path", pom("../../../notes:key:1"), nil, ""},
		{"an artifact with a path", pom("org.a:../../../../../notes/key:1"), nil, ""},
		{"a version with a path", pom("org.a:key:../../../../../notes"), nil, ""},
		{"the same by a property", strings.Replace(pom("org.a:key:${v}"), "<dependencies>", "<properties><v>../../../../../notes</v></properties><dependencies>", 1), nil, ""},
		{"the same in a build file of Gradle", "-- work/build.gradle --\nimplementation 'org.a:key:../../../../../notes'\n-- work/gradle.lockfile --\norg.a:key:../../../../../notes=x\n", nil, ""},
		{"an archive by its path", system, nil, "only artifacts of a repository are read"},
		{"a parent above the workspace", above("../home/up/pom.xml"), nil, "it is outside of the workspace"},
		{"a parent by a link", above("up/pom.xml"), [][2]string{{"home/up", "work/up"}}, ""},
		{"a project above the workspace", "-- work/settings.gradle --\n-- work/build.gradle --\nimplementation project(':..:home:up')\n-- home/up/build.gradle --\napi 'org.s:secret:1'\n-- " + m2 + "org/s/secret/1/secret-1-sources.jar/org/a/Key.java --\n" + key, nil, ""},
		{"a pom that is a link", "-- evil/pom.xml --\n<project><dependencies><dependency><groupId>org.s</groupId><artifactId>secret</artifactId><version>1</version></dependency></dependencies></project>\n-- " + m2 + "org/s/secret/1/secret-1-sources.jar/org/a/Key.java --\n" + key, [][2]string{{"evil/pom.xml", "work/pom.xml"}}, ""},
		{"a version that is a link", pom("org.a:key:1"), [][2]string{{"home/notes", m2 + "org/a/key/1"}}, ""},
		{"an archive that is a link", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1.pom --\n<project/>\n", [][2]string{{"home/notes/key-1-sources.jar", m2 + "org/a/key/1/key-1-sources.jar"}}, ""},
		{"a repository that the workspace names", pom("org.a:key:1") + "-- work/.mvn/maven.config --\n-Dmaven.repo.local=HOME/evil\n-- home/evil/org/a/key/1/key-1-sources.jar/org/a/Key.java --\n" + key, nil, ""},
		{"an entry with dots", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1-sources.jar/../org/a/Key.java --\n" + key, nil, ""},
		{"an entry with an absolute path", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1-sources.jar//org/a/Key.java --\n" + key, nil, ""},
		{"an entry that is too large", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1-sources.jar/org/a/Key.java --\n" + key + strings.Repeat(" ", 1<<20), nil, ""},
		{"an archive that is none", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1-sources.jar --\nPK\x03\x04", nil, ""},
		{"a pom that never ends", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1.pom --\n" + strings.Repeat("<project><parent>", 10_000), nil, ""},
		{"a pom that is above itself", pom("org.a:key:1") + "-- " + m2 + "org/a/key/1/key-1.pom --\n<project><parent><groupId>org.a</groupId><artifactId>key</artifactId><version>1</version></parent></project>\n", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := javaMachine(t, "-- home/.m2/repository/keep --\n-- home/notes/key-1-sources.jar/org/a/Key.java --\n"+key+tt.files)
			for _, l := range tt.links {
				m.link(t, m.path(l[0]), l[1])
			}
			f := m.finder()
			for _, module := range []string{"org.a", "org.a.Key", "..org.a", "org/../a"} {
				if got := found(t, f, "A.java", module, "Key", "../Key", "open"); len(got) > 0 {
					t.Errorf("%s reaches %v", module, got)
				}
			}
			checkRefused(t, f, "A.java", tt.reason)
		})
	}
}

func TestTheReportSaysWhichSourcesOfJavaAreMissing(t *testing.T) {
	m := javaMachine(t, javaHome+pom("org.a:lib:1.2", "org.n:none:1")+"-- "+m2+"org/n/none/1/none-1.jar/org/n/None.class --\n")
	want := []deps.Report{{
		Ecosystem: "Java", Std: &deps.Package{Name: "java", Version: "25", Dir: m.path("home/jvm/newest/lib/src.zip")}, Remedy: "mvn dependency:sources",
		Found:   []deps.Package{{Name: "org.a:lib", Version: "1.2", Dir: m.path(m2 + "org/a/lib/1.2")}},
		Missing: []deps.Package{{Name: "org.n:none", Version: "1"}},
	}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"src/A.java", "B.java"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
	m.env["PATH"], m.env["JAVA_HOME"] = "", m.path("home")
	if got := m.finder().Report([]record.Path{"B.java"})[0]; got.Std != nil || !strings.Contains(got.Remedy, "JDK with lib/src.zip") {
		t.Errorf("without a JDK the report is %+v", got)
	}
}
