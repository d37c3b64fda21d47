package languages

import (
	"bytes"
	"path"
	"strings"

	"ambit/vectors/record"
)

// erbFormats are the formats of templates that are read as HTML, which plain text is, too.
var erbFormats = wordsOf("html xhtml text txt turbo_stream")

// isPage reports whether the template in a file of ERB has a format of erbFormats or names none:
// index.erb, index.html.erb, index.de.html+phone.erb.
func isPage(base string) bool {
	format, _, _ := strings.Cut(path.Ext(strings.TrimSuffix(base, path.Ext(base))), "+")
	return format == "" || erbFormats[format[1:]]
}

// erbTags returns the tags of a template with their Ruby code: of `<%= a %>` and `<%- a -%>` the
// a. Together the code is a program: what one tag opens, a later one ends.
func erbTags(content []byte) (out []insertion) {
	for at := 0; ; {
		i := bytes.Index(content[at:], []byte("<%"))
		if i < 0 {
			return out
		}
		n := bytes.Index(content[at+i:], []byte("%>"))
		if n < 0 {
			return out
		}
		tag := record.Span{Start: at + i, End: at + i + n + len("%>")}
		out = append(out, insertion{tag, erbCode(content, tag)})
		at = tag.End
	}
}

// erbCode returns the code in a tag, an empty span for none.
func erbCode(content []byte, tag record.Span) record.Span {
	code := record.Span{Start: tag.Start + len("<%"), End: tag.End - len("%>")}
	if code.Start < code.End && (content[code.Start] == '#' || content[code.Start] == '%') {
		return record.Span{} // a comment, or a literal "<%"
	}
	for code.Start < code.End && (content[code.Start] == '=' || content[code.Start] == '-') {
		code.Start++
	}
	if code.Start < code.End && content[code.End-1] == '-' {
		code.End--
	}
	return code
}
