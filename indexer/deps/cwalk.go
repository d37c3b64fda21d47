package deps

import (
	"context"
	"slices"
	"strings"
	"time"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

const (
	// maxHeaders bounds the headers that one leads to: <iostream> leads to some 150.
	maxHeaders = 400
	// maxHeaderParses bounds the headers that are parsed for a name: lines that mention it can
	// look as those that declare it.
	maxHeaderParses = 3
	// maxParsedHeaders bounds the bytes of the headers that are parsed for one include: templates
	// of C++ have large ones, of which 100 kB take 50 ms.
	maxParsedHeaders = 256 << 10
	// maxSmallHeader bounds a header that is parsed as it is included itself and leads to one with a name: it
	// can declare what the workspace declares for systems without it.
	maxSmallHeader = 16 << 10
	// lookAgain is how long the state of a header or of a directory counts as known: one question
	// comes to the same hundreds of headers by each include.
	lookAgain = 100 * time.Millisecond
)

// cTree is the headers that one leads to, the nearest first.
type cTree struct {
	steps   []cStep
	folders []stamp          // in which they were looked for
	looks   int              // of clang, when it was last known to be as the disk
	words   map[string][]int // the steps whose headers mention a word, of those that were asked for
}

// maxWords bounds the words of which a tree knows the headers.
const maxWords = 1000

// mentioning returns the steps whose headers mention a word.
func (t *cTree) mentioning(word string) []int {
	at, known := t.words[word]
	if !known {
		for i := range t.steps {
			if t.steps[i].mentions(word) {
				at = append(at, i)
			}
		}
		if t.words == nil || len(t.words) >= maxWords {
			t.words = map[string][]int{}
		}
		t.words[word] = at
	}
	return at
}

// cStep is a header and the one that includes it.
type cStep struct {
	*cHeader
	by      int    // in the list; -1 for the first
	include string // as that one writes it
}

// cTreeOf identifies a tree.
type cTreeOf struct {
	first *cHeader
	isCPP bool
}

// tree returns the headers that one leads to. A tree is made anew when a header of it has changed, or
// a directory in which one was looked for: a new header there can come before one of the tree.
func (c *clang) tree(ctx context.Context, p *cProject, first *cHeader, isCPP bool) *cTree {
	key := cTreeOf{first, isCPP}
	if t := p.trees[key]; t != nil {
		c.look()
		if t.looks == c.looks {
			return t
		}
		changed := func(s stamp) bool { return !c.isSame(s) }
		if !slices.ContainsFunc(t.folders, changed) && !slices.ContainsFunc(t.steps, func(s cStep) bool { return changed(s.state) }) {
			t.looks = c.looks
			return t
		}
	}
	t := c.follow(ctx, p, first, isCPP)
	if ctx.Err() == nil {
		p.trees[key] = t
	}
	return t
}

func (c *clang) follow(ctx context.Context, p *cProject, first *cHeader, isCPP bool) *cTree {
	c.look()
	c.asked = map[string]bool{}
	dirs := p.dirs(first.record, first, isCPP)
	seen := map[*cHeader]bool{first: true}
	t := &cTree{steps: []cStep{{first, -1, ""}}, looks: c.looks}
	for i := 0; i < len(t.steps) && ctx.Err() == nil; i++ {
		h := t.steps[i].cHeader
		for _, include := range h.includes {
			to := c.include(dirs, h, h.record, include)
			if to != nil && !seen[to] && len(t.steps) < maxHeaders {
				seen[to] = true
				t.steps = append(t.steps, cStep{to, i, include.path})
			}
		}
	}
	for dir := range c.asked {
		t.folders = append(t.folders, c.folders[dir].state)
	}
	c.asked = nil
	return t
}

// cWalk is a search for the headers of a tree that declare names.
type cWalk struct {
	*clang
	*cTree
	bytes   int64           // of the headers that were parsed
	counted map[int]bool    // the steps whose headers were
	aliased map[string]bool // the types that others are other names for
	found   Found
}

// find adds the nearest header that declares a name, and those that lead to it. A function and a
// struct can share a name, and a class can be declared before it is defined: the nearest header with
// that type is added, too, and so is what the name is only another name for.
func (w *cWalk) find(ctx context.Context, name string) {
	at := w.declaring(ctx, name, 0, name)
	if at < 0 {
		return
	}
	w.add(at)
	if tag := cTag + name; !w.steps[at].mentions(tag) {
		if at := w.declaring(ctx, name, at+1, tag); at >= 0 {
			w.add(at)
		}
	}
	f := w.parsed(w.steps[at].cHeader)
	for i := 0; f != nil && i < len(f.Record.Graph.Symbols); i++ {
		s := &f.Record.Graph.Symbols[i]
		if s.Name != name || s.Kind != record.KindType {
			continue
		}
		if of := aliasedName(s.Type); of != "" && of != name && !w.aliased[of] {
			w.aliased[of] = true
			w.find(ctx, of)
		}
	}
}

// aliasedName returns the name in a type that another name stands for: basic_string of
// std::basic_string<char>.
func aliasedName(of string) string {
	of, _, _ = strings.Cut(of, "<")
	of = strings.TrimSpace(of)
	return of[1+strings.LastIndexAny(of, " :."):]
}

// declaring returns the nearest header from a step on that declares a name and mentions a word, -1
// when there is none.
func (w *cWalk) declaring(ctx context.Context, name string, from int, word string) int {
	parses := 0
	for _, i := range w.mentioning(word) {
		if i < from {
			continue
		}
		if !w.counted[i] {
			w.counted[i] = true
			w.bytes += w.steps[i].state.size
		}
		if parses++; parses > maxHeaderParses || w.bytes > maxParsedHeaders || len(w.found.Files) >= maxFiles || ctx.Err() != nil {
			return -1
		}
		f := w.parsed(w.steps[i].cHeader)
		if f != nil && slices.ContainsFunc(f.Record.Graph.Symbols, func(s record.Symbol) bool {
			return s.Name == name && !strings.HasPrefix(s.Qualified, "std.pmr.") // another name for the same with an allocator
		}) {
			return i
		}
	}
	return -1
}

// add adds a header and those that lead to it, which are not parsed but for a small one that is the first.
func (w *cWalk) add(at int) {
	for f := w.parsed(w.steps[at].cHeader); at >= 0; at = w.steps[at].by {
		step := &w.steps[at]
		if f == nil && at == 0 && step.state.size <= maxSmallHeader {
			f = w.parsed(step.cHeader)
		}
		if f == nil {
			f = step.bare()
		}
		known := slices.IndexFunc(w.found.Files, func(o *File) bool { return o.Record.File.Path == step.record })
		switch {
		case known < 0:
			w.found.Files = append(w.found.Files, f)
		case w.found.Files[known].Bare:
			w.found.Files[known] = f
		}
		f = nil
		if step.by >= 0 {
			w.found.Leads[graph.Lead{From: w.steps[step.by].record, Module: step.include}] = step.record
		}
	}
}

// bare returns the header with what it includes only.
func (h *cHeader) bare() *File {
	if h.only == nil {
		o := languages.Parse(h.record, nil)
		g := graph.Extract(&o)
		for _, i := range h.includes {
			g.Imports = append(g.Imports, record.Import{Path: i.path, Line: i.line})
		}
		h.only = fileOf(&h.source, h.name, nil, g)
		h.only.Bare = true
	}
	return h.only
}

// mentions reports whether the lines of a header can declare a name.
func (h *cHeader) mentions(name string) bool {
	_, ok := slices.BinarySearch(h.names, name)
	return ok
}
