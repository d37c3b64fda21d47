package languages

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// rawDecl is a declaration without its parent.
type rawDecl struct {
	Decl
	pattern uint16 // a later pattern is more specific
}

// settleDecls orders the declarations, keeps one for each name, joins them with
// their comments and finds their parents. A variable inside a function is a local.
func (b *builder) settleDecls() []Decl {
	if b.row.data {
		b.fewKeys()
	}
	raw := b.namedOnce()
	slices.SortFunc(raw, func(x, y rawDecl) int {
		return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), cmp.Compare(y.Span.End, x.Span.End), cmp.Compare(boolInt(empty(y.Body)), boolInt(empty(x.Body))),
			cmp.Compare(x.NameSpan.Start, y.NameSpan.Start))
	})
	slices.SortFunc(b.scopes, outerFirst)
	b.settleComments()
	n := nester{b: b, decls: make([]Decl, 0, len(raw)), scopes: nesting{next: b.scopes}}
	for i := range raw {
		n.place(&raw[i].Decl)
	}
	b.attachBases(n.decls)
	b.attachResults(n.decls)
	b.attachComments(n.decls)
	b.attachDocTypes(n.decls)
	if b.row.isTest != nil {
		for i := range n.decls {
			d := &n.decls[i]
			d.Test = b.row.isTest(d, b.text) || d.Parent >= 0 && n.decls[d.Parent].Test
		}
	}
	return n.decls
}

// outerFirst orders spans by start, the longer of two first.
func outerFirst(x, y record.Span) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// namedOnce keeps one declaration for each name. When several patterns match it, the
// declaration has the widest span and the kind of the last pattern.
func (b *builder) namedOnce() []rawDecl {
	slices.SortFunc(b.decls, func(x, y rawDecl) int {
		return cmp.Or(cmp.Compare(x.NameSpan.Start, y.NameSpan.Start), cmp.Compare(x.pattern, y.pattern))
	})
	slices.Sort(b.importAt)
	kept := b.decls[:0]
	next := 0
	for _, d := range b.decls {
		at := d.NameSpan.Start
		for next < len(b.importAt) && b.importAt[next] < at {
			next++
		}
		if next < len(b.importAt) && b.importAt[next] == at {
			continue // const x = require("y")
		}
		d.Span.Start = keywordStart(b.text, d.Span.Start, b.row.preprocessed)
		if n := len(kept); n > 0 && kept[n-1].NameSpan.Start == at {
			kept[n-1] = mergeDecl(kept[n-1], d)
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

func mergeDecl(a, b rawDecl) rawDecl {
	if b.Span.End-b.Span.Start < a.Span.End-a.Span.Start {
		b.Span = a.Span
	}
	if empty(b.Body) {
		b.Body = a.Body
	}
	if IsCallable(a.Kind) == IsCallable(b.Kind) { // the type of a function value is not the type of its result
		b.Type = cmp.Or(b.Type, a.Type)
	}
	b.Container = cmp.Or(b.Container, a.Container)
	return b
}

// outsideKeywords stand before a declaration on its line. Grammars put them in a node
// around the declaration.
var outsideKeywords = []string{"export", "default", "declare", "const", "let", "var", "type", "private", "protected", "public", "local", "rec", "and", "@test"}

// maxKeyword bounds the length of a keyword or macro in front of a declaration.
const maxKeyword = 40

// keywordStart moves start back over the outsideKeywords, and over macros if macros is
// set, when they start the line.
func keywordStart(text string, start int, macros bool) int {
	i := start
	for {
		j := i
		for j > 0 && text[j-1] == ' ' {
			j--
		}
		end := j
		for j > 0 && (isWordByte(text[j-1]) || text[j-1] == '@') && end-j < maxKeyword {
			j--
		}
		if j == end {
			if j > 0 && text[j-1] != '\n' && text[j-1] != '\t' {
				return start
			}
			return i
		}
		if !slices.Contains(outsideKeywords, text[j:end]) && !(macros && isCapitals(text[j:end])) {
			return start
		}
		i = j
	}
}

// nester finds the parents of declarations. The caller passes them in the order of the
// text, outer before inner.
type nester struct {
	b      *builder
	decls  []Decl
	stack  []int // the declarations around the current offset
	fields map[field]bool
	scopes nesting
}

// field names a member of a type that its first assignment declares.
type field struct {
	class int
	name  string
}

// place adds one declaration, or makes a local of it.
func (n *nester) place(d *Decl) {
	for len(n.stack) > 0 && n.decls[n.top()].Span.End <= d.Span.Start {
		n.stack = n.stack[:len(n.stack)-1]
	}
	if len(n.stack) > 0 && n.decls[n.top()].Span == d.Span {
		other := &n.decls[n.top()]
		switch { // two matches of one declaration, or several names in one declaration
		case d.Kind == record.KindTest && other.Kind == record.KindFunction:
			d.Parent = other.Parent
			*other = n.finished(d)
			return
		case other.Kind == record.KindTest && d.Kind == record.KindFunction, d.Name == other.Name:
			return
		}
		if chained(other, d) {
			d.Kind = other.Kind
		}
		n.stack = n.stack[:len(n.stack)-1]
	}
	for len(n.stack) > 0 && chained(&n.decls[n.top()], d) {
		d.Kind = n.decls[n.top()].Kind
		n.stack = n.stack[:len(n.stack)-1]
	}
	scopes := n.scopes.at(d.Span.Start)
	if isValue(d.Kind) && n.local(d, scopes) {
		n.b.addLocal(Binding{Name: d.Name, Scope: d.NameSpan, Type: d.Type})
		return
	}
	d.Parent = -1
	if len(n.stack) > 0 {
		d.Parent = n.top()
		t := typeAround(n.decls, d.Parent)
		static := n.b.row.preprocessed && n.decls[d.Parent].Kind == record.KindModule // int A::x; in a name space
		if d.Container != "" && isValue(d.Kind) && inBody(&n.decls[d.Parent], d) && !static {
			if t < 0 || n.fields[field{t, d.Name}] {
				return // self.field = …: the first assignment declares the field
			}
			n.declareField(t, d)
			return
		}
		if t >= 0 && d.Kind == record.KindField && d.Parent != t && IsCallable(n.decls[d.Parent].Kind) {
			d.Container = n.decls[t].Name // a parameter of the constructor declares the field
		}
	} else if d.Container != "" && d.Kind == record.KindField {
		return // self.field outside of a method
	}
	n.stack = append(n.stack, len(n.decls))
	n.decls = append(n.decls, n.finished(d))
}

// chained reports whether a declaration is a later name of an assignment to several: "b" in
// "a = b = 1", which is beside "a" and not in it.
func chained(outer, d *Decl) bool {
	return isValue(outer.Kind) && isValue(d.Kind) && outer.Span.End == d.Span.End && outer.NameSpan.End <= d.NameSpan.Start &&
		empty(outer.Body) && empty(d.Body)
}

func (n *nester) top() int { return n.stack[len(n.stack)-1] }

// local reports whether a value lies in the body of a function or in a block of
// statements. scopes are the scopes around it.
func (n *nester) local(d *Decl, scopes []record.Span) bool {
	if d.Container != "" {
		return false
	}
	floor := -1
	var module record.Span // the body of the module around d: what stands in it is no local
	if len(n.stack) > 0 {
		p := &n.decls[n.top()]
		if p.Kind == record.KindModule {
			module = p.Body
		}
		if IsCallable(p.Kind) && (inBody(p, d) || d.Kind != record.KindField) { // C also declares parameters behind the list
			return true
		}
		floor = p.Span.Start
	}
	if d.Kind == record.KindField && !n.b.row.oneForm {
		return false
	}
	return slices.ContainsFunc(scopes, func(s record.Span) bool {
		return s.Start > floor && s.Start < d.Span.Start && d.Span.End <= s.End && s != module
	})
}

// inBody reports whether d starts in the body of p.
func inBody(p, d *Decl) bool { return !empty(p.Body) && d.Span.Start >= p.Body.Start }

// declareField adds a field that a method of type t assigns.
func (n *nester) declareField(t int, d *Decl) {
	if n.fields == nil {
		n.fields = map[field]bool{}
	}
	n.fields[field{t, d.Name}] = true
	d.Container = n.decls[t].Name
	f := n.finished(d)
	f.Exported = n.b.row.exported(d.Name, "")
	n.decls = append(n.decls, f)
}

// finished returns d with its header and the fields that depend on it.
func (n *nester) finished(d *Decl) Decl {
	if body := n.b.slice(d.Body); body == "{" || body != "" && n.b.row.data { // the grammar has no node for the whole body
		d.Body.End = d.Span.End
	}
	d.Header = n.b.header(d)
	if d.Kind == record.KindField && n.b.row.oneForm && d.Parent < 0 && d.Container == "" {
		d.Kind = record.KindVariable
	}
	if d.Kind == record.KindFunction && d.Parent >= 0 && IsType(n.decls[d.Parent].Kind) {
		d.Kind = record.KindMethod
	}
	d.Exported = n.b.row.exported(d.Name, n.b.slice(d.Header))
	if d.Parent >= 0 {
		switch k := n.decls[d.Parent].Kind; {
		case n.b.row.preprocessed && IsType(k):
			d.Exported = true // static in a class of C++ does not hide the member
		case k == record.KindInterface || k == record.KindEnum: // the members are as visible as the type
			d.Exported = d.Exported || !strings.Contains(n.b.slice(d.Header), "private ")
		}
	}
	return *d
}

// maxSignature bounds a signature in bytes: enough for a long parameter list.
const maxSignature = 400

// Signature returns the text of a header on one line of at most 400 bytes.
func Signature(header string) string {
	clean := len(header) <= maxSignature
	for i := 0; clean && i < len(header); i++ {
		c := header[i]
		clean = c != '\n' && c != '\t' && c != '\r' && (c != ' ' || i > 0 && i+1 < len(header) && header[i+1] != ' ')
	}
	if clean {
		return header
	}
	cut := len(header) > 4*maxSignature
	s := strings.Join(strings.Fields(header[:min(len(header), 4*maxSignature)]), " ")
	if len(s) > maxSignature {
		s, cut = s[:maxSignature], true
	}
	if cut {
		return strings.ToValidUTF8(s, "") + "…"
	}
	return s
}

// typeAround returns the innermost type that holds declaration i, or -1.
func typeAround(decls []Decl, i int) int {
	for ; i >= 0 && !IsType(decls[i].Kind); i = decls[i].Parent {
	}
	return i
}

// IsCallable reports whether code can call declarations of a kind.
func IsCallable(k record.Kind) bool {
	return k == record.KindFunction || k == record.KindMethod || k == record.KindTest || k == record.KindMacro
}

func isValue(k record.Kind) bool {
	return k == record.KindVariable || k == record.KindConstant || k == record.KindField
}

// IsType reports whether a kind can have members.
func IsType(k record.Kind) bool {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindType, record.KindImpl:
		return true
	}
	return false
}

const (
	// maxHeaderLines bounds the header of a declaration without a body.
	maxHeaderLines = 4
	// maxHeaderWidth bounds every header in bytes, because one line can be the whole file.
	maxHeaderWidth = 4000
)

// header returns the span from the first keyword to the body. A declaration
// without a body is its own header, up to maxHeaderLines lines.
func (b *builder) header(d *Decl) record.Span {
	text, h := b.text, d.Span
	h.End = min(h.End, h.Start+maxHeaderWidth)
	if !empty(d.Body) && d.Body.Start > h.Start {
		h.End = min(h.End, d.Body.Start)
	} else if i := nthLine(text[h.Start:h.End], maxHeaderLines); i >= 0 {
		h.End = h.Start + i
	}
	h.End = h.Start + len(trimBlanks(text[h.Start:h.End]))
	// A comment between the header and the first statement belongs to the body.
	i, _ := slices.BinarySearchFunc(b.comments, h.End, func(c record.Span, o int) int { return cmp.Compare(c.Start, o) })
	for i--; i >= 0 && b.comments[i].End >= h.End && b.comments[i].Start > d.NameSpan.End && h.End < d.Body.Start; i-- {
		h.End = h.Start + len(trimBlanks(text[h.Start:b.comments[i].Start]))
	}
	return h
}

// nthLine returns the index of the n-th line end in s, or -1.
func nthLine(s string, n int) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			if n--; n == 0 {
				return i
			}
		}
	}
	return -1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// maxBases bounds the bases of one type.
const maxBases = 64

// attachBases adds each base type to the innermost declaration around it, and adds a
// reference to it.
func (b *builder) attachBases(decls []Decl) {
	for _, base := range b.bases {
		p := typePath(b.slice(base.span))
		if base.gathered {
			p = pathOf(b.slice(base.span))
		}
		if p == "" || p == unknown || p == Builtin {
			continue
		}
		if i := innermost(decls, base.span.Start); i >= 0 && len(decls[i].Bases) < maxBases && !slices.Contains(decls[i].Bases, p) {
			decls[i].Bases = append(decls[i].Bases, p)
		}
		if base.gathered {
			continue
		}
		recv, name := CutLast(p)
		if b.row.whole {
			recv, name = "", p
		}
		at := base.span
		if j := strings.LastIndex(b.slice(base.span), name); j >= 0 {
			at = record.Span{Start: base.span.Start + j, End: base.span.Start + j + len(name)}
		}
		b.refs = append(b.refs, Ref{Name: name, Receiver: recv, Kind: record.EdgeExtends, Span: at, Decl: -1})
	}
}

// attachResults sets the Result of each function without a written type: the first
// expression that it returns and whose type is evident.
func (b *builder) attachResults(decls []Decl) {
	slices.SortFunc(b.results, outerFirst)
	slices.SortFunc(b.closures, outerFirst)
	closures := nesting{next: b.closures}
	for _, result := range b.results {
		around := closures.at(result.Start)
		i := innermost(decls, result.Start)
		for i >= 0 && !IsCallable(decls[i].Kind) {
			i = decls[i].Parent
		}
		if i < 0 || decls[i].Type != "" || decls[i].Result != "" || !inBodySpan(decls[i].Body, result) {
			continue
		}
		if n := len(around); n > 0 && around[n-1].Start >= decls[i].Body.Start {
			continue // a closure inside the function returns it
		}
		if p := b.row.path(b.slice(result)); p != unknown && p != Builtin {
			decls[i].Result = p
		}
	}
}

func inBodySpan(body, s record.Span) bool { return body.Start <= s.Start && s.End <= body.End }

// innermost returns the index of the innermost declaration that holds offset, or -1.
func innermost(decls []Decl, offset int) int {
	i, _ := slices.BinarySearchFunc(decls, offset+1, func(d Decl, o int) int { return cmp.Compare(d.Span.Start, o) })
	for i--; i >= 0; i = decls[i].Parent {
		if offset < decls[i].Span.End {
			return i
		}
	}
	return -1
}

// attachComments extends each declaration over the comments and attributes right
// above it, and finds doc comments inside. A comment must lie inside the parent and
// behind the previous sibling, so the order of the declarations does not change.
func (b *builder) attachComments(decls []Decl) {
	ends := make([]int, len(decls)+1) // ends[i] is the end of the last child of parent i-1
	for i := range decls {
		d := &decls[i]
		if i > 0 && decls[i-1].Parent == d.Parent && d.Header.Start == decls[i-1].Header.Start && d.Span.End == decls[i-1].Span.End {
			d.Span, d.Doc = decls[i-1].Span, decls[i-1].Doc // another name in the same declaration
			continue
		}
		floor := ends[d.Parent+1]
		if d.Parent >= 0 {
			floor = max(floor, decls[d.Parent].Header.Start+1)
		}
		ends[d.Parent+1] = max(ends[d.Parent+1], d.Span.End)
		if start := b.commentStart(d.Span.Start, floor); start < d.Span.Start {
			d.Doc = record.Span{Start: start, End: d.Span.Start}
			for d.Doc.End > start && isBlank(b.text[d.Doc.End-1]) {
				d.Doc.End--
			}
			d.Span.Start = start
		}
	}
	if b.row.docBelow {
		b.attachBelow(decls)
	}
	for _, doc := range b.docs {
		if i := innermost(decls, doc.Start); i >= 0 && empty(decls[i].Doc) {
			decls[i].Doc = doc
		}
	}
}

// attachBelow extends declarations over the doc comments right below them, unless the comment
// adjoins the next declaration, too.
func (b *builder) attachBelow(decls []Decl) {
	for i := range decls {
		d := &decls[i]
		k, _ := slices.BinarySearchFunc(b.comments, d.Span.End, func(c record.Span, o int) int { return cmp.Compare(c.Start, o) })
		if k == len(b.comments) {
			return
		}
		c := b.comments[k]
		end := len(b.text)
		if d.Parent >= 0 {
			end = decls[d.Parent].Span.End
		}
		if c.End > end || !adjoins(b.text[d.Span.End:c.Start]) || !strings.HasPrefix(b.slice(c), "(**") {
			continue
		}
		last := i // the last declaration inside d
		for last+1 < len(decls) && decls[last+1].Span.Start < d.Span.End {
			last++
		}
		if last+1 < len(decls) && decls[last+1].Span.Start < c.End || last > i && decls[last].Span.End > d.Span.End {
			continue
		}
		if empty(d.Doc) {
			d.Doc = c
		}
		d.Span.End = c.End
	}
}

// attachDocTypes sets the types that are written in doc comments alone. A written array says
// nothing of its elements, so a comment outranks it.
func (b *builder) attachDocTypes(decls []Decl) {
	for i := range decls {
		d := &decls[i]
		if b.row.docType == nil || empty(d.Doc) || d.Type != "" && d.Type != Builtin {
			continue
		}
		if t := b.row.docType(b.slice(d.Doc)); t != "" {
			d.Type = cmp.Or(b.row.typePath(t), d.Type)
		}
	}
}

// settleComments orders the comments and attributes, and drops those inside of others.
func (b *builder) settleComments() {
	slices.SortFunc(b.comments, outerFirst)
	kept := b.comments[:0]
	for _, c := range b.comments {
		if n := len(kept); n == 0 || c.Start >= kept[n-1].End {
			kept = append(kept, c)
		}
	}
	b.comments = kept
}

// commentStart returns the start of the comments right above start, at least floor. One
// blank line may separate a doc comment from what it documents.
func (b *builder) commentStart(start, floor int) int {
	i, _ := slices.BinarySearchFunc(b.comments, start, func(c record.Span, o int) int { return cmp.Compare(c.Start, o) })
	from, above := start, start // above is the start of the comments, from the first of them that starts its line
	for i--; i >= 0; i-- {
		c := b.comments[i]
		if c.Start < floor || c.End > above {
			break
		}
		lines := lineEnds(b.text[c.End:above])
		if lines < 0 || lines > 2 || lines == 2 && !(above == start && isDocComment(b.slice(c))) {
			break
		}
		above = c.Start
		if ownLine(b.text, above) {
			from = above
		}
	}
	return from
}

// lineEnds returns the number of line ends in gap, or -1 when it holds more than blanks.
func lineEnds(gap string) int {
	lines := 0
	for i := 0; i < len(gap); i++ {
		if !isBlank(gap[i]) {
			return -1
		}
		if gap[i] == '\n' {
			lines++
		}
	}
	return lines
}

// adjoins reports whether gap holds only blanks and at most one line end.
func adjoins(gap string) bool {
	lines := lineEnds(gap)
	return lines == 0 || lines == 1
}

// isDocComment reports whether a comment has the marks of documentation, and is not about
// the whole file.
func isDocComment(comment string) bool {
	for _, mark := range []string{"/**", "///", "---", "-- |", "##"} {
		if rest, ok := strings.CutPrefix(comment, mark); ok {
			return !strings.HasPrefix(rest, mark[len(mark)-1:]) && !aboutFile.MatchString(comment)
		}
	}
	return false
}

// aboutFile matches in comments about a whole file.
var aboutFile = regexp.MustCompile(`(?i)@(?:file|license|module|package)|\b(?:copyright|licen[cs]ed?)\b`)

// ownLine reports whether only blanks precede offset on its line.
func ownLine(text string, offset int) bool {
	for i := offset - 1; i >= 0 && text[i] != '\n'; i-- {
		if !isBlank(text[i]) {
			return false
		}
	}
	return true
}
