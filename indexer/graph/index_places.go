package graph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// places finds the files of a segment, dead files included, in the ways that imports name
// files. It belongs to the segment, so that a view with a few new files computes it for
// these only.
type places struct {
	byBase    map[string][]uint32 // file name without its last extension
	byDir     map[string][]uint32
	byPackage map[string][]uint32 // by record.FileGraph.Package
}

func (s *segment) placed() *places {
	s.once.Do(func() {
		p := places{byBase: map[string][]uint32{}, byDir: map[string][]uint32{}, byPackage: map[string][]uint32{}}
		for f := range s.files {
			p.add(uint32(f), &s.files[f])
		}
		s.places = p
	})
	return &s.places
}

func (p *places) add(f uint32, e *fileEntry) {
	name := string(e.path)
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	p.byBase[stem] = append(p.byBase[stem], f)
	p.byDir[dirOf(name)] = append(p.byDir[dirOf(name)], f)
	if e.pkg != "" {
		p.byPackage[e.pkg] = append(p.byPackage[e.pkg], f)
	}
}

// find returns the live file at a path.
func (v *View) find(p record.Path) (ref, bool) {
	for i, s := range v.parts {
		if f, ok := s.find(p); ok && !v.dead[i][f] {
			return ref{i, f}, true
		}
	}
	return ref{}, false
}

// inDir returns the files of a directory, by path.
func (v *View) inDir(dir string) []ref {
	return v.placed(func(p *places) []uint32 { return p.byDir[dir] })
}

// withBase returns the files whose name without its last extension is base, by path.
func (v *View) withBase(base string) []ref {
	return v.placed(func(p *places) []uint32 { return p.byBase[base] })
}

// testAffixes are what the names of test files add to the name of the file that they test.
var testAffixes = [][2]string{{"", "_test"}, {"test_", ""}, {"", ".test"}, {"", ".spec"}, {"", "_spec"}, {"", "-test"}, {"", "Test"}, {"", "Tests"}, {"", "Spec"}, {"", "IT"}, {"Test", ""}}

// TestFiles returns the test files that are named after a file, the nearest first.
func (q *Query) TestFiles(p record.Path) []record.Path {
	at, ok := q.v.find(p)
	if !ok {
		return nil
	}
	base, _, _ := strings.Cut(path.Base(string(p)), ".")
	var files []ref
	for _, affix := range testAffixes {
		for _, r := range q.v.withBase(affix[0] + base + affix[1]) {
			if f := q.v.file(r); f.test && r != at && family(f.language) == family(q.v.file(at).language) {
				files = append(files, r)
			}
		}
	}
	var out []record.Path
	for _, r := range q.nearestFirst(files, p) {
		out = append(out, q.v.file(r).path)
	}
	return out
}

// inPackage returns the files of a package, by path.
func (v *View) inPackage(name string) []ref {
	return v.placed(func(p *places) []uint32 { return p.byPackage[name] })
}

// placed returns the live files among those that list returns for each part, by path.
func (v *View) placed(list func(*places) []uint32) []ref {
	var files []ref
	from := 0 // number of parts with files
	for i, s := range v.parts {
		before := len(files)
		for _, f := range list(s.placed()) {
			if !v.dead[i][f] {
				files = append(files, ref{i, int(f)})
			}
		}
		if len(files) > before {
			from++
		}
	}
	if from > 1 {
		slices.SortFunc(files, func(a, b ref) int { return cmp.Compare(v.file(a).path, v.file(b).path) })
	}
	return files
}

// first returns the first of the paths that exists, nil when none does.
func (v *View) first(names ...string) []ref {
	for _, n := range names {
		if r, ok := v.find(record.Path(strings.TrimPrefix(n, "/"))); ok {
			return []ref{r}
		}
	}
	return nil
}

// suffixed returns the files whose path ends with the stem and one of the extensions, the
// shortest path first.
func (v *View) suffixed(stem string, extensions ...string) []ref {
	var out []ref
	for _, r := range v.withBase(strings.TrimSuffix(path.Base(stem), path.Ext(path.Base(stem)))) {
		name := string(v.file(r).path)
		for _, ext := range extensions {
			if full := stem + ext; name == full || strings.HasSuffix(name, "/"+full) {
				out = append(out, r)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b ref) int { return len(v.file(a).path) - len(v.file(b).path) })
	return out
}

// fileCount returns the number of live files.
func (v *View) fileCount() int {
	n := 0
	for _, dead := range v.dead {
		for _, d := range dead {
			if !d {
				n++
			}
		}
	}
	return n
}
