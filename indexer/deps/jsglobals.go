package deps

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// globals returns the files that declare names which the code of a file has without an import: of
// the library of TypeScript, else of packages @types.
func (t *jsTree) globals(ctx context.Context, file record.Path, names []string) Found {
	out := Found{Leads: map[graph.Lead]record.Path{}}
	c := t.config(file)
	dir := path.Dir(path.Join(t.prefix, string(file)))
	var typed []*jsPackage // found when the library has not all names
	library, err := t.above(dir, "typescript")
	for _, name := range names {
		var files []*File
		if err == nil {
			files = t.libraryFiles(library, c.libraries(), name)
		}
		if len(files) == 0 && typed == nil {
			typed = t.typePackages(dir, c)
		}
		for _, p := range typed {
			if len(files) > 0 || ctx.Err() != nil {
				break
			}
			files = t.globalFiles(p, name, names)
		}
		for _, f := range files {
			if len(out.Files) == maxGlobals {
				return out
			}
			if !slices.Contains(out.Files, f) {
				out.Files = append(out.Files, f)
			}
			for _, n := range []string{name, ""} {
				out.Leads[graph.GlobalLead(f.Record.File.Path, n)] = f.Record.File.Path
			}
		}
	}
	return out
}

// typePackages returns the packages whose declarations need no import: those that a configuration
// names, else all of @types.
func (t *jsTree) typePackages(dir string, c jsConfig) (out []*jsPackage) {
	add := func(name string) {
		if p, err := t.above(dir, name); err == nil && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if c.types != nil {
		for _, name := range c.types {
			if own, _, ok := splitSpecifier(name); ok {
				add("@types/" + strings.ReplaceAll(strings.TrimPrefix(own, "@"), "/", "__"))
				add(own)
			}
		}
		return out
	}
	add("@types/node") // before those that declare a part of it for other environments
	root := t.root()
	for at := dir; root != nil; at = path.Dir(at) {
		if d, err := root.Open(path.Join(at, nodeModules, "@types")); err == nil {
			entries, _ := d.ReadDir(maxDirFiles) // what was read is used
			_ = d.Close()                        // as it is only read
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			for _, e := range entries {
				add("@types/" + e.Name())
			}
		}
		if at == "." || at == "/" {
			break
		}
	}
	return out
}

// globalFiles returns the files of a package that declare a global. Of several those come first
// that declare most of the other names in question, as the parts of a name space.
func (t *jsTree) globalFiles(p *jsPackage, name string, names []string) (out []*File) {
	files := slices.Clone(t.globalIndex(p)[name])
	if len(files) > 1 {
		declared := map[string]int{}
		for _, f := range files {
			e := t.entry(jsFile{p, f})
			for _, n := range names {
				if e != nil && n != name && e.declares(n) {
					declared[f]++
				}
			}
		}
		slices.SortStableFunc(files, func(a, b string) int { return declared[b] - declared[a] })
		files = files[:min(len(files), maxParts)]
	}
	for _, f := range files {
		if parsed := t.parsed(jsFile{p, f}); parsed != nil {
			out = append(out, parsed)
		}
	}
	return out
}

const (
	// maxGlobals bounds the files for the globals of one question: most have one declaration each.
	maxGlobals = 4 * maxFiles
	// maxParts bounds the files of one package that declare a part of a global.
	maxParts = 4
	// maxGlobalFiles bounds the files of a package that are searched for globals: @types/node has
	// some 80.
	maxGlobalFiles = 200
)

// globalIndex returns the files of a package by the globals that they declare. It is made once: it
// counts as long as the package is the same.
func (t *jsTree) globalIndex(p *jsPackage) map[string][]string {
	p.known.mu.Lock()
	known := p.known.globals
	p.known.mu.Unlock()
	if known != nil {
		return known
	}
	known = map[string][]string{}
	var queue []string
	if entry, ok := t.entryOf(p, "."); ok {
		queue = append(queue, entry.name)
	}
	for i := 0; i < len(queue) && i < maxGlobalFiles; i++ {
		root := t.in(p)
		if root == nil {
			break
		}
		text, _, err := readFile(root, queue[i])
		if err != nil {
			continue
		}
		for _, name := range scanGlobals(text) {
			known[name] = append(known[name], queue[i])
		}
		for _, r := range referencesOf(text, "path") {
			if f, ok := t.file(p, path.Join(path.Dir(queue[i]), r)); ok && !slices.Contains(queue, f.name) {
				queue = append(queue, f.name)
			}
		}
	}
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	p.known.globals = known
	return known
}

// referencesOf returns what the directives /// <reference KIND="..." /> at the head of a text name.
func referencesOf(text []byte, kind string) (out []string) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "/// <reference "+kind+`="`); ok {
			name, _, _ := strings.Cut(rest, `"`)
			out = append(out, name)
		}
		if strings.HasPrefix(line, "declare ") || strings.HasPrefix(line, "interface ") {
			break
		}
	}
	return out
}

// scanGlobals returns the names that a text declares for all files: at its top when it is no
// module, and in its blocks "global".
func scanGlobals(text []byte) (out []string) {
	s := jsScanner{text: text}
	var blocks []int // the depths of the blocks
	top, ahead := []string{}, false
	for s.next() {
		word := string(s.word)
		switch {
		case word == "{" && ahead:
			blocks = append(blocks, s.depth)
		case word == "}" && len(blocks) > 0 && s.depth < blocks[len(blocks)-1]:
			blocks = blocks[:len(blocks)-1]
		}
		ahead = word == "global"
		inBlock := len(blocks) > 0 && s.depth == blocks[len(blocks)-1]
		if s.depth != 0 && !inBlock {
			continue
		}
		switch word {
		case "export", "import":
			s.scan.module = s.scan.module || s.depth == 0
		case "function", "class", "interface", "type", "const", "let", "var", "enum", "namespace":
			n := len(s.scan.names)
			s.declaration()
			if inBlock {
				out = append(out, s.scan.names[n:]...)
			} else {
				top = append(top, s.scan.names[n:]...)
			}
		}
	}
	if !s.scan.module {
		out = append(out, top...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withoutGlobalBlocks blanks the braces of blocks "global" in declared modules, which the grammar
// does not know. What is declared in them is read as declared by the module.
func withoutGlobalBlocks(text []byte) []byte {
	if !bytes.Contains(text, []byte("global {")) {
		return text
	}
	out := slices.Clone(text)
	s := jsScanner{text: text}
	var blocks []int // the depths of the blocks
	before, start, ahead := "", 0, false
	for s.next() {
		word := string(s.word)
		switch {
		case word == "{" && ahead:
			blocks = append(blocks, s.depth)
			for i := start; i < s.at; i++ {
				out[i] = ' '
			}
		case word == "}" && len(blocks) > 0 && s.depth < blocks[len(blocks)-1]:
			blocks = blocks[:len(blocks)-1]
			out[s.at-1] = ' '
		}
		if ahead = word == "global" && before != "declare" && s.depth > 0; ahead {
			start = s.at - len(word)
		}
		before = word
	}
	return out
}
