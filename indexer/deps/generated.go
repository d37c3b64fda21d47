package deps

import (
	"bytes"
	"context"
	"os"
	"path"
	"slices"

	"ambit/vectors/record"
)

// maxGeneratedBytes bounds a generated file that is parsed for a question: 300 kB take a tenth of a second.
const maxGeneratedBytes = 300 << 10

// Generated returns those of some files of the workspace that declare one of the names, at most
// maxFiles of them. The files are ones that the index leaves out. Their records have the paths of
// the files, and they are of no package.
func (f *Finder) Generated(ctx context.Context, files []record.Path, names []string) []*File {
	var found []*File
	for _, p := range files {
		if len(found) == maxFiles || ctx.Err() != nil {
			break
		}
		if file := f.generated(p, names); file != nil {
			found = append(found, file)
		}
	}
	return found
}

// generated returns a generated file, nil when it declares none of the names or is too large.
func (f *Finder) generated(p record.Path, names []string) *File {
	dir := path.Dir(string(p))
	s := source{base: f.root, dir: dir, view: record.Path(dir), shown: record.Path(dir), names: keywordNames}
	s.accepts = func(*os.Root, string) bool { return true }
	if path.Ext(string(p)) == ".go" {
		s.names = goNames
	}
	root, err := open(s.base, s.dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // nothing is written
	info, err := root.Lstat(path.Base(string(p)))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGeneratedBytes {
		return nil
	}
	return f.cache.declared(root, &s, info, names)
}

// declaring lists the keywords of all languages behind which a declaration has its name.
var declaring = map[string]bool{"class": true, "const": true, "def": true, "enum": true, "fn": true, "fun": true, "func": true, "function": true, "interface": true, "let": true,
	"message": true, "mod": true, "mut": true, "module": true, "namespace": true, "object": true, "record": true, "static": true, "struct": true, "trait": true, "type": true, "union": true, "val": true, "var": true}

// keywordNames returns the words of a text that stand behind a keyword which declares them, sorted.
func keywordNames(text []byte) []string {
	var names []string
	after := false
	for len(text) > 0 {
		word := leadingWord(text)
		if len(word) == 0 {
			after = after && (text[0] == ' ' || text[0] == '\t')
			text = text[1:]
			continue
		}
		keyword := declaring[string(word)]
		if after && !keyword {
			names = append(names, string(bytes.Clone(word)))
		}
		after, text = keyword, text[len(word):]
	}
	slices.Sort(names)
	return slices.Compact(names)
}
