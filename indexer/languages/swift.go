package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// swiftVisible reports whether neither private nor fileprivate stands before a declaration. A
// setter can be private alone.
func swiftVisible(_, header string) bool { return !swiftPrivate().MatchString(header) }

var swiftPrivate = lazy.Regexp(`^(?:@[\w.]+(?:\([^)]*\))?\s+|\w+(?:\(\w+\))?\s+)*?(?:file)?private\s`)

// swiftTest accepts functions with Swift Testing's attribute, and methods without parameters
// that are named test…, as XCTest runs them.
func swiftTest(d *Decl, text string) bool {
	return IsCallable(d.Kind) && (swiftTestMark().MatchString(text[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)]) ||
		strings.HasPrefix(d.Name, "test") && strings.HasPrefix(text[d.NameSpan.End:], "()"))
}

var swiftTestMark = lazy.Regexp(`@Test\b`)

// swiftImport reads the import of a module, or of one declaration of it: `import struct A.B`.
func swiftImport(i record.Import) record.Import {
	i.Name = "*"
	if module, name, ok := strings.Cut(i.Path, "."); ok {
		_, name = CutLast(name)
		i.Path, i.Name, i.Local = module, name, name
	}
	return i
}

// swiftModule returns the module of a file by the layout of Swift packages:
// Sources/Module/File.swift. It is "" in another layout, whose files are one module.
func swiftModule(path string) string {
	segments := strings.Split(path, "/")
	for i := len(segments) - 3; i >= 0; i-- {
		switch segments[i] {
		case "Sources", "Tests", "Plugins":
			return segments[i+1]
		}
	}
	return ""
}

// swiftExtension gives an extension the name of the type that it extends.
func swiftExtension(d *Decl, _ string) {
	if d.Kind != record.KindImpl {
		d.Name = strings.Trim(d.Name, "`")
		return
	}
	switch name := strings.TrimRight(d.Name, "?!"); {
	case name != d.Name:
		d.Name = "Optional"
	case strings.HasPrefix(name, "[") && strings.Contains(name, ":"):
		d.Name = "Dictionary"
	case strings.HasPrefix(name, "["):
		d.Name = "Array"
	default:
		d.Name = strings.Join(strings.Fields(withoutArguments(name)), "")
	}
}

// swiftType returns the type of the elements of a list or a dictionary: `[Key: Value]`.
func swiftType(typ string) string {
	for {
		typ = strings.TrimRight(strings.TrimSpace(typ), "?!")
		if !strings.HasPrefix(typ, "[") || closing(typ, 0) != len(typ)-1 {
			return typ
		}
		typ = typ[1 : len(typ)-1]
		if i := strings.IndexByte(typ, ':'); i >= 0 && !strings.ContainsAny(typ[:i], "[(<") {
			typ = typ[i+1:]
		}
	}
}
