package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// vsix lets editors/vscode/package.mjs pack the extension with the binary of a platform.
func (r *release) vsix(p platform, _ []byte, _ *shared) error {
	if _, err := os.Stat("editors/vscode/node_modules/@vscode/vsce"); err != nil {
		fmt.Fprintf(os.Stderr, "%s: without the VS Code extension; npm ci in editors/vscode installs what packs it\n", p)
		return nil
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(r.binary(p))
	if err != nil {
		return err
	}
	cmd := exec.Command("node", "editors/vscode/package.mjs", binary, p.node, r.version, out)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.date.Unix(), 10))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pack the VS Code extension: %w\n%s", err, said)
	}
	return nil
}
