package watch_test

import (
	"testing"

	"ambit/indexer/watch"
)

func TestNamedOutJudgesFilesThatDoNotExist(t *testing.T) {
	f, err := watch.NewFilter(t.TempDir(), watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.go": "", "deep/.env": watch.Secret, ".ssh/anything": watch.Secret, "x.key": watch.Secret, "go.sum": watch.LockFile, "a.png": watch.Binary,
	} {
		if got := f.NamedOut(name); got != want {
			t.Errorf("NamedOut(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestANameIsLeftOutForOneReason(t *testing.T) {
	if !watch.OneReasonEach() {
		t.Error("two sets of names or of extensions have a word in common")
	}
}
