package watch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/watch"
)

// TestAListingIsThatOfTheStandardLibrary lists a directory that takes several calls of the
// system, with names of all lengths and bytes, then smaller ones in the same memory.
func TestAListingIsThatOfTheStandardLibrary(t *testing.T) {
	root := t.TempDir()
	for i := range 700 {
		name := fmt.Sprintf("%03d%0*d", i, 1+i%200, 7)
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sub", "sub/deep", "empty"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a b", "ünï", "..hidden", "sub/x.go", "sub/deep/y"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sub", filepath.Join(root, "link")); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}
	for _, dir := range []string{"", "sub/", "empty/", "sub/deep/", ""} {
		want := []string{}
		list, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			want = append(want, fmt.Sprint(dir+e.Name(), " ", e.IsDir(), " ", e.Type().IsRegular()))
		}
		got, err := watch.List(filepath.Join(root, dir), dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", dir, diff)
		}
	}
}
