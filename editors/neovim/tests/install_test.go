package tests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The command is installed from a release, and a release that is not whole changes nothing.
func TestTheCommandOfAReleaseIsInstalled(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, version)
			m := freshMachine(t, true)
			server := httptest.NewServer(releases(m))
			defer server.Close()
			gone := httptest.NewServer(nil)
			gone.Close()
			script, err := filepath.Abs("spec/install.lua")
			if err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), nvim, "-n", "--headless", "-c", fmt.Sprintf("let g:releases = '%s' | let g:nowhere = '%s'", server.URL, gone.URL),
				"-c", fmt.Sprintf(runSpec, script))
			command.Dir, command.Env = m.path("shop"), append(m.environment(), "PATH="+pathWithoutAmbit(t))
			out, err := command.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			} else if testing.Verbose() {
				t.Logf("%s", out)
			}
		})
	}
}

// pathWithoutAmbit returns the PATH without the ambit of the tests.
func pathWithoutAmbit(t *testing.T) string {
	t.Helper()
	ambit, err := exec.LookPath("ambit")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(os.Getenv("PATH"), filepath.Dir(ambit)+string(filepath.ListSeparator), "")
}

// releases serves releases in directories of their own: "good", "newer" and bad ones.
func releases(m *machine) http.Handler {
	m.t.Helper()
	server, err := exec.LookPath("ambit-server")
	if err != nil {
		m.t.Fatal(err)
	}
	works := fmt.Sprintf("#!/bin/sh\nexec %s \"$@\"\n", server)
	evil := fmt.Sprintf("#!/bin/sh\necho >%s\n", m.path("was-run"))
	good, newer := archive(m.t, "1.2.3", works), archive(m.t, "1.3.0", works)
	broken := archive(m.t, "1.2.3", "#!/bin/sh\necho wrong system >&2\nexit 1\n")
	mux := http.NewServeMux()
	serve := func(release, sums string, file http.HandlerFunc) {
		mux.HandleFunc("/"+release+"/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, sums) })
		if file != nil {
			mux.HandleFunc("/"+release+"/", file)
		}
	}
	serve("good", sumsOf("1.2.3", good), writes(good))
	serve("newer", sumsOf("1.3.0", newer), writes(newer))
	serve("broken", sumsOf("1.2.3", broken), writes(broken))
	serve("wrong", sumsOf("1.2.3", good), writes(archive(m.t, "1.2.3", evil)))
	serve("cut", sumsOf("1.2.3", good), writes(good[:len(good)/2]))
	serve("half", sumsOf("1.2.3", good), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(good)))
		_, _ = w.Write(good[:len(good)/2]) // the connection ends before the file does
	})
	serve("other", fmt.Sprintf("%064d  ambit-1.2.3-plan9-vax.tar.gz\n", 1), nil)
	serve("empty", "<html>not a release</html>\n", nil)
	return mux
}

// writes returns a handler that answers with data.
func writes(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }
}

// platform names this machine as the archives do.
const platform = runtime.GOOS + "-" + runtime.GOARCH

// sumsOf returns the SHA256SUMS of a release, which has files for others, too.
func sumsOf(version string, archive []byte) string {
	return fmt.Sprintf("%064d  NOTES.md\n%x  ambit-%[3]s-%[4]s.tar.gz\n%064[1]d  npm/ambit-%[3]s-launcher.tgz\n", 1, sha256.Sum256(archive), version, platform)
}

// archive returns an archive of a release with a program.
func archive(t *testing.T, version, program string) []byte {
	t.Helper()
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	w := tar.NewWriter(z)
	header := tar.Header{Name: fmt.Sprintf("ambit-%s-%s/ambit", version, platform), Mode: 0o755, Size: int64(len(program))}
	if err := w.WriteHeader(&header); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}
