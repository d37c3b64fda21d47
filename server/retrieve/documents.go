package retrieve

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

const (
	// maxBeside bounds the matching sections beside which other sections are shown.
	maxBeside = 3
	// maxLinked bounds the documents to which one section links.
	maxLinked = 3
	// halfLife is the time in which the date of a document counts half as much.
	halfLife = 365 * 24 * time.Hour
)

// byMetadata scores documents by what their front matter says: the tags and the layer that the
// question names, and the date, relative to the newest document of the hits.
func (r *ranking) byMetadata() {
	var newest time.Time
	dates := map[*fileHit]time.Time{}
	for _, f := range r.hits {
		i := slices.IndexFunc(f.spots, func(s *spot) bool { return s.chunk.Doc != nil })
		if i < 0 {
			continue
		}
		d := f.spots[i].chunk.Doc
		if n := len(r.question.terms); n > 0 {
			f.tags = float64(r.question.namedIn(d.Tags)) / float64(n)
			f.layer = float64(min(1, r.question.namedIn([]string{d.Layer})))
		}
		if at, ok := dateOf(d.UpdatedAt); ok {
			if dates[f] = at; at.After(newest) {
				newest = at
			}
		}
	}
	for f, at := range dates {
		f.updated = math.Exp2(-float64(newest.Sub(at)) / float64(halfLife))
	}
}

// namedIn returns how many terms of the question are words of names.
func (q *question) namedIn(names []string) int {
	n := 0
	for _, t := range q.terms {
		if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(nameStems(name), t) }) {
			n++
		}
	}
	return n
}

// dateOf reads a date or a time as front matter has it.
func dateOf(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// beside adds what a reader of a section of a document looks at next: the sections before and
// after it, and those to which it links.
func (r *ranking) beside(ctx context.Context, c *record.Chunk, share float64) error {
	own, err := r.ix.Files.FileChunks(ctx, c.Path)
	if err != nil {
		return err
	}
	for _, n := range own {
		switch {
		case n.Doc == nil || n.IsSummary:
		case n.Doc.Index == c.Doc.Index-1:
			r.add(textUnit(&n), RoleDoc, signal("section before", share*worthBeside))
		case n.Doc.Index == c.Doc.Index+1:
			r.add(textUnit(&n), RoleDoc, signal("section after", share*worthBeside))
		}
	}
	linked := 0
	for _, link := range c.Doc.Links {
		p, anchor, _ := strings.Cut(link, "#")
		if linked == maxLinked || record.Path(p) == c.Path || !languages.IsDocument(p) {
			continue
		}
		there, err := r.ix.Files.FileChunks(ctx, record.Path(p))
		if err != nil {
			return err
		}
		if i := sectionAt(there, anchor); i >= 0 {
			linked++
			r.add(textUnit(&there[i]), RoleDoc, signal("linked", share*worthBeside))
		}
	}
	return nil
}

// sectionAt returns the index of the first chunk of the section with an anchor, or of the
// first chunk, -1 when there is none.
func sectionAt(chunks []record.Chunk, anchor string) int {
	at := slices.IndexFunc(chunks, func(c record.Chunk) bool {
		return c.Doc != nil && len(c.Doc.Headings) > 0 && anchorOf(c.Doc.Headings[len(c.Doc.Headings)-1]) == anchor
	})
	if at >= 0 && anchor != "" {
		return at
	}
	return slices.IndexFunc(chunks, func(c record.Chunk) bool { return c.Doc != nil && !c.IsSummary })
}

// anchorOf returns the anchor of a heading, as the hosts of repositories make it.
func anchorOf(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ' || c == '-':
			return '-'
		case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}
