package languages

import (
	"cmp"
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

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

// commented reports whether an offset lies in a comment. The comments are sorted.
func (b *builder) commented(at int) bool {
	i, _ := slices.BinarySearchFunc(b.comments, at+1, func(c record.Span, o int) int { return cmp.Compare(c.Start, o) })
	return i > 0 && at < b.comments[i-1].End
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
			return !strings.HasPrefix(rest, mark[len(mark)-1:]) && !aboutFile().MatchString(comment)
		}
	}
	return false
}

// aboutFile matches in comments about a whole file.
var aboutFile = lazy.Regexp(`(?i)@(?:file|license|module|package)|\b(?:copyright|licen[cs]ed?)\b`)

// ownLine reports whether only blanks precede offset on its line.
func ownLine(text string, offset int) bool {
	for i := offset - 1; i >= 0 && text[i] != '\n'; i-- {
		if !isBlank(text[i]) {
			return false
		}
	}
	return true
}
