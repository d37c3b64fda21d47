package deps

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

const (
	// maxGemFiles and maxGemBytes bound the files of a gem whose names are read.
	maxGemFiles = 3000
	maxGemBytes = 24 << 20
	// maxMixed bounds the modules that a class has by its own and others' include and extend.
	maxMixed = 300
	// maxDeclaring bounds the files that are read for one name.
	maxDeclaring = 4
	// maxElsewhere bounds the files of a gem with a name, none of which the constant mixes in: a
	// name in more of them says little.
	maxElsewhere = 2
)

// gemFiles is what is known of the files below the directory lib of a gem. It does not change.
type gemFiles struct {
	paths map[string]string   // by the folded path of the constant that a file is named after
	names map[string][]string // the files by the names that they declare, nil until they are read
	mixed map[string][]string // the constants that a file mixes in or extends
}

// fold returns a name as files and constants share it: without underscores, in lower case. So
// "http_client" and HTTPClient are one.
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}

// lib returns the directory with the files of a gem.
func (g *gem) lib() source {
	if g.std || g.flat {
		return source{base: g.base, dir: g.dir}
	}
	return source{base: g.base, dir: path.Join(g.dir, "lib")}
}

// list returns the paths of the files of a gem. only is the first folded part of those that
// count, "" for all.
func (g *gem) list(only string) *gemFiles {
	s := g.lib()
	root, err := open(s.base, s.dir)
	if err != nil {
		return &gemFiles{}
	}
	defer func() { _ = root.Close() }() // it is only read
	f := &gemFiles{paths: map[string]string{}}
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error { // what was read is used
		first, _, _ := strings.Cut(name, "/")
		switch {
		case err != nil || len(f.paths) >= maxGemFiles:
			return fs.SkipAll
		case only != "" && name != "." && fold(strings.TrimSuffix(first, ".rb")) != only:
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir() && name != "." && strings.HasPrefix(path.Base(name), "."):
			return fs.SkipDir
		case e.Type().IsRegular() && path.Ext(name) == ".rb":
			f.paths[fold(strings.TrimSuffix(name, ".rb"))] = name
		}
		return nil
	})
	return f
}

var rubyDocumented = lazy.Regexp(`(?m)^[ \t]*# :method: ([A-Za-z_]\w*[?!]?)[ \t]*$`)

// scan reads which names the files of a gem declare, and what they mix in.
func (f *gemFiles) scan(g *gem) {
	f.names, f.mixed = map[string][]string{}, map[string][]string{}
	s := g.lib()
	root, err := open(s.base, s.dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // it is only read
	bytes := 0
	files := make([]string, 0, len(f.paths))
	for _, name := range f.paths {
		files = append(files, name)
	}
	slices.Sort(files)
	for _, name := range files {
		text, _, err := readFile(root, filepath.FromSlash(name))
		if bytes += len(text); err != nil || bytes > maxGemBytes {
			continue
		}
		var r rubyLines
		for line := range strings.Lines(string(text)) {
			r.read(strings.TrimSpace(line))
		}
		slices.Sort(r.names)
		for _, declared := range slices.Compact(r.names) {
			f.names[declared] = append(f.names[declared], name)
		}
		f.mixed[name] = r.mixed
	}
}

// rubyLines gathers what the lines of a file declare and mix in. A name in a text literal is one
// too many, and costs a parse.
type rubyLines struct{ names, mixed []string }

// read reads a line without the blanks around it.
func (r *rubyLines) read(line string) {
	if documented, ok := strings.CutPrefix(line, "# :method: "); ok {
		r.add(rubyWord(documented))
		return
	}
	word := rubyWord(line)
	rest := strings.TrimLeft(line[len(word):], " \t(")
	switch word {
	case "":
	case "private", "protected", "public", "module_function":
		r.read(rest)
	case "def":
		r.add(rubyWord(strings.TrimPrefix(rest, "self.")))
	case "alias":
		r.add(rubyWord(strings.TrimPrefix(rest, ":")))
	case "alias_method", "attr_reader", "attr_writer", "attr_accessor", "cattr_accessor", "mattr_accessor", "class_attribute", "define_method", "delegate":
		for part := range strings.SplitSeq(rest, ",") {
			if name, ok := strings.CutPrefix(strings.TrimSpace(part), ":"); ok {
				r.add(rubyWord(name))
			}
		}
	case "class", "module":
		constant, rest := rubyConstant(rest)
		r.add(constant[strings.LastIndexByte(constant, ':')+1:])
		if base, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "<"); ok {
			r.mix(strings.TrimLeft(base, " "))
		}
	case "include", "extend", "prepend":
		r.mix(rest)
	default:
		if constant, rest := rubyConstant(line); constant != "" {
			rest = strings.TrimLeft(rest, " \t")
			if rest == "" || rest == "," { // of a list of modules that are mixed in
				r.mixed = append(r.mixed, constant)
			} else if rest[0] == '=' && !strings.HasPrefix(rest, "==") && !strings.HasPrefix(rest, "=~") {
				r.add(constant)
			}
		}
	}
}

func (r *rubyLines) add(name string) {
	if name != "" {
		r.names = append(r.names, name)
	}
}

// mix adds the constants of a list.
func (r *rubyLines) mix(list string) {
	for {
		constant, rest := rubyConstant(strings.TrimPrefix(list, "::"))
		if constant == "" {
			return
		}
		r.mixed = append(r.mixed, constant)
		after, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), ",")
		if !ok {
			return
		}
		list = strings.TrimLeft(after, " ")
	}
}

// rubyWord returns the name at the start of a text.
func rubyWord(s string) string {
	word := string(leadingWord([]byte(s)))
	if word != "" && len(s) > len(word) && (s[len(word)] == '?' || s[len(word)] == '!') {
		return s[:len(word)+1]
	}
	return word
}

// rubyConstant cuts a constant off a text, A::B.
func rubyConstant(s string) (constant, rest string) {
	for {
		word := string(leadingWord([]byte(s[len(constant):])))
		if word == "" || word[0] < 'A' || word[0] > 'Z' {
			return strings.TrimSuffix(constant, "::"), s[len(constant):]
		}
		constant += word
		if !strings.HasPrefix(s[len(constant):], "::") {
			return constant, s[len(constant):]
		}
		constant += "::"
	}
}

// addDocumented adds to a file the methods that only its comments declare, as RDoc reads them:
// "# :method: before_action" stands for a method that is made at run time.
func addDocumented(f *File) {
	g, text := &f.Record.Graph, string(f.Text)
	declared := len(g.Symbols)
	for _, m := range rubyDocumented().FindAllStringSubmatchIndex(text, -1) {
		s := record.Symbol{Name: text[m[2]:m[3]], Kind: record.KindMethod, Parent: -1, Exported: true,
			NameSpan: record.Span{Start: m[2], End: m[3]}, Span: commentAround(text, m[0], m[1])}
		s.Header, s.Doc, s.Qualified = record.Span{Start: m[0], End: m[1]}, s.Span, s.Name
		for i := range declared {
			if in := &g.Symbols[i]; in.Span.Start <= m[0] && m[1] <= in.Span.End && (in.Kind == record.KindModule || in.Kind == record.KindClass) {
				s.Parent, s.Container, s.Qualified = i, in.Qualified, in.Qualified+"."+s.Name
			}
		}
		s.Lines = record.Lines{First: 1 + strings.Count(text[:s.Span.Start], "\n"), Last: 1 + strings.Count(text[:s.Span.End], "\n")}
		s.NameLine = 1 + strings.Count(text[:m[2]], "\n")
		s.Signature = s.Name
		g.Symbols = append(g.Symbols, s)
	}
}

// commentAround returns the lines of the comment around some of its bytes.
func commentAround(text string, from, to int) record.Span {
	isComment := func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") }
	for from > 0 {
		before := strings.LastIndexByte(text[:from-1], '\n') + 1
		if !isComment(text[before : from-1]) {
			break
		}
		from = before
	}
	for to < len(text) {
		line, _, _ := strings.Cut(text[to+1:], "\n")
		if !isComment(line) {
			break
		}
		to += 1 + len(line)
	}
	return record.Span{Start: from, End: min(to, len(text))}
}
