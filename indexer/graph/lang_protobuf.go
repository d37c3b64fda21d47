package graph

import (
	"strings"

	"ambit/vectors/record"
)

// protobuf: all files of a package share their names; a path starts at any package around.
var protobuf = &language{names: []string{"protobuf"}, packages: workspace, implicitSelf: true, reexports: markedReexports, rules: protobufRules{}}

type protobufRules struct{ defaultRules }

// module finds an imported file below one of the roots of the workspace.
func (protobufRules) module(v *View, _ *fileEntry, name string) module {
	files := v.suffixed(strings.TrimSuffix(name, ".proto"), ".proto")
	return module{files: files[:min(len(files), 1)], outside: len(files) == 0}
}

// modulePath finds the package that a path starts with: below the package of the file, then
// below the packages around it.
func (protobufRules) modulePath(v *View, from record.Path, name string) (files []ref, rest string, ok bool) {
	at, known := v.find(from)
	if !known {
		return nil, "", false
	}
	name = strings.TrimPrefix(name, ".")
	for scope := v.file(at).pkg; ; {
		for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
			if files := v.inPackage(joined(scope, name[:end])); len(files) > 0 {
				return files, strings.TrimPrefix(name[end:], "."), true
			}
		}
		if scope == "" {
			return nil, "", false
		}
		scope = scope[:max(strings.LastIndexByte(scope, '.'), 0)]
	}
}

func joined(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

// unscoped finds nothing: a name is one of the package or of an import.
func (protobufRules) unscoped(_ *Query, _ place, _ string, outside bool) answer {
	return answer{outside: outside}
}
