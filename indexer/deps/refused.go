package deps

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Refused is a place that a manifest names and that is not read.
type Refused struct {
	What   string // "example.com/a => ../../.ssh"
	Reason string
}

// checkReplacement returns the real path of a directory that replaces a module, or why it is not
// read. As the go command does, it wants a go.mod for the module that is replaced: no other code
// can be reached by the directive. A hidden directory is refused, unless the workspace lies in it.
func (p *goProject) checkReplacement(name, dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", errors.New("there is no such directory")
	}
	if hidden := hiddenPart(p.root, real); hidden != "" {
		return "", fmt.Errorf("%s is a hidden directory", hidden)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return "", errors.New("it cannot be opened")
	}
	defer func() { _ = root.Close() }() // it is only read
	text, _, err := readFile(root, "go.mod")
	if err != nil {
		return "", errors.New("it has no go.mod")
	}
	if declared := modfile.ModulePath(text); declared != name {
		return "", fmt.Errorf("its go.mod declares the module %q", declared)
	}
	return real, nil
}

// hiddenPart returns the first hidden directory on the way to a directory that is not on the way
// to the workspace, "" for none.
func hiddenPart(workspace, dir string) string {
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	rel, err := filepath.Rel(workspace, dir)
	if err != nil {
		rel = dir // another volume
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return part
		}
	}
	return ""
}
