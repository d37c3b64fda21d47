package retrieve

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/indexer/project"
	"ambit/server/api"
	"ambit/vectors/record"
)

// Bounds of an overview. A page of it is what a newcomer reads; assemble cuts it to its
// share of the budget.
const (
	maxParts         = 60
	maxPartUnits     = 4
	maxSpeakers      = 8   // files of a directory in which its sentence is looked for
	maxManifests     = 200 // that are read
	maxEntries       = 24
	maxNeeded        = 24 // dependencies
	maxOverviewLangs = 8
)

// Weights of the parts of an overview. What lies deeper tells less of the whole.
const (
	partBelow  = 0.5 // factor of each level
	partFile   = 0.5 // factor of a file beside a directory
	partBeside = 0.2 // factor of what stands beside the code
	partArea   = 100 // factor of a part in question
	// leastPart is the least share of the code that is named alone, of all of it.
	leastPart = 0.002
)

// overview is the picture of a workspace in the making.
type overview struct {
	*candidates
	files     []record.Row // by path
	manifests []manifest
	root      *node
	area      []string // stems of the words of the area in question; empty for all
}

// manifest is a manifest with its directory, "" for the root.
type manifest struct {
	project.Manifest
	dir string
}

// node is a directory or a file.
type node struct {
	path     string // "" for the root
	file     *record.Row
	children []*node
	files    int
	weight   float64 // bytes of code, with the files beside it counted less
	aside    bool    // all its files stand beside the code
	asked    bool
}

// newOverview lists the files that the filter keeps and reads the manifests.
func newOverview(c *candidates, area []string) *overview {
	o := &overview{candidates: c, area: area}
	for f := range c.ix.Files.Files() {
		if c.wants(f.Path()) {
			o.files = append(o.files, f)
		}
	}
	slices.SortFunc(o.files, func(a, b record.Row) int { return cmp.Compare(a.Path(), b.Path()) })
	for _, f := range o.files {
		if len(o.manifests) == maxManifests {
			break
		}
		if project.IsManifest(string(f.Path())) && !o.aside(f) {
			m := manifest{project.Read(string(f.Path()), c.text(f.Path())), dirOf(string(f.Path()))}
			o.manifests = append(o.manifests, m)
		}
	}
	slices.SortStableFunc(o.manifests, func(a, b manifest) int { return cmp.Compare(depth(a.dir), depth(b.dir)) })
	o.tree()
	return o
}

// dirOf returns the directory of a path, "" for the root.
func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// depth returns the number of names in the path of a directory.
func depth(dir string) int {
	if dir == "" {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// isCode reports whether a file has code, neither prose nor data.
func isCode(f record.Row) bool {
	language := f.Language()
	return language != "" && language != "text" && !languages.IsProse(language) && !languages.IsData(language)
}

// besideCode are words of the names of directories whose files are not the project itself.
var besideCode = map[string]bool{"fuzz": true, "benches": true, "benchsuite": true, "ci": true, "script": true, "scripts": true, "hack": true, "contrib": true, "doc": true,
	"docs": true, "migration": true, "migrations": true, "migrate": true, "stubs": true, "generated": true}

// aside reports whether a file stands beside the code of the project: a test, an example, a
// tool, or other people's code.
func (o *overview) aside(f record.Row) bool {
	facts := factsOf(f.Path(), &weights)
	return isAside(&facts, dirOf(string(f.Path())))
}

func isAside(facts *fileFacts, dir string) bool {
	if facts.test || facts.example || facts.demotion <= weights.Vendored {
		return true
	}
	for name := range strings.SplitSeq(dir, "/") {
		if strings.HasPrefix(name, ".") || slices.ContainsFunc(split(name), func(w string) bool { return besideCode[w] }) {
			return true
		}
	}
	return false
}

// tree makes the tree of the directories and files with code.
func (o *overview) tree() {
	o.root = &node{}
	dirs := map[string]*node{"": o.root}
	var dir func(p string) *node
	dir = func(p string) *node {
		if n := dirs[p]; n != nil {
			return n
		}
		n := &node{path: p, aside: true}
		dirs[p] = n
		up := dir(dirOf(p))
		up.children = append(up.children, n)
		return n
	}
	for _, f := range o.files {
		if !isCode(f) || project.IsManifest(string(f.Path())) {
			continue
		}
		facts := factsOf(f.Path(), &weights)
		n := &node{path: string(f.Path()), file: &f, files: 1, weight: float64(f.Size()) * facts.demotion * (1 + o.ix.Names.Centrality(f.Path()))}
		if n.aside = isAside(&facts, dirOf(n.path)) || languages.IsBuild(f.Language()); n.aside {
			n.weight *= partBeside
		}
		n.asked = len(o.area) > 0 && overlap(facts.stem, o.area) >= minOverlap
		up := dir(dirOf(n.path))
		up.children = append(up.children, n)
		for at := up; ; at = dirs[dirOf(at.path)] {
			at.files++
			at.weight += n.weight
			at.aside = at.aside && n.aside
			if at.path == "" {
				break
			}
		}
	}
	for _, n := range dirs {
		n.asked = n.path != "" && len(o.area) > 0 && overlap(nameStems(path.Base(n.path)), o.area) >= minOverlap
	}
}

// picture returns the overview.
func (o *overview) picture() *api.Overview {
	v := &api.Overview{Languages: o.languages(), Frameworks: []string{}, Dependencies: []string{}}
	v.Name, v.About = o.name()
	own := map[string]bool{}
	for i := range o.manifests {
		own[o.manifests[i].Name] = true
	}
	for i := range o.manifests {
		m := &o.manifests[i]
		for _, f := range m.Frameworks() {
			if !slices.Contains(v.Frameworks, f) {
				v.Frameworks = append(v.Frameworks, f)
			}
		}
		for _, d := range m.Dependencies {
			if !own[d] && len(v.Dependencies) < maxNeeded && !slices.Contains(v.Dependencies, d) {
				v.Dependencies = append(v.Dependencies, d)
			}
		}
	}
	v.Entries = o.entries()
	v.Parts, v.MoreParts = o.parts()
	if len(o.area) > 0 {
		v.Dependencies = []string{}
		v.Entries = slices.DeleteFunc(v.Entries, func(e api.EntryPoint) bool {
			return !slices.ContainsFunc(v.Parts, func(p api.ProjectPart) bool { return p.Asked && strings.HasPrefix(string(e.Path), p.Path) })
		})
	}
	if len(v.Entries) > maxEntries {
		v.MoreEntries, v.Entries = len(v.Entries)-maxEntries, v.Entries[:maxEntries]
	}
	return v
}

// name returns the name of the project and the sentence that it says of itself.
func (o *overview) name() (name, about string) {
	for i := range o.manifests {
		m := &o.manifests[i]
		if m.dir == "" {
			name, about = cmp.Or(name, m.Name), cmp.Or(about, m.About)
		}
	}
	if about == "" {
		if f := o.readme(""); f != "" {
			about = project.About(string(f), o.text(f))
		}
	}
	return name, cmp.Or(about, o.about(""))
}

// readme returns the README of a directory, "" for none.
func (o *overview) readme(dir string) record.Path {
	from, _ := slices.BinarySearchFunc(o.files, dir, func(f record.Row, dir string) int { return cmp.Compare(string(f.Path()), dir) })
	for _, f := range o.files[from:] {
		if dir != "" && !strings.HasPrefix(string(f.Path()), dir) {
			break
		}
		base := strings.ToLower(path.Base(string(f.Path())))
		if dirOf(string(f.Path())) == dir && strings.HasPrefix(base, "readme") && (base == "readme" || base == "readme.txt" || languages.IsDocument(base)) {
			return f.Path()
		}
	}
	return ""
}

// languages returns the languages of the code by their shares, then those of documents and
// data by their files.
func (o *overview) languages() []api.LanguageShare {
	at, bytes, all := map[string]int{}, map[string]float64{}, 0.0
	out := []api.LanguageShare{}
	for _, f := range o.files {
		language := f.Language()
		if language == "" || language == "text" {
			continue
		}
		i, ok := at[language]
		if !ok {
			i = len(out)
			at[language], out = i, append(out, api.LanguageShare{Language: language})
		}
		out[i].Files++
		if isCode(f) {
			bytes[language] += float64(f.Size())
			all += float64(f.Size())
		}
	}
	for i := range out {
		if b := bytes[out[i].Language]; b > 0 {
			out[i].Share = Round(b/all, scoreDecimals)
		}
	}
	const trace = 0.005 // of the code: a share that rounds to 0 %
	out = slices.DeleteFunc(out, func(l api.LanguageShare) bool { return bytes[l.Language] > 0 && l.Share < trace })
	slices.SortStableFunc(out, func(a, b api.LanguageShare) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Files, a.Files), cmp.Compare(a.Language, b.Language))
	})
	return out[:min(len(out), maxOverviewLangs)]
}

// parts returns the parts of the project, each followed by its own, the heaviest first, and
// how many more there are. Parts are chosen one by one, each the heaviest that is left or
// that a chosen one has.
func (o *overview) parts() ([]api.ProjectPart, int) {
	type chosen struct {
		*node
		from  string
		level int
		rank  int // the order in which the parts were chosen
		below []*chosen
	}
	top := &chosen{node: o.root, level: -1}
	for top.node.single() != nil { // src/main/java/org/…
		top.node = top.node.single()
	}
	type open struct { // a part that can be chosen next
		*node
		in     *chosen
		from   string // the directory that leads to the node alone
		weight float64
	}
	var queue []open
	push := func(c *chosen) {
		if c.level >= 0 && len(c.children) == 1 {
			return // the file of a directory that says the same
		}
		for _, n := range c.children {
			w, from, asked := n.weight, n.path, n.asked
			for n.single() != nil {
				n = n.single()
				asked = asked || n.asked
			}
			n.asked = asked
			if n.file != nil && n.aside && !c.aside {
				continue
			}
			if n.file != nil {
				w *= partFile
			}
			if n.asked || c.asked {
				w *= partArea
			}
			for range c.level + 1 {
				w *= partBelow
			}
			queue = append(queue, open{n, c, from, w})
		}
	}
	push(top)
	least, rank := o.root.weight*leastPart, 0
	for len(queue) > 0 && rank < maxParts {
		best := 0
		for i := range queue {
			if cmp.Or(cmp.Compare(queue[i].weight, queue[best].weight), cmp.Compare(queue[best].path, queue[i].path)) > 0 {
				best = i
			}
		}
		next := queue[best]
		queue = slices.Delete(queue, best, best+1)
		if next.weight < least && rank > 0 {
			queue = append(queue, next)
			break
		}
		c := &chosen{node: next.node, from: next.from, level: next.in.level + 1, rank: rank}
		c.asked = c.asked || next.in.asked
		next.in.below = append(next.in.below, c)
		rank++
		if !c.aside || c.asked {
			push(c)
		}
	}
	out := make([]api.ProjectPart, rank)
	var order []*chosen
	var walk func(c *chosen)
	walk = func(c *chosen) {
		for _, b := range c.below {
			order = append(order, b)
			walk(b)
		}
	}
	walk(top)
	for i, c := range order {
		out[i] = o.part(c.node, c.from, c.level)
		out[i].Rank = c.rank
		for j := i - 1; j >= 0 && c.file != nil; j-- { // the directory around the file
			if out[j].Level < c.level {
				if out[i].About != "" && out[i].About == out[j].About {
					out[i].About, out[i].Units = "", o.mainUnits(c.node)
				}
				break
			}
		}
	}
	return out, len(queue)
}

// single returns the only directory of a directory, beside tests and the like, without
// files; nil for others.
func (n *node) single() *node {
	var only *node
	for _, c := range n.children {
		if c.aside && !n.aside {
			continue
		}
		if only != nil || c.file != nil {
			return nil
		}
		only = c
	}
	return only
}

// part describes a node.
func (o *overview) part(n *node, from string, level int) api.ProjectPart {
	p := api.ProjectPart{Path: n.path, Level: level, Files: n.files, Asked: n.asked}
	if n.file != nil {
		if project.SpeaksForItself(n.path) {
			p.About = project.About(n.path, o.text(n.file.Path()))
		}
		p.About = cmp.Or(p.About, o.aboutMain(*n.file))
	} else {
		p.Path += "/"
		for dir := n.path; p.About == ""; dir = dirOf(dir) { // up to the one that leads to it
			if p.About = o.about(dir); dir == from || dir == "" {
				break
			}
		}
	}
	if p.About == "" {
		p.Units = o.mainUnits(n)
	}
	return p
}

// aboutMain returns the first sentence of the doc comment of the declaration that a file is
// for: the one that has its name, or the type that fills most of it.
func (o *overview) aboutMain(f record.Row) string {
	text := o.text(f.Path())
	lines := bytes.Count(text, []byte("\n")) + 1
	name := plainName(strings.TrimSuffix(path.Base(string(f.Path())), path.Ext(string(f.Path()))))
	main := ""
	for i, g := 0, o.q.Graph(f.Path()); i < len(g.Symbols); i++ {
		s := &g.Symbols[i]
		isType := languages.IsType(s.Kind) || s.Kind == record.KindModule
		if !isType && s.Container != "" || s.Doc == (record.Span{}) || s.Doc.End > len(text) {
			continue
		}
		named := plainName(s.Name) == name
		if named || main == "" && isType && 2*(s.Lines.Last-s.Lines.First) > lines {
			main = project.Sentence(string(text[s.Doc.Start:s.Doc.End]))
		}
		if named && main != "" {
			break
		}
	}
	return main
}

// plainName returns a name in small letters without what joins its words.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// about returns the sentence that the documents of a directory say of it: its manifest, the
// files that speak for it, or the one beside it that has its name.
func (o *overview) about(dir string) string {
	for i := range o.manifests {
		if m := &o.manifests[i]; m.dir == dir && m.About != "" {
			return m.About
		}
	}
	read := 0
	for _, at := range []string{dir, path.Join(dir, "src")} {
		for _, name := range project.Speakers(path.Base(dir)) {
			for _, p := range o.named(at, name) {
				if read++; read > maxSpeakers {
					return ""
				}
				if s := project.About(string(p), o.text(p)); s != "" {
					return s
				}
			}
		}
	}
	for _, ext := range []string{".rs", ".rb", ".py", ".ex", ".md"} {
		if p := record.Path(dir + ext); dir != "" && o.ix.Names.Has(p) {
			if s := project.About(string(p), o.text(p)); s != "" {
				return s
			}
		}
	}
	return ""
}

// named returns the files of a directory with a name, "*.go" for several.
func (o *overview) named(dir, name string) []record.Path {
	suffix, several := strings.CutPrefix(name, "*")
	if !several {
		if p := record.Path(path.Join(dir, name)); o.ix.Names.Has(p) {
			return []record.Path{p}
		}
		return nil
	}
	var out []record.Path
	prefix := dir
	if dir != "" {
		prefix += "/"
	}
	from, _ := slices.BinarySearchFunc(o.files, prefix, func(f record.Row, p string) int { return cmp.Compare(string(f.Path()), p) })
	for _, f := range o.files[from:] {
		if !strings.HasPrefix(string(f.Path()), prefix) || len(out) == maxSpeakers {
			break
		}
		if dirOf(string(f.Path())) == dir && strings.HasSuffix(string(f.Path()), suffix) && !o.aside(f) {
			out = append(out, f.Path())
		}
	}
	return out
}

// mainUnits returns the names of the units of a part that most files use, types first: those
// that other files see, else the others.
func (o *overview) mainUnits(n *node) []string {
	if seen := o.unitsOf(n, true); len(seen) > 0 {
		return seen
	}
	return o.unitsOf(n, false)
}

func (o *overview) unitsOf(n *node, exported bool) []string {
	type unit struct {
		name  string
		score float64
	}
	var units []unit
	for _, f := range n.heaviest(maxPartUnits) {
		g := o.q.Graph(f.Path())
		for i := range g.Symbols {
			if s := &g.Symbols[i]; o.telling(s) && s.Exported == exported {
				name := s.Name
				if !languages.IsType(s.Kind) {
					name = s.Qualified
				}
				score := kindWeight(s.Kind) * float64(1+o.q.UserCount(s.Name)) * (1 + float64(s.Lines.Last-s.Lines.First)/100)
				units = append(units, unit{name, score})
			}
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name)) })
	var out []string
	for _, u := range units {
		if len(out) < maxPartUnits && !slices.Contains(out, u.name) {
			out = append(out, u.name)
		}
	}
	return out
}

// telling reports whether a symbol tells what its file is about: a type, or a function that is
// not a member of a type. A function may be set on an object, res.send = function() {}.
func (o *overview) telling(s *record.Symbol) bool {
	isType := languages.IsType(s.Kind) && s.Kind != record.KindImpl
	isFunction := languages.IsCallable(s.Kind) && s.Parent < 0 && !slices.ContainsFunc(o.ix.Names.Definitions(s.Container), func(d graph.Definition) bool { return languages.IsType(d.Kind) })
	return !s.Test && !strings.HasPrefix(s.Name, "_") && len(s.Name) > 1 && (isType || isFunction)
}

// heaviest returns the n heaviest files of a node.
func (n *node) heaviest(most int) []record.Row {
	var all []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n.file != nil {
			all = append(all, n)
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(n)
	slices.SortStableFunc(all, func(a, b *node) int { return cmp.Compare(b.weight, a.weight) })
	var out []record.Row
	for _, f := range all[:min(len(all), most)] {
		out = append(out, *f.file)
	}
	return out
}
