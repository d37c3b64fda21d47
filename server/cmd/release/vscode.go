package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// vsix writes the VS Code extension with the binary of a platform.
func (r *release) vsix(p platform, _ []byte, _ *shared) error {
	binary, err := filepath.Abs(r.binary(p))
	if err != nil {
		return err
	}
	return r.extension(p.node, "--binary", binary)
}

// universal writes the VS Code extension without a binary: it uses an ambit that is
// installed.
func (r *release) universal() error { return r.extension("universal") }

// extension lets editors/vscode/package.mjs pack the extension.
func (r *release) extension(platform string, args ...string) error {
	if _, err := os.Stat("editors/vscode/node_modules/@vscode/vsce"); err != nil {
		fmt.Fprintf(os.Stderr, "%s: without the VS Code extension; npm ci in editors/vscode installs what packs it\n", platform)
		return nil
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	args = append([]string{"editors/vscode/package.mjs", "--platform", platform, "--version", r.version, "--out", out}, args...)
	cmd := exec.Command("node", args...)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.date.Unix(), 10))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pack the VS Code extension: %w\n%s", err, said)
	}
	return nil
}
