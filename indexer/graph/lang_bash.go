package graph

import (
	"path"
	"strings"
)

// shell is Bash and its relatives. A sourced file adds its names to the script that sources
// it, and all scripts of a program share the names of its environment.
var shell = &language{names: []string{"bash"}, undeclared: true, rules: shellRules{}}

type shellRules struct{ defaultRules }

// shellExtensions are those that a name in `load` of bats or in a list of libraries leaves
// out.
var shellExtensions = []string{"", ".sh", ".bash", ".bats", ".zsh"}

// module finds a sourced file beside the script or below the root of the workspace, else the
// files whose path ends with the name.
func (shellRules) module(v *View, from *fileEntry, name string) module {
	var paths []string
	for _, dir := range []string{dirOf(string(from.path)), ""} {
		for _, ext := range shellExtensions {
			paths = append(paths, path.Join(dir, name+ext))
		}
	}
	if files := v.first(paths...); len(files) > 0 {
		return module{files: files}
	}
	name = strings.TrimLeft(name, "./")
	return module{files: v.suffixed(strings.TrimSuffix(name, path.Ext(name)), path.Ext(name), ".sh", ".bash")}
}
