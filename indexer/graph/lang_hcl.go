package graph

import (
	"path"
	"strings"
)

// hcl: the files of a directory are one module and share their names, such as var.region. The
// source of a module is another directory.
var hcl = &language{names: []string{"hcl"}, packages: ownDirectory, reexports: noReexports, rules: hclRules{}}

type hclRules struct{ defaultRules }

func (hclRules) module(v *View, from *fileEntry, source string) module {
	if !strings.HasPrefix(source, ".") {
		return module{outside: true}
	}
	return module{files: v.inDir(strings.TrimPrefix(path.Join(dirOf(string(from.path)), source), "/"))}
}

// unscoped finds nothing, because the package rule has searched the whole module.
func (hclRules) unscoped(_ *Query, _ place, _ string, outside bool) answer {
	return answer{outside: outside}
}
