package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// phases are the ways in which a start gets an index, each by the files that it finds.
// Path is the path of the index of a workspace that has a twin.
var phases = []struct {
	name string
	find func(t *testing.T, path string)
}{
	{"a copy of the twin's index", func(t *testing.T, path string) { must(t, os.RemoveAll(filepath.Dir(path))) }},
	{"the index of another version", func(t *testing.T, path string) {
		must(t, os.Remove(path))
		db, err := store.Open(path, store.Options{Recipe: "of before"})
		must(t, err)
		must(t, db.Close())
	}},
	{"a damaged index", func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		must(t, err)
		for i := range data {
			data[i] ^= 0x55
		}
		must(t, os.WriteFile(path, data, 0o600))
	}},
	{"an index that is cut off", func(t *testing.T, path string) { must(t, os.Truncate(path, 50_000)) }},
	{"the beginning of an index", func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }},
	{"what a dead owner left", func(t *testing.T, path string) {
		must(t, os.WriteFile(filepath.Join(filepath.Dir(path), "owner.lock"), []byte("1\n/nowhere/owner.sock\n"), 0o600))
	}},
	{"indexes of former builds", func(t *testing.T, path string) {
		must(t, os.Remove(path)) // a new index removes the leftovers
		dir := filepath.Dir(path)
		for i := range 3 {
			former := fmt.Sprintf("%s%06x", dir[:len(dir)-6], i)
			must(t, os.MkdirAll(former, 0o700))
			for _, name := range []string{"owner.lock", "index.db"} {
				must(t, os.WriteFile(filepath.Join(former, name), []byte("\n"), 0o600))
			}
		}
	}},
}

// A start is killed at any point, and perhaps the next one too. The start after them
// answers as usual.
func TestAKilledStartLosesNothing(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 70 { // enough files for a copy
		files[fmt.Sprintf("d%d/f%d.go", i%7, i)] = fmt.Sprintf("package d\n\n// Work%d does the work.\nfunc Work%d() { Work%d() }\n", i, i, i+1)
	}
	d := newDesk(t, files)
	rounds := len(phases)
	if text := os.Getenv("AMBIT_SEEDS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		rounds = n
	}
	answer := func() string { // a line, and lines on standard error after it
		line, _, _ := strings.Cut(d.ambit("search", "--json", "the work of Work33"), "\n")
		line, fresh, _ := strings.Cut(line, `,"freshness":{"generation":`)
		_, fresh, _ = strings.Cut(fresh, ",")            // the number of batches differs between the ways
		return strings.ReplaceAll(line+fresh, d.dir, "") // the URIs of a twin have its directory
	}
	started := time.Now()
	want := answer()
	took := time.Since(started)
	path := d.index()
	twin, _ := folder(t, files)
	d.dir, twin = twin, d.dir
	if got := answer(); got != want || !strings.Contains(want, "Work33") {
		t.Fatalf("a twin finds\n%s\nwant\n%s", got, want)
	}
	d.dir = twin
	random := rand.New(rand.NewPCG(uint64(rounds), 1))
	kills := 0
	for round := range rounds {
		phase := phases[round%len(phases)]
		phase.find(t, path)
		for range 1 + random.IntN(2) {
			start := exec.Command("ambit", "index", "--root", d.dir)
			must(t, start.Start())
			kill := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { _ = start.Process.Kill() })
			if err := start.Wait(); err != nil && start.ProcessState.Exited() {
				t.Errorf("round %d, %s: the start fails with %v", round, phase.name, err)
			} else if err != nil {
				kills++
			}
			kill.Stop()
		}
		if got := answer(); got != want {
			t.Errorf("round %d, %s: found\n%s\nwant\n%s", round, phase.name, got, want)
		}
		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatalf("round %d, %s: %v", round, phase.name, err)
		}
		if err := storetest.Check(t.Context(), db); err != nil {
			t.Errorf("round %d, %s: %v", round, phase.name, err)
		}
		must(t, db.Close())
	}
	t.Logf("%d kills in %d rounds", kills, rounds)
}
