package deps

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Match is a declaration of a direct dependency.
type Match struct {
	File   *File
	Symbol int
	Score  float64 // from 0 to 1; that of the name itself is 1
}

const (
	// maxTreeFiles and maxTreeBytes bound what is read of all dependencies for one search.
	maxTreeFiles = 30_000
	maxTreeBytes = 128 << 20
	// maxSearchParses bounds the files that are parsed for a search.
	maxSearchParses = 48
	// leastScore is that of a declaration with half of the words in its name.
	leastScore = 0.3
)

// tree is the files of one package.
type tree struct {
	source                            // of its top directory
	archive *archive                  // that has the files, in place of the directory
	exts    []string                  // of the files that count, the first that the tree has
	tops    []string                  // the names at its top that count; nil for all
	within  string                    // the directory that counts; "" for all
	hides   func(*record.Symbol) bool // declarations that users cannot name; nil for none
}

// Search returns the exported declarations of the direct dependencies of the files of a workspace
// that words are about, at most most of them, the best first: those with the name that the words
// are, then those whose name, type and doc comment have the words. It reads the packages that
// Report finds and keeps no index of them.
func (f *Finder) Search(ctx context.Context, files []record.Path, query string, most int) []Match {
	s := search{ctx: ctx, words: wordsOf(query)}
	if len(s.words) == 0 {
		return nil
	}
	for _, e := range f.ecosystems {
		for _, t := range e.trees(files) {
			s.read(&t)
		}
	}
	slices.SortStableFunc(s.files, func(a, b searched) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(string(a.tree.shown)+a.name, string(b.tree.shown)+b.name))
	})
	var out []Match
	for i := range s.files[:min(len(s.files), maxSearchParses)] {
		if ctx.Err() != nil {
			return nil
		}
		if file := f.parsedOf(&s.files[i]); file != nil {
			out = append(out, s.matches(s.files[i].tree, file)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), most)]
}

// search is a search under way.
type search struct {
	ctx    context.Context // of the request that the search lives for
	words  []string
	nFiles int
	nBytes int
	files  []searched
}

// searched is a file with some of the words.
type searched struct {
	tree  *tree
	name  string // below the top of the tree, with slashes
	score int
}

// otherDirs are directories of packages without declarations for users.
var otherDirs = []string{"testdata", "vendor", "node_modules", "test", "tests", "__tests__", "spec", "specs", "examples", "example", "benches", "internal"}

// read notes the files of a tree that have the words.
func (s *search) read(t *tree) {
	if t.archive != nil {
		for _, name := range slices.Sorted(maps.Keys(t.archive.entries)) {
			s.file(t, name, func() ([]byte, error) { return t.archive.read(name) })
		}
		return
	}
	root, err := open(t.base, t.dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // it is only read
	names := t.names(root)
	for _, ext := range t.exts {
		found := false
		for _, name := range names {
			if strings.HasSuffix(name, ext) && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".min.js") {
				found = true
				s.file(t, name, func() ([]byte, error) {
					text, _, err := readFile(root, filepath.FromSlash(name))
					return text, err
				})
			}
		}
		if found {
			return
		}
	}
}

// names returns the regular files of a tree.
func (t *tree) names(root *os.Root) (names []string) {
	_ = fs.WalkDir(root.FS(), cmp.Or(t.within, "."), func(name string, e fs.DirEntry, err error) error { // what was read is used
		top, _, _ := strings.Cut(name, "/")
		switch {
		case err != nil || len(names) >= maxTreeFiles:
			return fs.SkipAll
		case t.tops != nil && name != "." && !slices.Contains(t.tops, strings.TrimSuffix(top, path.Ext(top))):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") || slices.Contains(otherDirs, e.Name())):
			return fs.SkipDir
		case e.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names
}

// file notes a file when half of the words are in it. Words in lines that look as declarations
// count more.
func (s *search) file(t *tree, name string, read func() ([]byte, error)) {
	if s.ctx.Err() != nil || s.nFiles >= maxTreeFiles || s.nBytes >= maxTreeBytes {
		return
	}
	text, err := read()
	s.nFiles, s.nBytes = s.nFiles+1, s.nBytes+len(text)
	if err != nil {
		return
	}
	lower := bytes.ToLower(text)
	score, has := 0, 0
	for _, w := range s.words {
		if bytes.Contains(lower, []byte(w)) {
			has++
		}
	}
	if 2*has < len(s.words) {
		return
	}
	joined := [][]byte{[]byte(strings.Join(s.words, "")), []byte(strings.Join(s.words, "_"))}
	for line := range bytes.Lines(lower) {
		if !looksDeclaring(line) {
			continue
		}
		n := 0
		for _, w := range s.words {
			if bytes.Contains(line, []byte(w)) {
				n++
			}
		}
		if bytes.Contains(line, joined[0]) || bytes.Contains(line, joined[1]) {
			n += 2
		}
		score = max(score, n)
	}
	s.files = append(s.files, searched{t, name, 10*score + has})
}

// declaringWords are the words with which the lines of declarations start, in lower case.
var declaringWords = map[string]bool{"func": true, "type": true, "def": true, "class": true, "module": true, "fn": true, "pub": true, "struct": true, "enum": true, "trait": true, "interface": true,
	"export": true, "declare": true, "function": true, "const": true, "let": true, "var": true, "public": true, "protected": true, "abstract": true, "static": true, "async": true, "default": true,
	"readonly": true, "fun": true, "val": true, "final": true}

func looksDeclaring(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	word := leadingWord(line)
	if len(word) == 0 {
		return false
	}
	rest := line[len(word):]
	return declaringWords[string(word)] || len(rest) > 0 && (rest[0] == '(' || rest[0] == ':' || rest[0] == '<') // a member of a TypeScript interface
}

// parsedOf returns a file of a search, parsed.
func (f *Finder) parsedOf(x *searched) *File {
	t := x.tree
	if t.archive != nil {
		return f.cache.entryFile(t.archive, t.archive.sourceOf(x.name, jvView+path.Dir(x.name), t.pkg, false), x.name)
	}
	dir := path.Dir(x.name)
	s := t.source
	s.dir, s.view, s.shown = path.Join(t.dir, dir), record.Path(path.Join("search", string(t.shown), dir)), record.Path(path.Join(string(t.shown), dir))
	return f.cache.file(&s, path.Base(x.name))
}

// matches returns the declarations of a file that the words are about.
func (s *search) matches(t *tree, f *File) (out []Match) {
	g := &f.Record.Graph
	for i := range g.Symbols {
		x := &g.Symbols[i]
		if !x.Exported || t.hides != nil && t.hides(x) || x.Kind == record.KindImpl || !languages.IsType(x.Kind) && !languages.IsCallable(x.Kind) && x.Kind != record.KindConstant && x.Kind != record.KindVariable && x.Kind != record.KindMacro {
			continue
		}
		doc := ""
		if x.Doc.Start >= 0 && x.Doc.Start < x.Doc.End && x.Doc.End <= len(f.Text) {
			doc = string(f.Text[x.Doc.Start:x.Doc.End])
		}
		if score := s.score(x, g.Package+" "+f.Package, doc); score >= leastScore {
			out = append(out, Match{f, i, score})
		}
	}
	return out
}

// score returns how well the words describe a declaration: 1 for its name, or for the name with
// that of its type, and less the fewer words the name has.
func (s *search) score(x *record.Symbol, pkg, doc string) float64 {
	name, qualified := wordsOf(x.Name), wordsOf(x.Qualified)
	if slices.Equal(name, s.words) || slices.Equal(qualified, s.words) {
		return 1
	}
	qualified = append(qualified, wordsOf(pkg)...)
	about := wordsOf(doc + " " + x.Signature)
	sum, own := 0.0, 0
	for _, w := range s.words {
		switch {
		case slices.Contains(name, w):
			sum += 0.9
			own++
		case slices.Contains(qualified, w):
			sum += 0.6
		case slices.Contains(about, w):
			sum += 0.4
		}
	}
	if own == 0 {
		sum /= 2 // only described
	}
	return sum / float64(len(s.words)) * (0.8 + 0.2*float64(own)/float64(max(len(name), 1)))
}

// wordsOf returns the words in a text in lower case. A name is split at its capitals and
// underscores.
func wordsOf(text string) (out []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return out
}

// treesOf returns the packages that a report has found, whose directories are their own.
func treesOf(r Report, ok bool, within string, exts ...string) (out []tree) {
	if !ok {
		return nil
	}
	for _, p := range r.Found {
		label := strings.TrimSuffix(p.Name+"@"+p.Version, "@")
		out = append(out, tree{source: source{base: p.Dir, dir: ".", shown: record.Path(label), pkg: label}, exts: exts, within: within})
	}
	return out
}

func (g *golang) trees(files []record.Path) []tree {
	r, ok := g.report(files)
	out := treesOf(r, ok, "", ".go")
	for i := range out {
		out[i].hides = ofHiddenType
		name, version, _ := strings.Cut(string(out[i].shown), "@")
		out[i].pkg = strings.TrimSuffix(path.Base(baseModule(name))+"@"+version, "@")
	}
	return out
}

// ofHiddenType reports whether a symbol is a method of a type that a package of Go does not export.
func ofHiddenType(s *record.Symbol) bool {
	return s.Container != "" && unicode.IsLower([]rune(s.Container)[0])
}

func (j *script) trees(files []record.Path) []tree {
	found, ok := j.report(files)
	return treesOf(found, ok, "", ".d.ts", ".d.mts", ".ts", ".js", ".mjs")
}

func (r *rust) trees(files []record.Path) []tree {
	found, ok := r.report(files)
	return treesOf(found, ok, "src", ".rs")
}

// trees returns the modules of the distributions, which share their directory.
func (p *python) trees(files []record.Path) []tree {
	found, ok := p.report(files)
	out := treesOf(found, ok, "", ".py", ".pyi")
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range out {
		name, _, _ := strings.Cut(string(out[i].shown), "@")
		out[i].tops = p.topsOf(out[i].base, name)
	}
	return out
}

// topsOf returns the modules of a distribution at the top of a directory, nil for all that are there.
// The caller holds the mutex.
func (p *python) topsOf(dir, name string) []string {
	tops := []string{}
	for _, env := range p.envs {
		for i := range env.sites {
			s := &env.sites[i]
			switch {
			case s.absolute() != dir:
			case s.dists != nil:
				for top, of := range s.dists.of {
					if slices.ContainsFunc(of, func(d *pyDist) bool { return d.name == name }) {
						tops = append(tops, top)
					}
				}
			case s.dist != nil && s.dist.name == name && s.only == "":
				return nil
			case s.dist != nil && s.dist.name == name:
				tops = append(tops, s.only)
			}
		}
	}
	return tops
}

// trees returns the archives of the direct dependencies.
func (j *java) trees(files []record.Path) (out []tree) {
	r, ok := j.report(files)
	if !ok {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, found := range r.Found {
		for _, p := range j.projects {
			at := slices.IndexFunc(p.artifacts, func(a *jvArtifact) bool {
				return a.key() == found.Name && a.version == found.Version && a.sources != nil
			})
			if at >= 0 {
				a := p.artifacts[at]
				out = append(out, tree{source: source{pkg: a.label(), shown: record.Path(a.label())}, archive: a.sources})
				break
			}
		}
	}
	return out
}

// trees returns none: a directory of headers is of many packages.
func (c *clang) trees([]record.Path) []tree { return nil }
