package watch_test

import (
	"strings"
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
		"Go.SUM": watch.LockFile, "a.PNG": watch.Binary, "A.Key": watch.Secret, "ID_RSA": watch.Secret, "\u212aubeconfig": watch.Secret, ".npmrc": watch.Secret,
		"credentials.csv": watch.Secret, "credential.csv": "", "my-credentials.csv": "", "yarn.lock.md": "", ".env.local": watch.Secret, ".env.example": "",
		"prod.tfstate.backup": watch.Secret, "prod.TFSTATE.Backup": watch.Secret, "prod.backup": "", "client_secret.json": watch.Secret, "deno.lock": watch.LockFile,
		"a/": "", "é.go": "", "é.der": watch.Secret, strings.Repeat("a", 70): "", "buildscript-gradle.lockfile": watch.LockFile,
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

func TestNamesAreLeftOutInCapitals(t *testing.T) {
	if lost := watch.LostInCapitals(); len(lost) > 0 {
		t.Errorf("not left out: %q", lost)
	}
}
