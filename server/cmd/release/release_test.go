package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// date is the time of the files of the test's releases.
var date = time.Unix(1_800_000_000, 0).UTC()

// files returns the common files of the test's releases.
func files(t *testing.T) *shared {
	t.Helper()
	notices, err := os.ReadFile("../../../docs/third-party.md")
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("text\n")
	return &shared{licence: text, notices: notices, lgpl: text, manual: text, completions: []entry{{"_ambit", 0o644, text}, {"ambit.bash", 0o644, text}}}
}

func TestTwoPacksHaveTheSameBytes(t *testing.T) {
	var want []byte
	for range 2 {
		r := &release{version: "1.2.3", date: date, out: t.TempDir()}
		s := files(t)
		for _, p := range platforms {
			for _, write := range []func(platform, []byte, *shared) error{r.archive, r.npmBinary, r.debian} {
				if err := write(p, []byte("a binary"), s); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := r.npmLauncher(s); err != nil {
			t.Fatal(err)
		}
		if _, err := r.sums(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		if want != nil && !bytes.Equal(got, want) {
			t.Errorf("got the sums\n%s\nwant those of the first time\n%s", got, want)
		}
		want = got
	}
}

func TestAnArchiveHasABinaryThatCanBeRun(t *testing.T) {
	r := &release{version: "1.2.3", date: date, out: t.TempDir()}
	if err := r.archive(platforms[0], []byte("a binary"), files(t)); err != nil {
		t.Fatal(err)
	}
	got := untar(t, filepath.Join(r.out, "ambit-1.2.3-linux-amd64.tar.gz"))
	dir := "ambit-1.2.3-linux-amd64/"
	for name, mode := range map[string]int64{"ambit": 0o755, "LICENSE": 0o644, "THIRD-PARTY.md": 0o644, "man/man1/ambit.1": 0o644, "completions/_ambit": 0o644} {
		if h := got[dir+name]; h == nil || h.Mode != mode || h.Uid != 0 || !h.ModTime.Equal(date) {
			t.Errorf("got %+v for %s, want mode %o, root and %v", h, name, mode, date)
		}
	}
}

func TestTheTypesOfTheExtensionAreAPackage(t *testing.T) {
	r := &release{version: "1.2.3", date: date, out: t.TempDir()}
	if err := r.npmTypes("../../../editors/vscode/api", files(t)); err != nil {
		t.Fatal(err)
	}
	got := untar(t, filepath.Join(r.out, "npm/ambit-1.2.3-vscode-api.tgz"))
	for _, name := range []string{"package.json", "ambit.d.ts", "client.d.ts", "protocol.d.ts", "README.md", "LICENSE"} {
		if got["package/"+name] == nil {
			t.Errorf("got no %s in %v", name, slices.Sorted(maps.Keys(got)))
		}
	}
}

// untar returns the headers of a compressed tar file.
func untar(t *testing.T, path string) map[string]*tar.Header {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]*tar.Header{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return headers
		} else if err != nil {
			t.Fatal(err)
		}
		headers[h.Name] = h
	}
}

func TestTheBillNamesTheModulesOfTheBinary(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "ambit")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", binary, "../ambit").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: "1.2.3", date: date, out: t.TempDir()}
	if err := r.bom(platforms[0], data, files(t)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, "ambit-1.2.3-linux-amd64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	s := files(t)
	s.notices = []byte("# Third-party licences\n")
	if err := r.bom(platforms[0], data, s); err == nil {
		t.Error("got no error for a module without a licence")
	}
	licences := map[string]string{}
	for _, c := range b.Components {
		licences[c.Name] = c.Licences[0].Licence.ID
	}
	for module, want := range map[string]string{"go.etcd.io/bbolt": "MIT", "golang.org/x/sync": "BSD-3-Clause", "std": "BSD-3-Clause"} {
		if got := licences[module]; got != want {
			t.Errorf("got the licence %q of %s, want %q", got, module, want)
		}
	}
}

func TestNotesAreTheSectionOfTheVersion(t *testing.T) {
	log := "# Changelog\n\n## [Unreleased]\n\n- b\n\n## [1.2.3] - 2027-01-15\n\n### Added\n\n- a\n\n## [1.2.2] - 2027-01-01\n\n- z\n"
	if got, err := changes(log, "1.2.3"); err != nil || got != "### Added\n\n- a\n" {
		t.Errorf("got %q and %v, want the section of 1.2.3", got, err)
	}
	if got, err := changes(log, "1.2.4"); err == nil {
		t.Errorf("got %q for a version without a section, want an error", got)
	}
}

func TestACommandLineThatIsWrongNamesTheNextStep(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"build", "write -version 1.2.3"},
		{"-version v1.2 build", "write -version 1.2.3"},
		{"-version 1.2.3", "say build or pack"},
		{"-version 1.2.3 -platforms linux-vax build", "known are [linux-amd64"},
	} {
		if err := run(strings.Fields(tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("release %s: got %v, want an error with %q", tt.line, err, tt.want)
		}
	}
}

// The launcher runs the binary with its own streams, and its exit code is the binary's.
func TestTheLauncherRunsTheBinaryOfThePlatform(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; apt-get install nodejs")
	}
	about, err := exec.Command(node, "-p", "process.platform + '-' + process.arch").Output()
	if err != nil {
		t.Fatal(err)
	}
	platform := strings.TrimSpace(string(about))
	dir := t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		path = filepath.Join(dir, "node_modules", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("ambit/package.json", `{"name":"ambit","optionalDependencies":{"@ambit/`+platform+`":"1.2.3"}}`, 0o644)
	write("ambit/bin/ambit.js", string(npmLauncherJS), 0o644)
	launch := func() (string, int) {
		cmd := exec.Command(node, filepath.Join(dir, "node_modules/ambit/bin/ambit.js"), "a", "b c")
		cmd.Stdin = strings.NewReader("from the input\n")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := launch(); code != 1 || !strings.Contains(out, "@ambit/"+platform+" is not installed") {
		t.Errorf("without the package of the platform: got exit code %d and %q", code, out)
	}
	write("@ambit/"+platform+"/package.json", `{"name":"@ambit/`+platform+`"}`, 0o644)
	write("@ambit/"+platform+"/bin/ambit", "#!/bin/sh\necho \"$1 $2\"\ncat\nexit 7\n", 0o755)
	if out, code := launch(); code != 7 || out != "a b c\nfrom the input\n" {
		t.Errorf("got exit code %d and %q, want 7, the arguments and the input", code, out)
	}
	write("@ambit/"+platform+"/bin/ambit", "#!/bin/sh\nkill -TERM $$\n", 0o755)
	if out, code := launch(); code != 128+15 {
		t.Errorf("a binary that a signal ends: got exit code %d and %q, want 143", code, out)
	}
}
