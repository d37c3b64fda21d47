package eval

import (
	"bytes"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// fixedTokens is the size of the chunks of fixed size, and the most that the plain syntax
// tree packs into one. bytesPerToken is the rule of thumb by which they are measured.
const (
	fixedTokens   = 500
	bytesPerToken = 4
)

// The names of the strategies.
const (
	cutAmbit    = "ambit"
	cutFile     = "whole file"
	cutFixed    = "500 tokens"
	cutFunction = "per function"
	cutTree     = "plain AST"
)

// cutter cuts a file into chunks, of which only ambit's cover text twice.
type cutter struct {
	name string
	cut  func(o *languages.Outline) []record.Chunk
}

// cutters returns the strategies.
func cutters(opt chunk.Options) []cutter {
	return []cutter{
		{cutAmbit, func(o *languages.Outline) []record.Chunk { return chunk.Split(o, opt) }},
		{cutFile, func(o *languages.Outline) []record.Chunk { return chunksOf(o, []cut{{whole(o), ""}}) }},
		{cutFixed, func(o *languages.Outline) []record.Chunk { return chunksOf(o, fixed(o, whole(o))) }},
		{cutFunction, func(o *languages.Outline) []record.Chunk { return chunksOf(o, perFunction(o)) }},
		{cutTree, func(o *languages.Outline) []record.Chunk { return chunksOf(o, pack(o, whole(o), -1)) }},
	}
}

// cut is a chunk in the making; name is that of its unit, if any.
type cut struct {
	span record.Span
	name string
}

func whole(o *languages.Outline) record.Span { return record.Span{End: len(o.Content)} }

// chunksOf makes chunks of the cuts that hold text.
func chunksOf(o *languages.Outline, cuts []cut) (chunks []record.Chunk) {
	lines := newLineTable(o.Content)
	for _, c := range cuts {
		if len(bytes.TrimSpace(o.Content[c.span.Start:c.span.End])) == 0 {
			continue
		}
		chunks = append(chunks, record.Chunk{Path: o.Path, Language: o.Language, Name: c.name, Unit: c.name,
			Span: c.span, Lines: lines.of(c.span), Tokens: (c.span.End - c.span.Start) / bytesPerToken})
	}
	return chunks
}

// fixed cuts a span at the line ends before each fixedTokens.
func fixed(o *languages.Outline, s record.Span) (cuts []cut) {
	for at := s.Start; at < s.End; {
		end := min(s.End, at+fixedTokens*bytesPerToken)
		if end < s.End {
			if n := bytes.LastIndexByte(o.Content[at:end], '\n'); n >= 0 {
				end = at + n + 1
			}
		}
		cuts = append(cuts, cut{record.Span{Start: at, End: end}, ""})
		at = end
	}
	return cuts
}

// perFunction makes each outermost function a chunk, and each text between two functions.
func perFunction(o *languages.Outline) (cuts []cut) {
	at := 0
	for i := range o.Decls {
		d := &o.Decls[i]
		if !languages.IsCallable(d.Kind) || d.Span.Start < at {
			continue
		}
		cuts = append(cuts, cut{record.Span{Start: at, End: d.Span.Start}, ""}, cut{d.Span, d.Name})
		at = d.Span.End
	}
	return append(cuts, cut{record.Span{Start: at, End: len(o.Content)}, ""})
}

// pack cuts a span at the declarations directly in parent: neighbors together up to
// fixedTokens, a larger declaration at those in it, a larger text by fixed.
//
// Source: Zhang et al., "cAST: Enhancing Code Retrieval-Augmented Generation with Structural
// Chunking via Abstract Syntax Tree" (2025).
func pack(o *languages.Outline, s record.Span, parent int) (cuts []cut) {
	open := record.Span{Start: s.Start, End: s.Start} // the neighbors so far
	flush := func(next int) {
		cuts = append(cuts, fixed(o, open)...)
		open = record.Span{Start: next, End: next}
	}
	take := func(end int) {
		if end-open.Start > fixedTokens*bytesPerToken && open.End > open.Start {
			flush(open.End)
		}
		open.End = end
	}
	for i := range o.Decls {
		d := &o.Decls[i]
		if d.Parent != parent || d.Span.Start < open.End || d.Span.End > s.End {
			continue
		}
		take(d.Span.Start)
		if d.Span.End-d.Span.Start <= fixedTokens*bytesPerToken {
			take(d.Span.End)
			continue
		}
		flush(d.Span.Start)
		cuts = append(cuts, pack(o, d.Span, i)...)
		open = record.Span{Start: d.Span.End, End: d.Span.End}
	}
	take(s.End)
	flush(s.End)
	return cuts
}
