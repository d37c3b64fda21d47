// Package gittest runs the real git in tests.
package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Home makes git read no settings but those in the folder that it returns.
func Home(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_DIR": "", "GIT_CONFIG_GLOBAL": "", "GIT_CONFIG_SYSTEM": "", "LC_ALL": "C",
	} {
		t.Setenv(k, v)
		if v == "" {
			os.Unsetenv(k)
		}
	}
	return home
}

// Run runs git in dir and returns what it prints.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s in %s: %v", strings.Join(args, " "), dir, err)
	}
	return string(out)
}

// Stall makes every later git of the process wait before it does anything. Running
// returns when one is waiting; what it returns lets that one and those after it go on.
func Stall(t testing.TB) (running func() (resume func())) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n[ -p '%s' ] && read line < '%[1]s'\nexec '%s' \"$@\"\n", pipe, git)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // opens when the script has opened the other end
		if err != nil {
			t.Error(err)
		}
		return func() {
			_ = os.Remove(pipe)
			_ = w.Close() // the script reads the end of the pipe
		}
	}
}
