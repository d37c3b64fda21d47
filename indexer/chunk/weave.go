package chunk

import (
	"crypto/sha256"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The bounds of what files quote of one another.
const (
	maxOffers      = 1024 // of a file
	maxQuotes      = 128  // of a file
	maxOfferBytes  = 2000 // of Offer.Text
	maxBriefBytes  = 300  // of Offer.Brief, and of a line that quotes
	quotedShare    = 4    // a class quotes up to 1/4 of its size of what it takes in
	minWholeBytes  = 200
	maxOfferedSeen = 64 // offers that a quote looks at
)

// Ties returns what binds a file to others, nil for nothing: the outline is what
// [Split] cut into the chunks with the same options.
func Ties(o *languages.Outline, opt Options, chunks []record.Chunk) *record.Ties {
	if opt.TextOnly || opt.ContextMode != ContextFull && opt.ContextMode != "" || o.Doc != nil {
		return nil
	}
	t := tier{splitter: splitter{o: o, opt: opt}, chunks: chunks}
	for i := range o.Decls {
		if o.Decls[i].Role == "" {
			continue
		}
		if t.kidsAt == nil {
			t.groupKids()
			t.qualify()
			t.findPaths()
		}
		t.class(i)
	}
	for _, table := range o.Tables {
		t.offer(record.Offer{Kind: record.EdgeType, Path: table.Model, Brief: table.Name + " (columns: " + joinUpTo(table.Columns, ", ", maxBriefBytes) + ")"})
	}
	if len(t.ties.Offers)+len(t.ties.Quotes) == 0 {
		return nil
	}
	slices.SortStableFunc(t.ties.Quotes, func(a, b record.Quote) int { return a.Chunk - b.Chunk })
	return &t.ties
}

// tier gathers the ties of one file.
type tier struct {
	splitter
	chunks []record.Chunk
	paths  []string // of each declaration, with what stands before its name
	ties   record.Ties
}

// class adds what ties declaration i.
func (t *tier) class(i int) {
	d := &t.o.Decls[i]
	own := t.paths[i]
	if d.Role == languages.RoleMixin {
		t.offerMixin(i, own)
		return
	}
	if _, ok := layouts[d.Role]; !ok {
		return
	}
	head := t.chunkAt(d.Header.Start)
	associations := head
	var mixins []*languages.Directive
	for v := range t.directives(i, d.Span) {
		switch {
		case v.Purpose == languages.PurposeMixin && len(v.Args) > 0:
			mixins = append(mixins, v)
		case v.Purpose == languages.PurposeAssociation && len(v.Args) > 0:
			if associations == head {
				associations = t.chunkAt(v.Call.Start)
			}
			if v.Target != "" {
				t.offer(record.Offer{Kind: record.EdgeAssociates, Path: v.Target, From: own, Brief: own + " " + v.Name + " " + v.Args[0]})
			}
		}
	}
	n := 0
	for _, v := range mixins {
		n += len(v.Args)
	}
	for _, v := range mixins {
		for _, arg := range v.Args {
			q := record.Quote{Kind: record.EdgeExtends, Path: arg, From: own}
			t.quote(q, head)
			if at := t.chunkAt(v.Call.Start); at != head {
				q.Whole = min(max((d.Span.End-d.Span.Start)/quotedShare/n, minWholeBytes), maxOfferBytes)
				t.quote(q, at)
			}
		}
	}
	if d.Role == languages.RoleModel {
		t.quote(record.Quote{Kind: record.EdgeType, Path: strings.ReplaceAll(own, ".", "")}, head)
		t.quote(record.Quote{Kind: record.EdgeAssociates, Path: own}, associations)
	}
}

// offerMixin adds the offer of a mixin: the signatures of its methods and its body.
func (t *tier) offerMixin(i int, own string) {
	d := &t.o.Decls[i]
	var list []string
	for _, k := range t.children(i) {
		if kid := &t.o.Decls[k]; kid.Kind == record.KindMethod && len(list) < maxDefines {
			list = append(list, t.signature(k))
		}
	}
	body := record.Span{Start: d.Body.Start, End: min(d.Body.End, d.Body.Start+maxOfferBytes)}
	text := ""
	if body.Start < body.End {
		text = wholeRunes(string(t.o.Content[body.Start:body.End]))
	}
	if len(list) > 0 || text != "" {
		brief := ""
		if len(list) > 0 {
			brief = "(" + joinUpTo(list, "; ", maxBriefBytes) + ")"
		}
		t.offer(record.Offer{Kind: record.EdgeExtends, Path: own, Brief: brief, Text: text})
	}
}

func (t *tier) offer(o record.Offer) {
	if len(t.ties.Offers) < maxOffers {
		o.Brief = wholeRunes(o.Brief[:min(len(o.Brief), 2*maxBriefBytes)])
		t.ties.Offers = append(t.ties.Offers, o)
	}
}

// quote adds a place at which a chunk quotes.
func (t *tier) quote(q record.Quote, at int) {
	if at < 0 || len(t.ties.Quotes) == maxQuotes {
		return
	}
	c := &t.chunks[at]
	q.Chunk, q.Prefix, q.Suffix = at, len(c.Prefix), len(c.Suffix)
	t.ties.Quotes = append(t.ties.Quotes, q)
}

// chunkAt returns the chunk that covers an offset, -1 for none.
func (t *tier) chunkAt(offset int) int {
	return slices.IndexFunc(t.chunks, func(c record.Chunk) bool { return !c.Beside && c.Span.Start <= offset && offset < c.Span.End })
}

// findPaths sets the paths: what stands around a declaration, before its name, and that.
func (t *tier) findPaths() {
	t.paths = make([]string, len(t.o.Decls))
	for i := range t.o.Decls {
		d := &t.o.Decls[i]
		name := d.Name
		before := strings.TrimSpace(string(t.o.Content[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)]))
		if scope, ok := strings.CutSuffix(before, "::"); ok && len(scope) < maxNameBytes {
			scope = scope[strings.LastIndexAny(scope, " \t\n")+1:]
			name = strings.ReplaceAll(strings.TrimPrefix(scope, "::"), "::", ".") + "." + name
		}
		if d.Parent >= 0 && len(t.paths[d.Parent]) < maxNameBytes {
			name = t.paths[d.Parent] + "." + name
		}
		t.paths[i] = name
	}
}

// wholeRunes returns s without a part of a character at its end.
func wholeRunes(s string) string { return strings.ToValidUTF8(s, "") }

// Offered is an offer with the file that has it.
type Offered struct {
	File record.Path
	record.Offer
}

// Offers finds offers. It returns those of a kind of which the last name of the path
// is the given one, by file.
type Offers func(kind record.EdgeKind, name string) []Offered

// LastName returns the last name of a path: what offers are found by.
func LastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// Weave gives the chunks of r that quote other files what is offered, in place of what
// was, and sets Ties.Woven. A chunk that changes loses its codes. It reports whether
// one did. Chunks that quote nothing are not touched.
func Weave(r *record.FileRecord, offers Offers) bool {
	if r.File.Ties == nil {
		return false
	}
	changed := false
	lines, sum := quotes(r.File.Path, r.File.Ties, offers)
	all := r.File.Ties.Quotes
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].Chunk == all[from].Chunk {
			to++
		}
		changed = weave(r, all[from:to], lines[from:to]) || changed
		from = to
	}
	if sum != r.File.Ties.Woven {
		ties := *r.File.Ties
		ties.Woven = sum
		r.File.Ties = &ties
		return true
	}
	return changed
}

// Woven returns the sum that [Weave] would leave in the ties of a file.
func Woven(file record.Path, ties *record.Ties, offers Offers) record.Hash {
	_, sum := quotes(file, ties, offers)
	return sum
}

// weave writes the quotes of one chunk.
func weave(r *record.FileRecord, quotes []record.Quote, lines []string) bool {
	q := &quotes[0]
	if q.Chunk < 0 || q.Chunk >= len(r.Chunks) {
		return false
	}
	c := &r.Chunks[q.Chunk]
	if q.Prefix > len(c.Prefix) || q.Suffix > len(c.Suffix) || c.Span.End > len(r.Content) {
		return false
	}
	prefix, suffix := c.Prefix[:q.Prefix], c.Suffix[:q.Suffix]
	for i := range quotes {
		if quotes[i].Whole > 0 {
			suffix += lines[i]
		} else {
			prefix += lines[i]
		}
	}
	if prefix == c.Prefix && suffix == c.Suffix {
		return false
	}
	c.Prefix, c.Suffix = prefix, suffix
	sum := sha256.New()
	sum.Write([]byte(prefix))
	sum.Write(r.Content[c.Span.Start:c.Span.End])
	sum.Write([]byte(suffix))
	sum.Sum(c.EmbedHash[:0])
	if r.Codes != nil {
		r.Codes[q.Chunk] = record.Codes{}
	}
	return true
}

// quotes returns what each quote of a file brings, "" for nothing, and the sum of all.
func quotes(file record.Path, ties *record.Ties, offers Offers) (lines []string, woven record.Hash) {
	lines = make([]string, len(ties.Quotes))
	sum, any := sha256.New(), false
	for i := range ties.Quotes {
		q := &ties.Quotes[i]
		lines[i] = quoted(file, q, offers(q.Kind, LastName(q.Path)))
		sum.Write([]byte(lines[i]))
		sum.Write([]byte{0})
		any = any || lines[i] != ""
	}
	if any {
		sum.Sum(woven[:0])
	}
	return lines, woven
}

// quoted returns what a quote brings of what is offered.
func quoted(file record.Path, q *record.Quote, offered []Offered) string {
	var list []string
	var best *Offered
	for i := range offered[:min(len(offered), maxOfferedSeen)] {
		o := &offered[i]
		switch {
		case o.File == file: // it stands there
		case q.Kind == record.EdgeAssociates && reaches(o.From, o.Path, q.Path):
			list = append(list, o.Brief)
		case q.Kind == record.EdgeType && best == nil:
			best = o
		case q.Kind == record.EdgeExtends && reaches(q.From, q.Path, o.Path) && (best == nil || len(o.Path) > len(best.Path)):
			best = o
		}
	}
	switch {
	case len(list) > 0:
		return "# Associated from: " + joinUpTo(list, ", ", maxBriefBytes) + "\n"
	case best == nil:
		return ""
	case q.Kind == record.EdgeType:
		return "# Table: " + best.Brief + "\n"
	case q.Whole == 0:
		return "# Concern: " + strings.TrimSpace(best.Path+" "+best.Brief) + "\n"
	case best.Text == "":
		return ""
	}
	return "# Concern: " + best.Path + "\n" + wholeRunes(best.Text[:min(len(best.Text), q.Whole)]) + "\n"
}

// reaches reports whether a path that is written in a type can mean another one: it is
// looked up in what stands around the type, from the inside out, unless it starts at
// the top.
func reaches(from, written, own string) bool {
	if top, ok := strings.CutPrefix(written, "."); ok {
		return own == top
	}
	for {
		if own == written || from != "" && strings.HasPrefix(own, from) && own[len(from):] == "."+written {
			return true
		}
		if from == "" {
			return false
		}
		from, _ = languages.CutLast(from)
	}
}
