package languages

import (
	"bytes"

	"ambit/vectors/record"
)

// erbTags returns the Ruby code in the tags of a template: of `<%= a %>` and `<%- a -%>` the a.
// Together they are a program: what one tag opens, a later one ends.
func erbTags(content []byte) (out []record.Span) {
	eachERBTag(content, func(start, end int) {
		code := record.Span{Start: start + len("<%"), End: end - len("%>")}
		if code.Start < code.End && (content[code.Start] == '#' || content[code.Start] == '%') {
			return // a comment, or a literal "<%"
		}
		for code.Start < code.End && (content[code.Start] == '=' || content[code.Start] == '-') {
			code.Start++
		}
		if code.Start < code.End && content[code.End-1] == '-' {
			code.End--
		}
		if code.Start < code.End {
			out = append(out, code)
		}
	})
	return out
}

// eachERBTag calls fn with the span of each tag of a template.
func eachERBTag(content []byte, fn func(start, end int)) {
	for at := 0; ; {
		i := bytes.Index(content[at:], []byte("<%"))
		if i < 0 {
			return
		}
		n := bytes.Index(content[at+i:], []byte("%>"))
		if n < 0 {
			return
		}
		fn(at+i, at+i+n+len("%>"))
		at += i + n + len("%>")
	}
}

// maskERB blanks the tags of a template, which the grammar of HTML cannot read.
func maskERB(content []byte) []byte {
	masked := bytes.Clone(content)
	eachERBTag(content, func(start, end int) { blank(masked[start:end]) })
	return notTooDeep(masked)
}
