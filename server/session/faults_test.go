package session_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ambit/server/config"
	"ambit/server/session"
)

// childRole, childTree and childCache tell this test binary to be another process
// instead.
const (
	childRole  = "AMBIT_SESSION_TEST_CHILD"
	childTree  = "AMBIT_SESSION_TEST_TREE"
	childCache = "AMBIT_SESSION_TEST_CACHE"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(runChild(role))
	}
	goleak.VerifyTestMain(m)
}

// runChild indexes until it is killed or done, and prints a line for each step.
func runChild(role string) int {
	set := config.Defaults()
	set.CacheDir, set.MaxFileBytes = os.Getenv(childCache), maxBytes
	ctx := context.Background()
	s, err := session.Open(ctx, os.Getenv(childTree), session.Options{Settings: &set})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("opened", s.Notice())
	step := func(p session.Progress) { fmt.Println(p.Phase, p.Done, p.Path) }
	if _, err := s.Index(ctx, step); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("indexed")
	if err := s.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("closed")
	return 0
}

// child returns this binary in a role and what it prints.
func child(t *testing.T, role, dir, cache string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childRole+"="+role, childTree+"="+dir, childCache+"="+cache)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// killed is an index that processes bring up to date which are killed at any point,
// several for each step.
type killed struct {
	scanned
	kills, whole int           // processes that were killed, and that were done before
	took         time.Duration // of the last that was done: the next is killed within it
}

func (d *killed) catchUp(t *testing.T) {
	t.Helper()
	closeSession(t, d.s)
	for range 1 + d.a.IntN(3) {
		cmd, out := child(t, "index", d.dir, d.cache)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // it has the index open, or could not
		kill := time.AfterFunc(time.Duration(d.a.IntN(int(d.took)+1)), func() { _ = cmd.Process.Kill() })
		started := time.Now()
		for more := true; more; more = lines.Scan() {
			if text, bad := strings.CutPrefix(lines.Text(), "error: "); bad {
				t.Errorf("the next start after a kill says: %s", text)
			}
		}
		kill.Stop()
		if cmd.Wait() == nil {
			d.whole++
			d.took = time.Since(started)
		} else {
			d.kills++
		}
	}
	d.s = openAt(t, d.dir, d.cache, false)
	if notice := d.s.Notice(); notice != "" {
		t.Errorf("the index of a killed process is not used: %s", notice)
	}
	if err := session.Stored(d.s).Check(t.Context()); err != nil {
		t.Errorf("the index of a killed process: %v", err)
	}
	if _, err := d.s.Search(t.Context(), session.Search{Query: "cart"}); err != nil {
		t.Errorf("an answer from the index of a killed process: %v", err)
	}
	index(t, d.s)
}

// grove is how many files a killed process has to index at first: more than those
// whose views are made anew by Open, so that views are saved and restored.
const grove = 150

// firstTook is about how long a process takes from opening the index to its end.
const firstTook = 60 * time.Millisecond

func TestAnIndexWhoseProcessesAreKilledEqualsAFreshOne(t *testing.T) {
	n, first := seeds(t, killSeeds)
	kills, whole := 0, 0
	for seed := first; seed < first+uint64(n); seed++ {
		base := t.TempDir()
		dir := filepath.Join(base, "tree")
		g := newGarden(t, dir)
		a := newAuthor(seed)
		for i := range grove {
			g.write(fmt.Sprintf("grove/%d/%s", i%7, fmt.Sprintf("f%03d%s", i, a.pick(extensions))), a.text(".go"))
		}
		d := &killed{scanned: scanned{dir: dir, cache: base + "/grown", a: newAuthor(^seed)}, took: firstTook}
		d.s = openAt(t, dir, d.cache, false)
		for _, steps := range plan(seed, 3) {
			for _, s := range steps {
				g.do(s)
			}
			if a.IntN(2) == 0 {
				g.rename("grove", fmt.Sprintf("grove%d", a.IntN(9))) // many files at once
			} else {
				g.rename(fmt.Sprintf("grove%d", a.IntN(9)), "grove")
			}
			d.catchUp(t)
		}
		asked := a.Uint64()
		if diff := difference(freshly(t, dir, base+"/fresh", asked), know(t, d.s, newAuthor(asked))); diff != "" {
			t.Fatalf("AMBIT_SEED=%d (-fresh +grown):\n%s", seed, diff)
		}
		d.close(t)
		kills, whole = kills+d.kills, whole+d.whole
	}
	t.Logf("%d kills, %d processes that were done before", kills, whole)
	if kills < n {
		t.Errorf("only %d kills in %d seeds", kills, n)
	}
}
