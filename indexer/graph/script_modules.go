package graph

import (
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// scriptConfig is what a package.json or a tsconfig.json says of the names of modules.
type scriptConfig struct {
	dir     string
	name    string // of the package
	entries []scriptEntry
}

// scriptEntry says that a name, which can have one "*", means a path.
type scriptEntry struct{ name, target string }

// match returns the part of a name that stands for the "*" of a pattern, and whether the
// pattern fits.
func (e scriptEntry) match(name string) (rest string, ok bool) {
	before, after, wild := strings.Cut(e.name, "*")
	if !wild {
		return "", e.name == name
	}
	if len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return name[len(before) : len(name)-len(after)], true
}

// scriptConfig returns the configuration at a path, nil for none.
func (v *View) scriptConfig(p string) *scriptConfig {
	if c, ok := v.configs.Load(p); ok {
		return c.(*scriptConfig)
	}
	var c *scriptConfig
	if r, ok := v.find(record.Path(p)); ok {
		c = readConfig(p, v.file(r).pkg)
	}
	v.configs.Store(p, c)
	return c
}

func readConfig(p, config string) *scriptConfig {
	name, rest, _ := strings.Cut(config, "\n")
	c := &scriptConfig{dir: dirOf(p), name: name}
	for line := range strings.SplitSeq(rest, "\n") {
		if key, target, ok := strings.Cut(line, "\t"); ok {
			c.entries = append(c.entries, scriptEntry{key, target})
		}
	}
	return c
}

// scriptPackages returns the packages of the workspace by name, the shortest path first.
func (v *View) scriptPackages() map[string]*scriptConfig {
	v.packaged.Do(func() {
		v.packages = map[string]*scriptConfig{}
		for _, r := range v.withBase("package") {
			f := v.file(r)
			if path.Base(string(f.path)) != "package.json" {
				continue
			}
			c := readConfig(string(f.path), f.pkg)
			if known := v.packages[c.name]; c.name != "" && (known == nil || len(c.dir) < len(known.dir)) {
				v.packages[c.name] = c
			}
		}
	})
	return v.packages
}

// upwards calls fn with a directory and each one above it, until fn returns files.
func upwards(dir string, fn func(dir string) []ref) []ref {
	for {
		if files := fn(dir); len(files) > 0 {
			return files
		}
		if dir == "" || dir == "." {
			return nil
		}
		dir = dirOf(dir)
	}
}

// mappedFiles returns the files that a name means by the nearest tsconfig.json or
// jsconfig.json that maps it, by the imports of its package, or as a package of the workspace.
func (v *View) mappedFiles(from *fileEntry, name string) []ref {
	dir := dirOf(string(from.path))
	if strings.HasPrefix(name, "#") {
		if files := upwards(dir, func(dir string) []ref {
			if c := v.scriptConfig(path.Join(dir, "package.json")); c != nil {
				return v.targetsOf(c, c.dir, name)
			}
			return nil
		}); len(files) > 0 {
			return files
		}
	}
	if files := upwards(dir, func(dir string) []ref {
		for _, base := range []string{"tsconfig.json", "jsconfig.json"} {
			if files := v.compilerFiles(path.Join(dir, base), name, 0); len(files) > 0 {
				return files
			}
		}
		return nil
	}); len(files) > 0 {
		return files
	}
	return v.packageFiles(name)
}

// maxExtends bounds the configurations that one extends.
const maxExtends = 8

// compilerFiles returns the files that a name means by the configuration at a path.
func (v *View) compilerFiles(p, name string, depth int) []ref {
	c := v.scriptConfig(p)
	if c == nil || depth > maxExtends {
		return nil
	}
	base := c.dir
	extends := []string{}
	for _, e := range c.entries {
		switch e.name {
		case languages.ScriptBase:
			base = path.Join(c.dir, e.target)
		case languages.ScriptExtends:
			extends = append(extends, e.target)
		}
	}
	if files := v.targetsOf(c, base, name); len(files) > 0 {
		return files
	}
	if slices.ContainsFunc(c.entries, func(e scriptEntry) bool { return e.name == languages.ScriptBase }) {
		if files := v.scriptFiles(path.Join(base, name)); len(files) > 0 {
			return files
		}
	}
	for _, e := range extends {
		for _, parent := range v.extended(c.dir, e) {
			if files := v.compilerFiles(parent, name, depth+1); len(files) > 0 {
				return files
			}
		}
	}
	return nil
}

// extended returns the paths that a configuration in a directory can name as the one that it
// extends: relative to it, or in a package of the workspace.
func (v *View) extended(dir, name string) []string {
	at := path.Join(dir, name)
	if !strings.HasPrefix(name, ".") {
		c, rest := v.packageOf(name)
		if c == nil {
			return nil
		}
		at = path.Join(c.dir, rest)
	}
	return []string{at, at + ".json", path.Join(at, "tsconfig.json")}
}

// targetsOf returns the files that the entries of a configuration map a name to: those of the
// longest pattern that has some.
func (v *View) targetsOf(c *scriptConfig, base, name string) []ref {
	var found []ref
	longest := -1
	for _, e := range c.entries {
		rest, ok := e.match(name)
		if before, _, _ := strings.Cut(e.name, "*"); !ok || len(before) <= longest {
			continue
		}
		if files := v.builtFiles(base, strings.Replace(e.target, "*", rest, 1)); len(files) > 0 {
			before, _, _ := strings.Cut(e.name, "*")
			found, longest = files, len(before)
		}
	}
	return found
}

// packageOf returns the package of the workspace that a name starts with, and the rest.
func (v *View) packageOf(name string) (c *scriptConfig, rest string) {
	packages := v.scriptPackages()
	for own := name; own != ""; {
		if c := packages[own]; c != nil {
			return c, strings.TrimPrefix(name[len(own):], "/")
		}
		i := strings.LastIndexByte(own, '/')
		own = own[:max(i, 0)]
	}
	return nil, ""
}

// packageFiles returns the files that a name means in a package of the workspace.
func (v *View) packageFiles(name string) []ref {
	c, rest := v.packageOf(name)
	if c == nil {
		return nil
	}
	key := "."
	if rest != "" {
		key = "./" + rest
	}
	if files := v.targetsOf(c, c.dir, key); len(files) > 0 {
		return files
	}
	for _, p := range []string{rest, "src/" + rest, "lib/" + rest} {
		if files := v.scriptFiles(path.Join(c.dir, p)); len(files) > 0 {
			return files
		}
	}
	return nil
}

// builtFiles returns the files of a path below a directory. What a build writes is no part of
// the workspace; its source has the same path below src.
func (v *View) builtFiles(dir, target string) []ref {
	full := path.Join(dir, target)
	if files := v.scriptFiles(full); len(files) > 0 {
		return files
	}
	rest := strings.TrimPrefix(path.Clean(target), "/")
	first, after, ok := strings.Cut(rest, "/")
	for ok && outputDirs[first] {
		rest = after
		for _, end := range []string{".d.ts", ".d.mts", ".d.cts"} {
			rest = strings.TrimSuffix(rest, end)
		}
		for _, source := range []string{"src", ""} {
			if files := v.scriptFiles(path.Join(dir, source, rest)); len(files) > 0 {
				return files
			}
		}
		first, after, ok = strings.Cut(after, "/")
	}
	return nil
}

// outputDirs are the usual names of directories that builds write.
var outputDirs = map[string]bool{"dist": true, "lib": true, "build": true, "out": true, "output": true, "esm": true, "cjs": true, "es": true, "types": true, "typings": true, "mjs": true, "umd": true, "node": true, "browser": true}
