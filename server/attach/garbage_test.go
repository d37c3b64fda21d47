package attach_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ws "ambit/server/workspace"
)

func TestIndexesOfFormerBuildsAreRemovedExceptTheLatestAndThoseInUse(t *testing.T) {
	w := newTree(t, harbour)
	w.open().close()
	dir := w.folder()
	workspace := dir[:len(dir)-len("000000")]
	now := time.Now()
	for i, version := range []string{"aaaaaa", "bbbbbb", "cccccc", "dddddd"} {
		lock := filepath.Join(workspace+version, ws.LockName)
		if err := os.Mkdir(workspace+version, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(lock, now, now.Add(time.Duration(i-10)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(workspace+"eeeeee", 0o700); err != nil { // of which the lock file went first
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(workspace+"eeeeee", indexName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(dir), "of-another-program")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	held, err := ws.TakeLock(workspace + "bbbbbb")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()

	w.open().close()
	if _, err := os.Stat(workspace + "aaaaaa"); err != nil {
		t.Errorf("an index that is opened again does not look at others: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, indexName)); err != nil {
		t.Fatal(err)
	}
	w.open()
	want := map[string]bool{"aaaaaa": false, "bbbbbb": true, "cccccc": false, "dddddd": true, "eeeeee": false}
	got := map[string]bool{}
	for version := range want {
		_, err := os.Stat(workspace + version)
		got[version] = err == nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("which are there (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("another dir of the cache: %v", err)
	}
}
