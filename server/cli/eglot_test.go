package cli_test

import (
	"os"
	"os/exec"
	"testing"
)

// A client from outside the project, Emacs' eglot, is served. In CI (AMBIT_CI is set) an
// Emacs without eglot fails the test; elsewhere the test is skipped.
func TestEglotIsServed(t *testing.T) {
	if err := exec.Command("emacs", "-Q", "--batch", "--eval", "(require 'eglot)").Run(); err != nil {
		const need = "Emacs 29 or later is missing; on Debian 12: apt-get install -t bookworm-backports emacs-nox"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	dir, _ := folder(t, shop)
	command := exec.Command("timeout", "600", "emacs", "-Q", "--batch", "-l", "testdata/eglot.el")
	command.Env = append(os.Environ(), "AMBIT_TEST_WORKSPACE="+dir, "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("emacs: %v\n%s", err, out)
	}
}
