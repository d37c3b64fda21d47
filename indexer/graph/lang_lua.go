package graph

import "strings"

// lua: a module is a file, and its value is the table that the file returns. A plain name
// without a declaration in the file is a global of any file.
var lua = &language{names: []string{"lua"}, undeclared: true, reexports: markedReexports, rules: luaRules{}}

type luaRules struct{ defaultRules }

// module finds a module by the rule of package.path: dots are slashes, and a directory stands
// for its init.lua. The directory of the package (lua/, src/) is not in the name.
func (luaRules) module(v *View, _ *fileEntry, name string) module {
	base := strings.ReplaceAll(name, ".", "/")
	if files := v.suffixed(base, ".lua"); len(files) > 0 {
		return module{files: files}
	}
	if files := v.suffixed(base+"/init", ".lua"); len(files) > 0 {
		return module{files: files}
	}
	return module{outside: true}
}

// exported finds a member of the table that a module returns: function M.name.
func (luaRules) exported(_ *Query, at place, name string, _ int) answer {
	for i, s := range at.named(name) {
		if s.Parent < 0 && s.Container != "" {
			return answer{things: []thing{{at: at.ref, symbol: i, prob: sureProbability}}}
		}
		if s.Parent >= 0 && at.Symbols[s.Parent].Parent < 0 { // local M = { name = function() … end }
			return answer{things: []thing{{at: at.ref, symbol: i, prob: basedProbability}}}
		}
	}
	return answer{}
}
