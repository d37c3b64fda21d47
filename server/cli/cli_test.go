package cli_test

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.etcd.io/bbolt"

	"ambit/server/cli"
	"ambit/vectors/store"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ambit": func() { os.Exit(cli.Main()) },
		"ambit-in-a-loop": func() { // which never yields
			go func() {
				for n := 0; ; {
					n++
				}
			}()
			os.Exit(cli.Main())
		},
		"parse-tree": func() { parseTree(os.Args[1]) },
	})
}

// The scripts of testdata/cli test the command line. Each script has a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/cli",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "home", "cache"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "home", "config"))
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each process ends a second later
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" { // file modes do not restrict root
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"refuse":  refuse,
			"oddfile": oddFile,
			"bigfile": bigFile,
			"damage":  damage,
			"older":   older,
			"zip":     zipDirectory,
		},
	})
}

func TestAnInterruptIsOneLine(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := cli.Run(ctx, []string{"index", "--root", t.TempDir()}, &stdout, &stderr)
	if code != 1 || stderr.String() != "ambit: interrupted\n" || stdout.String() != "" {
		t.Errorf("got exit code %d, standard error %q and output %q, want 1 and one line", code, &stderr, &stdout)
	}
}

// panicWriter panics like a bug.
type panicWriter struct{}

func (panicWriter) Write([]byte) (int, error) { panic("a bug") }

func TestABugIsOneLine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stderr strings.Builder
	code := cli.Run(t.Context(), []string{"version"}, panicWriter{}, &stderr)
	if got := stderr.String(); code != 1 || strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "ambit: internal error: a bug; please report") {
		t.Errorf("got exit code %d and standard error %q, want 1 and one line that says how to report it", code, got)
	}
}

// refuse CODE COMMAND ARG... expects the exit code, nothing on standard output and
// one line on standard error, which a following stderr command can look at.
func refuse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refuse CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		ts.Fatalf("got %v, want exit code %d", err, want)
	}
	if got := exit.ExitCode(); got != want {
		ts.Fatalf("got exit code %d, want %d", got, want)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("got standard output %q, want none", out)
	}
	line := ts.ReadFile("stderr")
	if !strings.HasPrefix(line, "ambit: ") || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
		ts.Fatalf("got standard error %q, want one line that begins with ambit:", line)
	}
}

// oddfile NAME TEXT writes a file under a name in Go syntax.
func oddFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: oddfile NAME TEXT")
	}
	name, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
}

// bigfile NAME BYTES writes a file of lines of Go.
func bigFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bigfile NAME BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	const line = "var x = 1 // a line of some length\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(line, n/len(line)+1)), 0o600))
}

// damage CACHE damages the only index in a cache directory.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage CACHE")
	}
	path := indexIn(ts, args[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	for i := range content {
		content[i] ^= 0x55
	}
	ts.Check(os.WriteFile(path, content, 0o600))
}

// older CACHE makes the only index in a cache directory one of an older release.
func older(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: older CACHE")
	}
	db, err := bbolt.Open(indexIn(ts, args[0]), 0o600, nil)
	ts.Check(err)
	ts.Check(db.Update(func(tx *bbolt.Tx) error {
		// The sum of a value begins with the number of its table, here 0, and covers the key.
		value := binary.AppendUvarint(nil, store.FormatVersion-1)
		sum := crc32.Checksum(append([]byte("version"), value...), crc32.MakeTable(crc32.Castagnoli))
		return tx.Bucket([]byte("meta")).Put([]byte("version"), binary.LittleEndian.AppendUint32(value, sum))
	}))
	ts.Check(db.Close())
}

// indexIn returns the path of the only index in a cache directory.
func indexIn(ts *testscript.TestScript, cache string) string {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(cache), "ambit", "*", "index.db"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("got indexes %q, want one", found)
	}
	return found[0]
}

// zip ARCHIVE DIR writes the files of a directory to an archive.
func zipDirectory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: zip ARCHIVE DIR")
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o700))
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w := zip.NewWriter(f)
	ts.Check(w.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(w.Close())
	ts.Check(f.Close())
}
