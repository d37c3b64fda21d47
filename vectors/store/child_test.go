package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// childRole and childPath tell this test binary to be another process instead.
const (
	childRole = "AMBIT_STORE_TEST_CHILD"
	childPath = "AMBIT_STORE_TEST_PATH"
)

// runChild plays a role over the index at childPath until it is killed or its
// standard input ends, and returns its exit code. It prints a line per step.
func runChild(role string) int {
	if role == "begin" {
		return runBeginnings(os.Getenv(childPath))
	}
	db, err := store.Open(os.Getenv(childPath), store.Options{})
	if err != nil {
		fmt.Println("open:", err)
		return 1
	}
	ctx := context.Background()
	switch role {
	case "hold":
		fmt.Println("holding")
		_, _ = os.Stdin.Read(make([]byte, 1))
	case "apply":
		for {
			if err := db.Apply(ctx, numberedBatch(db.Generation()+1), nil); err != nil {
				fmt.Println("apply:", err)
				return 1
			}
			if err := db.SaveView(ctx, "view", db.Generation(), []byte(strings.Repeat("v", 3<<20))); err != nil {
				fmt.Println("view:", err)
				return 1
			}
			fmt.Println(db.Generation())
		}
	case "full":
		return runFullDisk(ctx, db)
	case "full cache":
		return runFullCache(ctx, db)
	}
	if err := db.Close(); err != nil {
		fmt.Println("close:", err)
		return 1
	}
	return 0
}

// numberedBatch is the batch that makes generation g: some files new, some again,
// some removed.
func numberedBatch(g uint64) *record.Batch {
	b := &record.Batch{}
	for i := range uint64(12) {
		path := record.Path(fmt.Sprintf("f%d.go", (g+i)%20))
		n := int(1 + (g+3*i)%9)
		b.Files = append(b.Files, storetest.Record(path, storetest.Text(int(g), n), n))
	}
	b.Removed = append(b.Removed, record.Path(fmt.Sprintf("f%d.go", (g+15)%20)))
	return b
}

// startChild starts this binary in a role and returns it with its output.
func startChild(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	if _, err := cmd.StdinPipe(); err != nil { // open until cmd.Wait
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func TestAKilledProcessLeavesWholeBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("processes that are killed")
	}
	path := filepath.Join(t.TempDir(), "index.db")
	same := storetest.Open(t) // gets the same batches and lives
	m := model{files: map[record.Path]record.FileRecord{}}
	for round := range 12 {
		child, out := startChild(t, "apply", path)
		for range 1 + round%4 { // then it is somewhere inside the next batch or view
			if !out.Scan() {
				t.Fatalf("the child ended: %v", out.Err())
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()

		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for same.Generation() < db.Generation() {
			m.apply(t, same, numberedBatch(same.Generation()+1))
		}
		m.check(t, db)
		r := begin(t, db)
		if view, _, err := r.LoadView(t.Context(), "view"); err != nil || view != nil && len(view) != 3<<20 {
			t.Errorf("round %d: a view of %d bytes, %v", round, len(view), err)
		}
		r.Close()
		storetest.Close(t, db)
	}
}

func TestAFileThatAnotherProcessHoldsIsInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	child, out := startChild(t, "hold", path)
	if !out.Scan() || out.Text() != "holding" {
		t.Fatalf("the child says %q", out.Text())
	}
	for name, open := range map[string]func() error{
		"Open": func() error {
			_, err := store.Open(path, store.Options{LockTimeout: time.Millisecond})
			return err
		},
		"OpenOrRebuild": func() error {
			_, _, err := store.OpenOrRebuild(path, store.Options{LockTimeout: time.Millisecond, Model: "other"})
			return err
		},
	} {
		if err := open(); !errors.Is(err, store.ErrInUse) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s gave %v, want one line with ErrInUse", name, err)
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	storetest.OpenAt(t, path)
}

// runFullDisk fills the index until the system refuses a batch, and checks the index.
func runFullDisk(ctx context.Context, db *store.DB) int {
	limit := syscall.Rlimit{Cur: 4 << 20, Max: 4 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		return 1
	}
	for g := uint64(1); ; g++ {
		b := &record.Batch{}
		for i := range 50 {
			b.Files = append(b.Files, storetest.Record(record.Path(fmt.Sprintf("%d/%d.go", g, i)), storetest.Text(int(g), 20), 20))
		}
		err := db.Apply(ctx, b, nil)
		if err == nil {
			continue
		}
		fmt.Println("refused:", err)
		if _, err := os.Stat(os.Getenv(childPath) + ".bad-1"); !errors.Is(err, fs.ErrNotExist) {
			fmt.Println("a file that was moved aside keeps its room:", err)
		}
		if db.Generation() != g-1 {
			fmt.Printf("generation %d after %d whole batches\n", db.Generation(), g-1)
			return 1
		}
		break
	}
	if err := db.Check(ctx); err != nil {
		fmt.Println(err)
		return 1
	}
	// Removing needs little room and goes on.
	if err := db.Apply(ctx, &record.Batch{Removed: []record.Path{"1/1.go"}}, nil); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := errors.Join(db.Check(ctx), db.Close()); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func TestAFullDiskKeepsTheIndexAndNamesTheNextStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	write(t, path+".bad-1", "an earlier index")
	child, out := startChild(t, "full", path)
	var said []string
	for out.Scan() {
		said = append(said, out.Text())
	}
	if err := child.Wait(); err != nil {
		t.Errorf("the child ends with %v", err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "free some space") {
		t.Errorf("the child says %q, want one line with the next step", said)
	}
	storetest.OpenAt(t, path)
}

// runFullCache writes new versions of the same files, more than the limit of the file
// holds with all revisions.
func runFullCache(ctx context.Context, db *store.DB) int {
	limit := syscall.Rlimit{Cur: 4 << 20, Max: 4 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		return 1
	}
	most := 0
	for g := range 60 {
		b := &record.Batch{}
		for i := range 50 {
			b.Files = append(b.Files, storetest.Record(record.Path(fmt.Sprintf("%d.go", i)), storetest.Text(50*g+i, 20), 20))
		}
		if err := db.Apply(ctx, b, nil); err != nil {
			fmt.Println("refused:", err)
			return 1
		}
		st, err := storetest.Stats(ctx, db)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		most = max(most, st.Revisions)
	}
	if err := errors.Join(db.Check(ctx), db.Close()); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(most > 0)
	return 0
}

func TestTheCacheGivesWayWhenTheDiskIsFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	child, out := startChild(t, "full cache", path)
	var said []string
	for out.Scan() {
		said = append(said, out.Text())
	}
	if err := child.Wait(); err != nil {
		t.Errorf("the child ends with %v", err)
	}
	if !slices.Equal([]string{"true"}, said) {
		t.Errorf("the child says %q, want one line that says that the cache held revisions", said)
	}
	storetest.OpenAt(t, path)
}

// runBeginnings begins indexes in dir, whose files the system limits to a few pages.
func runBeginnings(dir string) int {
	for pages := range 6 {
		limit := syscall.Rlimit{Cur: uint64(pages * os.Getpagesize()), Max: 1 << 30}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println(err)
			return 1
		}
		_, err := store.Open(filepath.Join(dir, fmt.Sprint(pages)), store.Options{})
		fmt.Println(errors.Is(err, store.ErrFull))
	}
	return 0
}

func TestTheBeginningOfANewIndexIsNoDamage(t *testing.T) {
	dir := t.TempDir()
	child, out := startChild(t, "begin", dir)
	for pages := 0; out.Scan(); pages++ {
		if out.Text() != "true" {
			t.Errorf("an index with room for %d pages: ErrFull is %s", pages, out.Text())
		}
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	for pages := range 6 {
		path := filepath.Join(dir, fmt.Sprint(pages))
		size := int64(-1)
		if info, err := os.Stat(path); err == nil {
			size = info.Size()
		}
		db, notice, err := store.OpenOrRebuild(path, store.Options{})
		if err != nil || notice != "" {
			t.Fatalf("after room for %d pages, %d bytes: notice %q, %v; want a new index and no notice", pages, size, notice, err)
		}
		storetest.Close(t, db)
		if _, err := os.Stat(path + ".bad-1"); err == nil {
			t.Errorf("the beginning of %d pages was kept", pages)
		}
	}
}
