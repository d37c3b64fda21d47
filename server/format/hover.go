package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// The most links of a hover: it has three lines, below what the language itself says.
const (
	maxHoverRelated = 4
	maxHoverTests   = 2
	maxHoverDocs    = 2
)

// Hover writes a hover of at most three lines, in Markdown or as plain text: the symbol, the
// units that it is related to, and its tests and documents.
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
		facts = append(facts, "used in 1 file")
	case h.Dependents > 1:
		facts = append(facts, fmt.Sprintf("used in %d files", h.Dependents))
	}
	if cmp.Or(h.ChangeFrequency, record.Unknown) != record.Unknown {
		facts = append(facts, "changes: "+label(h.ChangeFrequency))
	}
	group := func(title string, links []api.Link) string {
		names := make([]string, len(links))
		for i, l := range links {
			names[i] = link(l, markdown)
		}
		return bold(title) + " " + strings.Join(names, ", ")
	}
	var related, known []string
	for _, links := range byRole(h.Related[:min(len(h.Related), maxHoverRelated)]) {
		related = append(related, group(label(cmp.Or(links[0].Role, "related")), links))
	}
	if n := min(len(h.Tests), maxHoverTests); n > 0 {
		known = append(known, group("tests", h.Tests[:n]))
	}
	if n := min(len(h.Documents), maxHoverDocs); n > 0 {
		known = append(known, group("documents", h.Documents[:n]))
	}
	var lines []string
	for _, line := range [][]string{facts, related, known} {
		if len(line) > 0 {
			lines = append(lines, strings.Join(line, " · "))
		}
	}
	if markdown {
		return strings.Join(lines, "  \n") + "\n" // two blanks keep a line of Markdown apart from the next
	}
	return strings.Join(lines, "\n") + "\n"
}

// byRole groups links by role, in the order in which the roles first appear.
func byRole(links []api.Link) [][]api.Link {
	var groups [][]api.Link
	for _, l := range links {
		i := slices.IndexFunc(groups, func(g []api.Link) bool { return g[0].Role == l.Role })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	return groups
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
