package deps

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/indexer/redact"
	"ambit/vectors/record"
)

// maxLibraryBytes bounds a file of TypeScript's library: that of browsers has 2 MB, so that its
// declarations are parsed one by one.
const maxLibraryBytes = 4 << 20

// jsLibrary is the library of a package typescript for one configuration.
type jsLibrary map[string][]jsPart // by name

// jsPart is one declaration of a name.
type jsPart struct {
	file *jsLibraryFile
	span record.Span
	line int // the lines before it
}

// jsLibraryFile is a file of the library.
type jsLibraryFile struct {
	name string // below the package
	info fs.FileInfo
	text []byte // shared by the files that are made of its declarations
}

// libraryFiles returns the declarations of a name in the library, each as a file with nothing else.
func (t *jsTree) libraryFiles(p *jsPackage, libs []string, name string) (out []*File) {
	parts := t.library(p, libs)[name]
	for _, part := range parts[:min(len(parts), maxFiles)] {
		s := t.source(p)
		s.std = true
		key := s.key(part.file.name) + "\x00" + strconv.Itoa(part.span.Start)
		e := t.cache.entry(key, part.file.info.Size(), part.file.info.ModTime())
		if e == nil {
			e = &entry{key: key, size: part.file.info.Size(), modTime: part.file.info.ModTime(), part: part.span.End - part.span.Start}
			t.cache.keep(e)
		}
		if f := t.cache.parsed(e, func() *File { return part.parse(s) }); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// parse returns the file of a declaration, nil when it has a secret: the text of the library is
// not masked.
func (p jsPart) parse(s *source) *File {
	text := p.file.text[p.span.Start:p.span.End]
	if masked, _ := redact.Mask(p.file.name, text); !utf8.Valid(text) || !bytes.Equal(masked, text) {
		return nil
	}
	view := s.view + "/" + record.Path(p.file.name)
	f := &File{Path: s.shown + "/" + record.Path(p.file.name), Package: s.pkg, Name: s.absolute(p.file.name), Text: p.file.text, Std: true}
	o := languages.Parse(view, text)
	f.Record.Graph = graph.Extract(&o)
	f.Record.Graph.Edges = nil // as of other files
	f.Record.Graph.Path = view + "/" + record.Path(strconv.Itoa(p.span.Start)) + ".d.ts"
	for i := range f.Record.Graph.Symbols {
		x := &f.Record.Graph.Symbols[i]
		for _, span := range []*record.Span{&x.Span, &x.Header, &x.Body, &x.Doc, &x.NameSpan} {
			span.Start, span.End = span.Start+p.span.Start, span.End+p.span.Start
		}
		x.Lines.First, x.Lines.Last, x.NameLine = x.Lines.First+p.line, x.Lines.Last+p.line, x.NameLine+p.line
	}
	f.Record.File = record.File{Path: f.Record.Graph.Path, Size: int64(len(text)), Language: o.Language}
	return f
}

// library returns the declarations of a package typescript for a configuration that names some of
// its files. It reads them once: it counts as long as the package is the same.
func (t *jsTree) library(p *jsPackage, libs []string) jsLibrary {
	key := strings.Join(libs, ",")
	p.known.mu.Lock()
	known := p.known.libraries[key]
	p.known.mu.Unlock()
	if known != nil {
		return known
	}
	known = jsLibrary{}
	queue := slices.Clone(libs)
	for i := 0; i < len(queue) && i < maxGlobalFiles; i++ {
		f := t.libraryFile(p, queue[i])
		if f == nil {
			continue
		}
		known.add(f)
		for _, r := range referencesOf(f.text, "lib") {
			if !slices.Contains(queue, r) {
				queue = append(queue, r)
			}
		}
	}
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	if p.known.libraries == nil || len(p.known.libraries) >= maxLibraries {
		p.known.libraries = map[string]jsLibrary{}
	}
	p.known.libraries[key] = known
	return known
}

// maxLibraries bounds the configurations whose library is remembered.
const maxLibraries = 8

// libraryFile reads the file with a name as a configuration writes it, "" for that of ES5.
func (t *jsTree) libraryFile(p *jsPackage, lib string) *jsLibraryFile {
	name := path.Join("lib", "lib."+lib+".d.ts")
	if lib == "" {
		name = "lib/lib.d.ts"
	}
	p.known.mu.Lock()
	known := p.known.texts[name]
	p.known.mu.Unlock()
	root := t.in(p)
	if known != nil || root == nil || !fs.ValidPath(name) {
		return known
	}
	text, info, err := readUpTo(root, name, maxLibraryBytes)
	if err != nil {
		return nil
	}
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	if p.known.texts == nil {
		p.known.texts = map[string]*jsLibraryFile{}
	}
	p.known.texts[name] = &jsLibraryFile{name, info, text}
	return p.known.texts[name]
}

// add adds the declarations of a file. They start at the beginning of a line, with a doc comment
// that starts there, too, and each ends where the next one starts.
func (l jsLibrary) add(f *jsLibraryFile) {
	name, part, doc, docLine := "", jsPart{file: f}, -1, 0
	end := func(at int) {
		if name != "" {
			part.span.End = at
			l[name] = append(l[name], part)
		}
	}
	at, line := 0, 0
	for text := range bytes.Lines(f.text) {
		switch {
		case bytes.HasPrefix(text, []byte("/**")) && !bytes.HasPrefix(text, []byte("/***")):
			doc, docLine = at, line
		case text[0] == ' ' || text[0] == '}' || text[0] == '*':
		default:
			next := libraryName(text)
			if next == "" {
				doc = -1
				break
			}
			if doc < 0 {
				doc, docLine = at, line
			}
			end(doc)
			name, part.span.Start, part.line, doc = next, doc, docLine, -1
		}
		at, line = at+len(text), line+1
	}
	end(at)
}

// libraryName returns the name that a line at the start of a declaration declares, "" for none.
func libraryName(line []byte) string {
	for {
		word := line[:wordLength(line)]
		line = bytes.TrimLeft(line[len(word):], " ")
		switch string(word) {
		case "declare", "abstract":
		case "interface", "var", "let", "const", "function", "class", "type", "namespace":
			return string(line[:wordLength(line)])
		default:
			return ""
		}
	}
}
