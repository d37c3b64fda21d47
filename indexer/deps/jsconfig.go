package deps

import (
	"encoding/json"
	"path"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// jsConfig is what a tsconfig.json says of the names that need no import. The zero value is that
// of a file without one.
type jsConfig struct {
	target string
	libs   []string // nil for those of the target
	types  []string // nil for all packages @types
}

// maxConfigExtends bounds the configurations that one extends, directly or not.
const maxConfigExtends = 8

// config returns what the nearest tsconfig.json or jsconfig.json above a file of the workspace says.
func (t *jsTree) config(file record.Path) jsConfig {
	for at := path.Dir(path.Join(t.prefix, string(file))); ; at = path.Dir(at) {
		for _, base := range []string{"tsconfig.json", "jsconfig.json"} {
			if _, err := t.stat(path.Join(at, base)); err == nil {
				return t.readConfig(path.Join(at, base), 0)
			}
		}
		if at == "." || at == "/" {
			return jsConfig{}
		}
	}
}

// readConfig reads a configuration. What it does not say is said by those that it extends, the
// last one first.
func (t *jsTree) readConfig(name string, depth int) (c jsConfig) {
	root := t.root()
	if root == nil || depth > maxConfigExtends {
		return c
	}
	text, _, err := readFile(root, name)
	if err != nil {
		return c
	}
	var f struct {
		Extends         any
		CompilerOptions struct {
			Target string
			Lib    []string
			Types  []string
		}
	}
	_ = json.Unmarshal(languages.PlainJSON(text), &f) // what cannot be read is not said
	c.target, c.libs, c.types = f.CompilerOptions.Target, f.CompilerOptions.Lib, f.CompilerOptions.Types
	bases, _ := f.Extends.([]any)
	if one, ok := f.Extends.(string); ok {
		bases = []any{one}
	}
	for i := len(bases) - 1; i >= 0; i-- {
		b := t.readConfig(t.extended(path.Dir(name), stringOf(bases[i])), depth+1)
		if c.target == "" {
			c.target = b.target
		}
		if c.libs == nil {
			c.libs = b.libs
		}
		if c.types == nil {
			c.types = b.types
		}
	}
	return c
}

// extended returns the path of the configuration that one in a directory extends.
func (t *jsTree) extended(dir, name string) string {
	at := path.Join(dir, name)
	if !strings.HasPrefix(name, ".") {
		pkg, subpath, ok := splitSpecifier(name)
		if !ok {
			return ""
		}
		p, err := t.above(dir, pkg)
		if err != nil {
			return ""
		}
		at = path.Join(p.dir, subpath)
	}
	if path.Ext(at) == ".json" {
		return at
	}
	if _, err := t.stat(at + ".json"); err == nil {
		return at + ".json"
	}
	return path.Join(at, "tsconfig.json")
}

// libraries returns the names of the files of TypeScript's library that a configuration starts
// with.
//
// Source: https://www.typescriptlang.org/tsconfig/#lib; without a target the newest edition counts.
func (c jsConfig) libraries() []string {
	if c.libs != nil {
		var out []string
		for _, l := range c.libs {
			out = append(out, strings.ToLower(l))
		}
		return out
	}
	switch target := strings.ToLower(c.target); target {
	case "":
		return []string{"esnext.full"}
	case "es3", "es5":
		return []string{""}
	case "es6", "es2015":
		return []string{"es6"}
	default:
		return []string{target + ".full"}
	}
}
