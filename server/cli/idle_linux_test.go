package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/server/lsp/lsptest"
)

// fault is a permanent fault of the workspace dir of an editor.
type fault struct {
	name   string
	before func(t *testing.T, dir string) // runs before the server starts
	shell  string                         // commands at the start of its process
	attr   *syscall.SysProcAttr
	after  func(t *testing.T, dir string) // runs when the server is ready
	state  string                         // the expected state
	says   string                         // a part of the expected message
}

// faults are faults that a server may have for days.
var faults = []fault{
	{name: "none", state: "ready"},
	{name: "no sources", before: noSources, state: "ready"},
	{name: "times of other ages", before: otherAges, after: otherAges, state: "ready"},
	{name: "a workspace that is gone", after: func(t *testing.T, dir string) { must(t, os.Rename(dir, dir+".away")) },
		state: "error", says: "read workspace"},
	{name: "a cache that cannot be written", shell: "export XDG_CACHE_HOME=/dev/null; ", state: "ready"},
	{name: "a full disk", before: indexed, shell: "ulimit -f 128; ", after: func(t *testing.T, dir string) {
		must(t, os.WriteFile(dir+"/big.go", bytes.Repeat([]byte("var x = 1 // a line of some length\n"), 6000), 0o600))
	}, state: "error", says: "free some space"},
	{name: "watches that are used up", shell: "echo 2 > /proc/sys/user/max_inotify_watches && ", attr: ownUser(), state: "ready", says: "watches"},
}

// ownUser makes a process root of a new user namespace.
func ownUser() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
}

// noSources adds files to dir that are no sources; reading one may block for ever.
func noSources(t *testing.T, dir string) {
	must(t, syscall.Mkfifo(dir+"/pipe.go", 0o600))
	must(t, syscall.Mknod(dir+"/socket.go", syscall.S_IFSOCK|0o600, 0))
	for name, to := range map[string]string{"self": "self", "one": "two", "two": "one", "up": "..", "zero.go": "/dev/zero"} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	must(t, os.Mkdir(dir+"/closed", 0))
	t.Cleanup(func() { must(t, os.Chmod(dir+"/closed", 0o700)) })
}

// otherAges sets the times of files to next year, the next minute and 1970.
func otherAges(t *testing.T, dir string) {
	for name, at := range map[string]time.Time{
		"cart.go": time.Now().AddDate(1, 0, 0), "item.go": time.Now().Add(time.Minute), "cart_test.go": time.Unix(0, 0),
	} {
		must(t, os.Chtimes(filepath.Join(dir, name), at, at))
	}
}

// indexed indexes dir.
func indexed(t *testing.T, dir string) {
	out, err := exec.Command("ambit", "index", "--root", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// burn keeps a thread of this process busy until it has used so much of a processor.
func burn(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(1, &r); err != nil { // RUSAGE_THREAD
			return d
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	for until := used() + d; used() < until; {
	}
}

// used returns how much of a processor a process has used.
func used(t *testing.T, pid int) time.Duration {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	ticks := 0
	for _, f := range fields[11:13] { // utime and stime, see proc(5)
		n, err := strconv.Atoi(f)
		must(t, err)
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100 // USER_HZ
}

// A server in a busy loop uses as much of a processor as a busy thread beside it, on any
// machine. A server that waits uses almost nothing.
func TestAServerWithAFaultWaits(t *testing.T) {
	const busy = 2 * time.Second
	d := newDesk(t, nil)
	t.Setenv("TMPDIR", t.TempDir())
	pids := map[string]int{}
	var editors []*lsptest.Editor
	for _, f := range faults {
		dir, uri := folder(t, shop)
		if f.before != nil {
			f.before(t, dir)
		}
		command := exec.Command("sh", "-c", f.shell+"exec ambit lsp")
		command.SysProcAttr = f.attr
		if f.attr != nil {
			probe := exec.Command("sh", "-c", f.shell+"true")
			probe.SysProcAttr = f.attr
			if out, err := probe.CombinedOutput(); err != nil {
				t.Logf("%s: not tried, as nobody may have users of his own here: %v %s", f.name, err, out)
				continue
			}
		}
		e := lsptest.Launch(t, d.model, command)
		e.Begin(lsptest.Client{Folders: []string{uri}, Options: lsptest.Object{"statusNotifications": true}})
		e.Await("ambit/status", isReady(uri))
		if f.after != nil {
			f.after(t, dir)
		}
		e.Await("ambit/status", func(raw json.RawMessage) bool {
			var st struct{ State, Message string }
			return json.Unmarshal(raw, &st) == nil && st.State == f.state && strings.Contains(st.Message, f.says)
		})
		holds(t, f.name, asked(t, e), "priceOf")
		pids[f.name], editors = command.Process.Pid, append(editors, e)
	}
	before := map[string]time.Duration{}
	for name, pid := range pids {
		before[name] = used(t, pid)
	}
	burn(busy)
	for name, pid := range pids {
		took := used(t, pid) - before[name]
		t.Logf("%s: %v", name, took)
		if took > busy/4 {
			t.Errorf("%s: the server used %v while another used %v of a processor", name, took, busy)
		}
	}
	for _, e := range editors {
		holds(t, "a server in the end", asked(t, e), "priceOf")
	}
}

// asked returns the matches of a search.
func asked(t *testing.T, e *lsptest.Editor) string {
	t.Helper()
	return command(t, e, "ambit.search", lsptest.Object{"query": "priceOf"})
}
