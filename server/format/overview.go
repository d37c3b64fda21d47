package format

import (
	"fmt"
	"strconv"
	"strings"

	"ambit/server/api"
	"ambit/server/assemble"
)

// maxAbout bounds a sentence of an overview, in bytes.
const maxAbout = 200

// overview writes an overview, a fact on each line.
func overview(t *strings.Builder, v *api.Overview) {
	line := func(label string, items []string) {
		if len(items) > 0 {
			t.WriteString(label + ": " + strings.Join(items, ", ") + "\n")
		}
	}
	if about := assemble.OneLine(v.About, maxAbout); v.Name != "" || about != "" {
		t.WriteString("project: " + strings.Trim(identifier(v.Name)+" — "+about, " —") + "\n")
	}
	var shares []string
	for _, l := range v.Languages {
		text := l.Language + " (" + assemble.Counted(l.Files, "file") + ")"
		if l.Share > 0 {
			text = l.Language + " " + percent(l.Share) + " (" + assemble.Counted(l.Files, "file") + ")"
		}
		shares = append(shares, text)
	}
	line("languages", shares)
	line("frameworks", names(v.Frameworks))
	line("depends on", names(v.Dependencies))
	if len(v.Entries) > 0 {
		t.WriteString("entry points:\n")
	}
	for _, e := range v.Entries {
		name := identifier(e.Name)
		switch {
		case e.Path != "" && name != "":
			name = assemble.SafePath(e.Path) + ": " + name
		case e.Path != "":
			name = assemble.SafePath(e.Path)
		}
		t.WriteString("  " + name + " (" + e.Kind + ")\n")
	}
	more(t, v.MoreEntries)
	if len(v.Parts) > 0 {
		t.WriteString("parts:\n")
	}
	for i := range v.Parts {
		part(t, &v.Parts[i])
	}
	if len(v.Parts) > 0 {
		more(t, v.MoreParts)
	}
}

// part writes a part of a project on a line.
func part(t *strings.Builder, p *api.ProjectPart) {
	t.WriteString(strings.Repeat("  ", 1+p.Level) + identifier(p.Path))
	if strings.HasSuffix(p.Path, "/") {
		t.WriteString(" (" + assemble.Counted(p.Files, "file") + ")")
	}
	switch {
	case p.About != "":
		t.WriteString(": " + assemble.OneLine(p.About, maxAbout))
	case len(p.Units) > 0:
		t.WriteString(": " + strings.Join(names(p.Units), ", "))
	}
	t.WriteString("\n")
}

func more(t *strings.Builder, n int) {
	if n > 0 {
		t.WriteString("  … " + assemble.Thousands(n) + " more\n")
	}
}

// percent returns a share as a percentage; one that rounds to 0 has a decimal.
func percent(share float64) string {
	if share < 0.01 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return strconv.Itoa(int(100*share+0.5)) + " %"
}

// names returns names of the workspace as labels.
func names(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = identifier(s)
	}
	return out
}
