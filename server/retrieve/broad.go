package retrieve

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/indexer/lazy"
	"ambit/server/api"
	"ambit/vectors/record"
)

// breadth says how far a question reaches beyond a single thing.
type breadth int

const (
	narrow breadth = iota
	// whole is a question about the project, if the words that remain are names of it.
	whole
	// area is a question about a part of the project, or about the project, likewise.
	area
)

var (
	// asksArea are questions for a picture, of what the other words name.
	asksArea = lazy.Regexp(`\b(?:overview|architecture|big picture|high[- ]level|tour|walk ?through|introduction|introduce|summari[sz]e|summary|entry points?|` +
		`(?:main|important|key|core) (?:parts?|components?|modules?|packages?|directories|concepts?|classes|types)|` +
		`how (?:is|are)\b.*\b(?:organi[sz]ed|structured|laid out|layered|built|put together|arranged)|structure of (?:this|the|it)|` +
		`what (?:parts|components|modules|packages) (?:are|does))\b`)
	// asksWhole are questions about what a project is.
	asksWhole = lazy.Regexp(`\b(?:what (?:is|does|are)|what's|tell me about|describe|explain|about|understand|onboard\w*|get(?:ting)? started|where (?:do|should|to) (?:i |we )?(?:start|begin))\b`)
	// namesPlace begins a question about a place.
	namesPlace = lazy.Regexp(`^\W*(?:where|which|when|who)\b`)
)

// projectWords are words of a question about a project that name no part of it.
var projectWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`overview architecture architectural big picture high level tour walk through walkthrough introduction introduce summarize summarise summary entry
		point points main important key core part parts component components module modules package packages directory directories folder folders concept concepts class classes type types
		organized organised organization organisation structured structure laid out layered layout built put together arranged project projects repository repo repos app application
		applications codebase code base library program tool service system software product framework purpose describe description understand new newcomer onboard onboarding getting
		started start begin read give short brief quick general please want need entire whole complete thing things stuff here look like kind exactly source tree different various
		written made design general idea good first should who what's s`) {
		m[stem(w)] = true
	}
	return m
}()

// readBreadth sets the breadth of the question.
func (q *question) readBreadth() {
	lower := strings.ToLower(q.raw)
	switch {
	case q.report, len(q.words) > maxBroadWords || namesPlace().MatchString(lower) && !asksWhole().MatchString(lower):
	case asksArea().MatchString(lower):
		q.breadth = area
	case asksWhole().MatchString(lower):
		q.breadth = whole
	}
}

// maxBroadWords bounds the words of a question about a project: a longer one tells what it
// is about.
const maxBroadWords = 24

// broad returns the overview that the question asks for, nil for none.
func (r *ranking) broad() *overview {
	q := &r.question
	if q.breadth == narrow {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(q.terms), func(t string) bool { return projectWords[t] })
	if len(rest) > 0 && q.breadth == whole && len(rest) > 2 {
		return nil
	}
	o := newOverview(r.candidates, rest)
	if len(rest) > 0 && o.isNamed(rest) {
		o.area = nil
		for _, n := range o.nodes() {
			n.asked = false
		}
		rest = nil
	}
	if q.breadth == whole && (len(rest) > 0 || len(q.terms) == 0 && !strings.Contains(strings.ToLower(q.raw), "this")) {
		return nil
	}
	q.scope = api.Comprehensive
	return o
}

// isNamed reports whether stems are those of the name of the project.
func (o *overview) isNamed(stems []string) bool {
	names := []string{}
	for i := range o.manifests {
		if m := &o.manifests[i]; depth(m.dir) == 0 && m.Name != "" {
			names = append(names, path.Base(m.Name))
		}
	}
	if f := o.readme(""); f != "" {
		g := o.q.Graph(f)
		if len(g.Symbols) > 0 {
			names = append(names, g.Symbols[0].Name)
		}
	}
	return slices.ContainsFunc(names, func(n string) bool {
		words := nameStems(n)
		return !slices.ContainsFunc(stems, func(s string) bool { return !slices.Contains(words, s) && s != strings.ToLower(n) })
	})
}

// nodes returns all nodes of the tree.
func (o *overview) nodes() []*node {
	all := []*node{o.root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].children...)
	}
	return all
}

// The worth of the sources of an overview: what its documents say, then where to start to
// read.
const (
	worthReadme   = 0.99
	worthDocument = 0.8
	worthEntry    = 0.6
	worthMain     = 0.5
	worthLater    = 0.85 // factor of each further section of a document
)

// The most sources of an overview.
const (
	maxReadmeSections   = 8
	maxOverviewDocs     = 3
	maxDocumentSections = 3
	maxEntrySources     = 4
	maxMainUnits        = 12
)

// aboutArchitecture is in the names of documents about how a project is built.
var aboutArchitecture = lazy.Regexp(`(?i)^(?:architecture|design|overview|internals|structure|hacking|developing|development|how[-_ ]it[-_ ]works|concepts)\b`)

// aboutProject is in the names of documents that begin the documents of a project.
var aboutProject = lazy.Regexp(`(?i)^(?:introduction|guide|index)\.`)

// sources adds what a newcomer reads: the README, the documents about the architecture, the
// entry points and the main units.
func (o *overview) sources() {
	if f := o.readme(""); f != "" {
		o.document(f, "readme", worthReadme, maxReadmeSections)
	}
	for i, p := range o.documents() {
		if i == maxOverviewDocs {
			break
		}
		worth := worthDocument
		for range i {
			worth *= worthLater
		}
		o.document(p, "architecture document", worth, maxDocumentSections)
	}
	n := 0
	for _, e := range o.entries() {
		if e.Path == "" || n == maxEntrySources {
			continue
		}
		n++
		o.entrySource(e.Path, worthEntry/(1+float64(n)/10))
	}
	o.mainSources()
}

// isArchitecture reports whether a document is about how the project is built by its name
// and its place.
func (o *overview) isArchitecture(f record.Row) bool {
	p := string(f.Path())
	facts := factsOf(f.Path(), &weights)
	if facts.test || facts.example || facts.demotion < 1 || depth(dirOf(p)) > 2 {
		return false
	}
	return aboutArchitecture().MatchString(path.Base(p)) || depth(p) <= 2 && aboutProject().MatchString(path.Base(p))
}

// documents returns the documents about the architecture, those nearest to the root first.
func (o *overview) documents() []record.Path {
	var out []record.Path
	for _, f := range o.files {
		base := path.Base(string(f.Path()))
		if languages.IsDocument(base) && o.isArchitecture(f) {
			out = append(out, f.Path())
		}
	}
	rank := func(p record.Path) int {
		if strings.HasPrefix(strings.ToLower(path.Base(string(p))), "arch") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b record.Path) int {
		return cmp.Or(cmp.Compare(rank(a)+depth(string(a)), rank(b)+depth(string(b))), cmp.Compare(a, b))
	})
	return out
}

// notArchitecture heads sections of documents that say nothing about the code.
var notArchitecture = lazy.Regexp(`(?i)\b(?:licen[cs]e|licensing|sponsors?|backers?|contribut\w*|credits|acknowledge?ments|thanks|donat\w*|badges?|changelog|support|code of conduct|community|who uses|users|translations?|vulnerability|security|table of contents|toc|team|triagers?|announc\w*|install\w*|download\w*)\b`)

// document adds the first sections of a document.
func (o *overview) document(p record.Path, why string, worth float64, most int) {
	chunks, err := o.ix.Files.FileChunks(o.q.Context(), p)
	if err != nil {
		return
	}
	n := 0
	for i := range chunks {
		c := &chunks[i]
		if c.IsSummary || n == most || n > 0 && notArchitecture().MatchString(c.Name+" "+c.Unit) {
			continue
		}
		n++
		o.add(textUnit(c), RoleMatch, signal(why, worth))
		worth *= worthLater
	}
}

// entrySource adds the unit where a file is entered: its function main, or the file.
func (o *overview) entrySource(p record.Path, worth float64) {
	g := o.q.Graph(p)
	symbol := slices.IndexFunc(g.Symbols, func(s record.Symbol) bool { return s.Name == "main" && languages.IsCallable(s.Kind) })
	o.addSymbol(p, symbol, RoleMatch, signal("entry point", worth))
}

// mainSources adds the units of the heaviest files that most files use: of each file its main type,
// and of a file without types that others see its main function.
func (o *overview) mainSources() {
	type unit struct {
		place
		score float64
	}
	var units []unit
	for _, f := range o.root.heaviest(maxMainUnits) {
		if o.aside(f) {
			continue
		}
		best := unit{place{f.Path(), -1}, 0}
		if best.symbol, best.score = o.mainOf(f.Path(), languages.IsType); best.symbol < 0 {
			best.symbol, best.score = o.mainOf(f.Path(), languages.IsCallable)
		}
		if best.symbol >= 0 {
			units = append(units, best)
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(b.score, a.score) })
	for i, u := range units {
		o.addSymbol(u.path, u.symbol, RoleMatch, signal("main unit", worthMain/(1+float64(i)/10)))
	}
}

// mainOf returns the symbol of a kind of a file that most files use and how much they do, or -1.
func (o *overview) mainOf(p record.Path, kind func(record.Kind) bool) (symbol int, score float64) {
	symbol = -1
	g := o.q.Graph(p)
	for i := range g.Symbols {
		if s := &g.Symbols[i]; o.telling(s) && s.Exported && kind(s.Kind) {
			if n := float64(1+o.q.UserCount(s.Name)) * (1 + o.ix.Names.Centrality(p)); n > score {
				symbol, score = i, n
			}
		}
	}
	return symbol, score
}
