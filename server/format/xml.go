package format

import (
	"strconv"
	"strings"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// escapes makes a label fit for an attribute in double quotes.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// xml puts each part into an element. The content of an element is not escaped; an
// element whose content has its closing tag is named "unit-2", "unit-3", ….
func (p *page) xml(b *assemble.Bundle) {
	var inner page
	inner.heading = func(title string) { element(&inner.Builder, "section", attributes("name", title), "") }
	inner.parts(alone(b), outlines(b), arrows(b), "", func(title, text string) {
		element(&inner.Builder, title, "", text)
	}, func(i, _ int, _ string) {
		element(&inner.Builder, "unit", labels(b, &b.Sources[i]), b.Texts[i])
	})
	labels := []string{"query", query(b), "tokens", strconv.Itoa(b.Tokens), "sources", strconv.Itoa(len(b.Sources))}
	for _, n := range notes(b) {
		labels = append(labels, n.label, n.text)
	}
	element(&p.Builder, "codebase_context", attributes(labels...), inner.String())
	opening := strings.IndexByte(p.String(), '\n') + 1
	for _, s := range inner.sources {
		p.sources = append(p.sources, record.Span{Start: opening + s.Start, End: opening + s.End})
	}
}

// labels returns the attributes of a unit.
func labels(b *assemble.Bundle, s *api.Source) string {
	if bare(b) {
		return ""
	}
	text := attributes("identifier", identifier(s.Identifier), "type", kind(s), "file", assemble.SafePath(s.Path), "lines", lines(s))
	if full(b) {
		if s.Reason != "" {
			text += attributes("reason", identifier(s.Reason))
		}
		text += attributes("relevance", relevance(s), "change_frequency", string(s.ChangeFrequency))
	}
	return text
}

// element appends an element on its own lines; text ends in "\n" or is empty.
func element(t *strings.Builder, name, attributes, text string) {
	tag := name
	for n := 2; closes(text, tag); n++ {
		tag = name + "-" + strconv.Itoa(n)
	}
	t.WriteString("<" + tag + attributes + ">\n" + text + "</" + tag + ">\n")
}

// closes reports whether text has a closing tag whose name starts with tag, in upper or
// lower case.
func closes(text, tag string) bool {
	for {
		i := strings.Index(text, "</")
		if i < 0 {
			return false
		}
		text = text[i+2:]
		if len(text) >= len(tag) && strings.EqualFold(text[:len(tag)], tag) {
			return true
		}
	}
}

// attributes returns pairs of a name and a value as the attributes of a tag.
func attributes(pairs ...string) string {
	var t strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		t.WriteString(" " + pairs[i] + `="` + escapes.Replace(pairs[i+1]) + `"`)
	}
	return t.String()
}
