package retrieve

import (
	"path"
	"strconv"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// quotedPath is the path of a file in a question, perhaps of another machine, such as that
// of a frame of a stack trace.
type quotedPath struct {
	path string // with "/" between segments
	line int    // 0 for none
	sure float64
}

// How sure a quoted path is the place of the answer.
const (
	sureQuoted  = 1.0 // in the text
	sureDeepest = 1.0 // the frame in which an error was raised
	sureFrame   = 0.7 // another frame
)

// A path with an extension, and what may follow it: ":12", ":12:5", "(12,5)", `", line 12`,
// "#L12", " on line 12", ":line 12".
var pathPattern = lazy.Regexp(`(?:\b[A-Za-z]:)?[\w.@+~\-/\\]*[\w@+~\-]\.([A-Za-z][A-Za-z0-9]{0,5})\b(?:(?::|\(|", line |#L| on line |:line )(\d{1,6}))?`)

// productName is no file: Node.js.
var productName = lazy.Regexp(`^[A-Z]\w*\.js$`)

// maxQuoted bounds the paths that are read of a question.
const maxQuoted = 64

// quotedPaths returns the paths in a text, each once.
func quotedPaths(p passage) []quotedPath {
	var out []quotedPath
	at := map[string]int{}
	add := func(name string, line int, sure float64) {
		name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
		if i, ok := at[name]; ok {
			out[i].sure = max(out[i].sure, sure)
			return
		}
		if len(out) < maxQuoted {
			at[name] = len(out)
			out = append(out, quotedPath{name, line, sure})
		}
	}
	found := pathPattern().FindAllStringSubmatch(p.text, maxQuoted*4)
	for i, m := range found {
		if !sourceExtensions[strings.ToLower(m[1])] || productName().MatchString(m[0]) {
			continue
		}
		line, _ := strconv.Atoi(m[2]) // "" is 0
		name := m[0]
		if m[2] != "" {
			name = name[:strings.LastIndex(name, "."+m[1])+len(m[1])+1]
		}
		sure := sureQuoted
		if p.kind == passageTrace || p.kind == passageCode {
			sure = sureFrame
			if i == len(found)-1 || i == 0 {
				sure = sureDeepest
			}
		}
		add(name, line, sure)
	}
	return out
}

// sourceExtensions are the extensions of files that a report quotes. Without such a list
// "e.g", "foo.bar" and "v1.x" are paths.
var sourceExtensions = func() map[string]bool {
	m := map[string]bool{}
	for _, e := range strings.Fields(`py pyi pyx go java kt kts scala js jsx mjs cjs ts tsx mts cts vue svelte rb rake erb rs php c h cc cpp cxx hpp hh hxx inl cu cuh cs swift m mm lua
		sh bash zsh ex exs erl hs ml mli clj cljs dart r jl pl pm sql proto graphql css scss less html htm xml yml yaml toml json md rst txt cfg ini gradle cmake tf zig nim v y l inc`) {
		m[e] = true
	}
	return m
}()

// commonTail returns how many segments at the end of two paths are equal.
func commonTail(a, b string) int {
	n := 0
	for a != "" && b != "" {
		da, fa := cutLastSegment(a)
		db, fb := cutLastSegment(b)
		if fa != fb {
			break
		}
		n++
		a, b = da, db
	}
	return n
}

func cutLastSegment(p string) (dir, base string) {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i], p[i+1:]
	}
	return "", p
}

// byQuoted scores the files whose paths the question quotes: the more segments at their ends
// are equal the more, and of several files that are equally like it each gets a part.
func (r *ranking) byQuoted() {
	if len(r.question.paths) == 0 {
		return
	}
	byBase := map[string][]int{}
	for i, q := range r.question.paths {
		base := strings.ToLower(path.Base(q.path))
		byBase[base] = append(byBase[base], i)
	}
	type like struct {
		path record.Path
		n    int
	}
	best := make([][]like, len(r.question.paths))
	for p := range r.ix.Names.Files() {
		_, base := cutLastSegment(string(p))
		for _, i := range byBase[strings.ToLower(base)] {
			n := commonTail(strings.ToLower(string(p)), strings.ToLower(r.question.paths[i].path))
			switch {
			case len(best[i]) > 0 && best[i][0].n > n:
			case len(best[i]) > 0 && best[i][0].n == n:
				best[i] = append(best[i], like{p, n})
			default:
				best[i] = []like{{p, n}}
			}
		}
	}
	for i, all := range best {
		q := &r.question.paths[i]
		for _, l := range all {
			if !r.wantsFile(l.path) {
				continue
			}
			whole := float64(l.n) / float64(min(strings.Count(q.path, "/"), strings.Count(string(l.path), "/"))+1)
			f := r.file(l.path)
			f.quoted = max(f.quoted, q.sure*(0.5+0.5*whole)/float64(len(all)))
		}
	}
}
