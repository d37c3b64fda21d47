package graph

import "ambit/vectors/record"

// Defining returns the files that define a symbol of a kind, none for a kind that
// there is not. It reports false for what has no name: text, files and documents.
func (v *View) Defining(kind record.Kind) (files map[record.Path]bool, ok bool) {
	switch kind {
	case record.KindText, record.KindFile, record.KindDocument:
		return nil, false
	}
	number := kindNumber(kind)
	files = map[record.Path]bool{}
	if number == 0 {
		return files, true
	}
	for i, s := range v.parts {
		for j := range s.defs {
			if d := &s.defs[j]; d.kind == number && !v.dead[i][d.file] {
				files[s.files[d.file].path] = true
			}
		}
	}
	return files, true
}
