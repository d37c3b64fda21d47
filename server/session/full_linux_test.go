package session_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ambit/indexer/watch/treetest"
	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/storetest"
)

// diskKind makes this test binary run one test on a small disk of that kind.
const diskKind = "AMBIT_SESSION_TEST_DISK"

// The kinds of small disks.
const (
	smallFS   = "file system"     // in memory, private to the process
	smallFile = "limit of a file" // a limit of the file size, where mounting is not permitted
)

// diskBytes is the size of a small file system: larger than a small index, smaller than
// the files of the tests.
const diskBytes = 6 << 20

// smallDisk is a disk that a test can fill and clear.
type smallDisk struct {
	t    *testing.T
	kind string
	dir  string
}

// onSmallDisk runs the calling test in a child process and calls f there with a small
// disk: a real file system where mounting is permitted, otherwise a limit of file sizes.
func onSmallDisk(t *testing.T, f func(d *smallDisk)) {
	t.Helper()
	if kind := os.Getenv(diskKind); kind != "" {
		f(newSmallDisk(t, kind))
		return
	}
	out, err := onDiskOf(t, smallFS, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	})
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran || strings.Contains(out, "--- SKIP: "+t.Name()) {
		t.Logf("mounting is not permitted here, the test limits file sizes instead: %v\n%s", err, out)
		out, err = onDiskOf(t, smallFile, nil)
	}
	if err != nil || !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Fatalf("on a small disk: %v\n%s", err, out)
	}
	t.Log(out)
}

// onDiskOf runs the test on a kind of disk in a child process.
func onDiskOf(t *testing.T, kind string, attr *syscall.SysProcAttr) (string, error) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env, cmd.SysProcAttr = append(os.Environ(), diskKind+"="+kind), attr
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func newSmallDisk(t *testing.T, kind string) *smallDisk {
	t.Helper()
	d := &smallDisk{t, kind, t.TempDir()}
	if kind == smallFS {
		if err := syscall.Mount("small", d.dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskBytes)); err != nil {
			t.Skipf("mount a small file system: %v", err)
		}
		t.Cleanup(func() { d.must(syscall.Unmount(d.dir, 0)) })
	}
	return d
}

func (d *smallDisk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// fill fills the disk.
func (d *smallDisk) fill() {
	d.t.Helper()
	if d.kind == smallFile {
		d.must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: math.MaxUint64})) // the first pages
		return
	}
	ballast, err := os.Create(d.dir + "/ballast")
	d.must(err)
	if _, err := io.Copy(ballast, zeros{}); !strings.Contains(fmt.Sprint(err), "no space left") {
		d.t.Fatalf("a full disk: %v", err)
	}
	d.must(ballast.Close())
}

// clear frees the space that fill took.
func (d *smallDisk) clear() {
	d.t.Helper()
	if d.kind == smallFile {
		d.must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: math.MaxUint64, Max: math.MaxUint64}))
		return
	}
	d.must(os.Remove(d.dir + "/ballast"))
}

func TestFullDiskAnswersAndCatchesUp(t *testing.T) {
	onSmallDisk(t, func(d *smallDisk) {
		base := t.TempDir()
		g := treetest.New(t, base+"/tree")
		a := treetest.NewAuthor(1)
		g.Write("old.go", "package p\n\nfunc Walrus() {}\n")
		s := openAt(t, g.Dir, d.dir, true)
		await, end := following(t, s)
		await(api.StateReady)
		path := session.Stored(s.session).Path()
		d.fill()
		for i := range 30 {
			g.Write(fmt.Sprintf("%02d.go", i), strings.Repeat(a.Text("a.go"), 10))
		}
		st := await(api.StateFailed)
		if want := "write index " + path + ": "; strings.Contains(st.Message, "\n") || !strings.Contains(st.Message, want) ||
			!strings.HasSuffix(st.Message, "; free some space or choose another cache folder with XDG_CACHE_HOME") || st.Pending == 0 {
			t.Errorf("on a full disk: %+v, want one line with the path and the next step, and the pending files", st)
		}
		g.Write("new.go", "package p\n\nfunc Okapi() {}\n")
		synced(t, s)
		for query, want := range map[string]string{"Walrus": "old.go", "Okapi": "new.go"} {
			if got := find(t, s, query); !strings.Contains(got, want) {
				t.Errorf("on a full disk %q finds %q, want %s", query, got, want)
			}
		}
		if b := contextOf(t, s, "Walrus"); b.Freshness.State != api.StateFailed {
			t.Errorf("on a full disk an answer has freshness %+v", b.Freshness)
		}
		if err := storetest.Check(t.Context(), session.Stored(s.session)); err != nil {
			t.Errorf("on a full disk: %v", err)
		}
		d.clear() // without any event
		if st := await(api.StateReady); st.Files != 32 || st.Pending != 0 || st.Message != "" {
			t.Errorf("with room again: %+v, want 32 files", st)
		}
		end()
		fresh := freshKnowledge(t, g.Dir, base+"/fresh", 1)
		if diff := difference(fresh, know(t, s, treetest.NewAuthor(1))); diff != "" {
			t.Errorf("with room again (-fresh +grown):\n%s", diff)
		}
		closeSession(t, s)
		s = openAt(t, g.Dir, d.dir, false)
		defer closeSession(t, s)
		if diff := difference(fresh, know(t, s, treetest.NewAuthor(1))); diff != "" || s.Notice() != "" {
			t.Errorf("opened again: %q (-fresh +grown):\n%s", s.Notice(), diff)
		}
	})
}

func TestAnswerOnAFullDiskReportsPendingFiles(t *testing.T) {
	onSmallDisk(t, func(d *smallDisk) {
		g := treetest.New(t, t.TempDir()+"/tree")
		a := treetest.NewAuthor(1)
		g.Write("old.go", "package p\n\nfunc Walrus() {}\n")
		s := openAt(t, g.Dir, d.dir, false)
		defer closeSession(t, s)
		index(t, s)
		d.fill()
		for i := range 30 {
			g.Write(fmt.Sprintf("%02d.go", i), strings.Repeat(a.Text("a.go"), 10))
		}
		for range 2 {
			if _, err := s.Index(t.Context(), nil); !errors.Is(err, api.ErrFull) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("Index on a full disk: %v, want one line that is %v", err, api.ErrFull)
			}
		}
		if f := contextOf(t, s, "Walrus").Freshness; f.State != api.StateFailed || f.Pending != 30 {
			t.Errorf("an answer on a full disk has freshness %+v, want 30 pending files", f)
		}
		d.clear()
		index(t, s)
		if f := contextOf(t, s, "Walrus").Freshness; f.State != api.StateReady || f.Pending != 0 {
			t.Errorf("an answer with room again has freshness %+v", f)
		}
	})
}

// Each directory has less room than Open and Close write there.
func TestOpenAndCloseSucceedOnAFullDisk(t *testing.T) {
	onSmallDisk(t, func(d *smallDisk) {
		base := t.TempDir()
		g := treetest.New(t, base+"/tree")
		a := treetest.NewAuthor(1)
		for i := range grove {
			g.Write(fmt.Sprintf("%03d.go", i), a.Text("a.go"))
		}
		s := openAt(t, g.Dir, d.dir, false)
		path := session.Stored(s.session).Path()
		index(t, s)
		closeSession(t, s)
		fresh := freshKnowledge(t, g.Dir, base+"/fresh", 1)
		check := func(what string, s *opened) {
			t.Helper()
			if diff := difference(fresh, know(t, s, treetest.NewAuthor(1))); diff != "" {
				t.Errorf("%s (-fresh +grown):\n%s", what, diff)
			}
		}

		d.fill()
		s = openAt(t, g.Dir, d.dir, true) // the watcher cannot write its cookies
		await, end := following(t, s)
		await(api.StateReady)
		end()
		check("opened on a full disk", s)
		if err := session.SaveViews(t.Context(), s.session); !errors.Is(err, api.ErrFull) && d.kind == smallFS {
			t.Errorf("SaveViews on a full disk: %v", err)
		}
		closeSession(t, s)
		s = openAt(t, g.Dir, d.dir, false) // perhaps without saved views
		index(t, s)
		check("opened again", s)
		closeSession(t, s)

		twin := treetest.New(t, base+"/twin")
		for _, f := range g.Files() {
			text, err := os.ReadFile(g.Full(f))
			d.must(err)
			twin.Write(f, string(text))
		}
		set := config.Defaults()
		set.CacheDir, set.MaxFileBytes = d.dir, maxBytes
		if _, err := openSession(t.Context(), twin.Dir, session.Options{Settings: &set}); !errors.Is(err, api.ErrFull) && d.kind == smallFS {
			t.Errorf("a second workspace on a full disk: %v, want %v", err, api.ErrFull)
		}
		if found, err := filepath.Glob(d.dir + "/*/*.seed-*"); err != nil || len(found) > 0 {
			t.Errorf("failed clones left files: %q, %v", found, err)
		}

		if d.kind == smallFile { // the limit does not depend on other files
			return
		}
		corrupted, err := os.ReadFile(path)
		d.must(err)
		d.clear()
		for i := range corrupted {
			corrupted[i] ^= 0x55
		}
		d.must(os.WriteFile(path, corrupted, 0o600))
		d.fill()
		s = openAt(t, g.Dir, d.dir, false) // moves the damaged index aside and needs its space
		if s.Notice() == "" {
			t.Error("got no notice of a damaged index on a full disk")
		}
		index(t, s)
		check("built anew on a full disk", s)
		closeSession(t, s)
	})
}
