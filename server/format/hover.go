package format

import (
	"cmp"
	"fmt"
	"strings"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// maxHoverLinks bounds each list of a hover, which is read at a glance.
const maxHoverLinks = 5

// Hover writes a hover, in Markdown or as plain text: the symbol on one line, then the
// units that belong with it.
func Hover(h *api.Hover, markdown bool) string {
	bold := func(s string) string { return s }
	if markdown {
		bold = func(s string) string { return "**" + s + "**" }
	}
	facts := []string{bold("ambit") + " " + link(h.Unit, markdown)}
	if h.Unit.Kind != "" {
		facts[0] += " (" + label(h.Unit.Kind) + ")"
	}
	switch {
	case h.Dependents == 1:
		facts = append(facts, "1 dependent")
	case h.Dependents > 1:
		facts = append(facts, fmt.Sprintf("%d dependents", h.Dependents))
	}
	if cmp.Or(h.ChangeFrequency, record.Unknown) != record.Unknown {
		facts = append(facts, "changes: "+label(h.ChangeFrequency))
	}
	var b strings.Builder
	b.WriteString(strings.Join(facts, " · ") + "\n")
	list := func(title string, links []api.Link) {
		if len(links) == 0 {
			return
		}
		b.WriteString("\n" + bold(title) + "\n")
		for _, l := range links[:min(len(links), maxHoverLinks)] {
			b.WriteString("- " + link(l, markdown))
			if l.Role != "" {
				b.WriteString(" (" + label(l.Role) + ")")
			}
			b.WriteByte('\n')
		}
		if more := len(links) - maxHoverLinks; more > 0 {
			fmt.Fprintf(&b, "- … %d more\n", more)
		}
	}
	list("Related", h.Related)
	list("Tests", h.Tests)
	list("Documents", h.Documents)
	return b.String()
}

// link names a unit, with a link to its line in Markdown.
func link(l api.Link, markdown bool) string {
	place, uri := label(l.Path), l.URI
	if l.Line > 0 {
		place, uri = fmt.Sprintf("%s:%d", place, l.Line), fmt.Sprintf("%s#L%d", uri, l.Line)
	}
	if !markdown {
		return label(l.Identifier) + " " + place
	}
	uri = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20").Replace(uri)
	return "[" + code(label(l.Identifier)) + "](" + uri + ")"
}

// Related writes the units that belong with a place as a list in Markdown, with links.
func Related(m *api.Matches) string {
	var b strings.Builder
	b.WriteString("# Related context\n\n")
	if len(m.Results) == 0 {
		b.WriteString("Nothing was found.\n")
	}
	for _, r := range m.Results {
		b.WriteString("- " + link(api.Link{Identifier: r.Identifier, Path: r.Path, URI: r.URI, Line: r.StartLine}, true))
		b.WriteString(" " + label(r.Kind) + ", " + code(fmt.Sprintf("%s:%d-%d", label(r.Path), r.StartLine, r.EndLine)))
		if r.Role != "" {
			b.WriteString(", " + label(r.Role))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// maxLabelBytes bounds a name in a hover or a list.
const maxLabelBytes = 120

// label returns text of a file as a name to show.
func label[S ~string](text S) string { return assemble.OneLine(string(text), maxLabelBytes) }
