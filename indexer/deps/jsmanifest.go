package deps

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// jsManifest is what a package.json says.
type jsManifest struct {
	Name, Version        string
	Types, Typings, Main string
	exports, imports     any // see jsValue
	typesVersions        any
	workspaces           []string
	dependencies         map[string]string // those that the package itself installs, with their ranges
}

// jsObject is an object of JSON with its members in order: conditions count in the order in
// which a manifest has them.
type jsObject []jsMember

type jsMember struct {
	key   string
	value any // as jsValue returns it
}

// get returns the value of a member, nil for none.
func (o jsObject) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// maxJSONDepth bounds the objects of a manifest inside one another.
const maxJSONDepth = 32

// parseManifest reads a package.json. What cannot be read is left out.
func parseManifest(text []byte) *jsManifest {
	m := &jsManifest{dependencies: map[string]string{}}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	top, _ := jsValue(d, 0).(jsObject)
	m.Name, m.Version = stringOf(top.get("name")), stringOf(top.get("version"))
	m.Types, m.Typings, m.Main = stringOf(top.get("types")), stringOf(top.get("typings")), stringOf(top.get("main"))
	m.exports, m.imports, m.typesVersions = top.get("exports"), top.get("imports"), top.get("typesVersions")
	workspaces := top.get("workspaces")
	if o, ok := workspaces.(jsObject); ok { // as Yarn 1 writes it
		workspaces = o.get("packages")
	}
	if list, ok := workspaces.([]any); ok {
		for _, x := range list {
			m.workspaces = append(m.workspaces, stringOf(x))
		}
	}
	for _, key := range []string{"dependencies", "devDependencies", "optionalDependencies"} {
		list, _ := top.get(key).(jsObject)
		for _, d := range list {
			m.dependencies[d.key] = stringOf(d.value)
		}
	}
	return m
}

// stringOf returns a value that is one text, "" for another one.
func stringOf(value any) string {
	s, _ := value.(string)
	return s
}

// jsValue reads a value: a string, a jsObject, a list of values, or nil for anything else.
func jsValue(d *json.Decoder, depth int) any {
	t, err := d.Token()
	if err != nil || depth > maxJSONDepth {
		return nil
	}
	switch t {
	case json.Delim('{'):
		o := jsObject{}
		for d.More() {
			key, err := d.Token()
			name, ok := key.(string)
			if err != nil || !ok {
				return o
			}
			o = append(o, jsMember{name, jsValue(d, depth+1)})
		}
		_, _ = d.Token() // the end of the object; what is read so far counts
		return o
	case json.Delim('['):
		list := []any{}
		for d.More() {
			n := d.InputOffset()
			list = append(list, jsValue(d, depth+1))
			if d.InputOffset() == n {
				break
			}
		}
		_, _ = d.Token() // as above
		return list
	}
	if s, ok := t.(string); ok {
		return s
	}
	return nil
}

// jsConditions are those of "exports" and "imports" that count, for a module that is imported and
// for one that is required. "types" leads to declarations, as TypeScript reads them.
//
// Source: https://nodejs.org/api/packages.html#conditional-exports and
// https://www.typescriptlang.org/docs/handbook/modules/reference.html.
var jsConditions = [][]string{
	{"types", "import", "node", "module-sync", "default"},
	{"types", "require", "node", "default"},
}

// exported returns the paths in the package that a subpath ("." or "./x") means, or a name of
// "imports" ("#x"), in the order in which they are tried. sealed says that the package decides
// which of its files others see, so that no other file counts.
func (m *jsManifest) exported(subpath string) (targets []string, sealed bool) {
	value := m.exports
	if strings.HasPrefix(subpath, "#") {
		value = m.imports
	}
	if value == nil {
		return nil, false
	}
	o, ok := value.(jsObject)
	paths := ok && slices.ContainsFunc(o, func(m jsMember) bool { return strings.HasPrefix(m.key, ".") || strings.HasPrefix(m.key, "#") })
	if !paths {
		if subpath != "." {
			return nil, true
		}
		o = jsObject{{".", value}}
	}
	best, rest := -1, ""
	for i, e := range o {
		part, ok := starred(e.key, subpath)
		if ok && (best < 0 || e.key == subpath || o[best].key != subpath && len(prefixOf(e.key)) > len(prefixOf(o[best].key))) {
			best, rest = i, part
		}
	}
	if best < 0 {
		return nil, true
	}
	for _, conditions := range jsConditions {
		for _, t := range targetsOf(o[best].value, conditions) {
			if t = strings.ReplaceAll(t, "*", rest); strings.HasSuffix(t, "/") {
				t += rest
			}
			if !slices.Contains(targets, t) {
				targets = append(targets, t)
			}
		}
	}
	return targets, true
}

// starred reports whether a pattern, which can have one "*" or end with "/", fits a name, and
// returns the part that the "*" stands for.
func starred(pattern, name string) (rest string, ok bool) {
	if pattern == name {
		return "", true
	}
	before, after, wild := strings.Cut(pattern, "*")
	if !wild && !strings.HasSuffix(pattern, "/") || len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return name[len(before) : len(name)-len(after)], true
}

func prefixOf(pattern string) string {
	before, _, _ := strings.Cut(pattern, "*")
	return before
}

// targetsOf returns the paths of a value of "exports" under some conditions.
func targetsOf(value any, conditions []string) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			if t := targetsOf(x, conditions); len(t) > 0 {
				return t
			}
		}
	case jsObject:
		for _, m := range v {
			if slices.Contains(conditions, m.key) {
				if t := targetsOf(m.value, conditions); len(t) > 0 {
					return t
				}
			}
		}
	}
	return nil
}

// versioned returns where "typesVersions" puts a path for the newest TypeScript, and the path
// itself when it says nothing of it.
func (m *jsManifest) versioned(p string) []string {
	ranges, _ := m.typesVersions.(jsObject)
	for _, r := range ranges {
		if strings.Contains(r.key, "<") {
			continue // older versions
		}
		paths, _ := r.value.(jsObject)
		for _, e := range paths {
			rest, ok := starred(e.key, path.Clean(p))
			if !ok {
				continue
			}
			var out []string
			list, _ := e.value.([]any)
			for _, t := range list {
				out = append(out, strings.ReplaceAll(stringOf(t), "*", rest))
			}
			return out
		}
		return []string{p}
	}
	return []string{p}
}
