package project

import (
	"path"
	"strings"

	"ambit/vectors/record"
)

// Starts reports whether a symbol that is named main starts the program of its file: in
// many languages the name is as good as any other.
func Starts(g *record.FileGraph, s *record.Symbol) bool {
	switch base := path.Base(string(g.Path)); strings.ToLower(path.Ext(base)) {
	case ".go":
		return g.Package == "main" && s.Kind == record.KindFunction
	case ".rs":
		return s.Parent < 0 && base != "build.rs"
	case ".java", ".cs":
		return strings.Contains(s.Signature, "static")
	case ".c", ".cc", ".cpp", ".cxx", ".kt", ".swift", ".scala":
		return s.Parent < 0
	}
	return false
}

// SpeaksForItself reports whether the first comment of a source file is about that file. In
// other languages it is about the whole package, about the first declaration or a licence.
func SpeaksForItself(name string) bool {
	switch path.Ext(name) {
	case ".py", ".rs":
		return true
	}
	return false
}
