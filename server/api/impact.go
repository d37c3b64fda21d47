package api

import (
	"fmt"
	"strings"
)

// Text lists an impact for a person or a model.
func (i *Impact) Text() string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s:%d %s %s, used in %s\n", i.Unit.Path, i.Unit.Line, i.Unit.Kind, i.Unit.Identifier, count(i.Dependents, "other file"))
	empty := t.Len()
	for _, list := range []struct {
		name string
		all  []Affected
	}{{"used by", i.UsedBy}, {"overrides and implementations", i.Overrides}, {"tests", i.Tests}, {"changes with it", i.ChangesWith}, {"documents", i.Documents}} {
		if len(list.all) == 0 {
			continue
		}
		t.WriteString("\n" + list.name + ":\n")
		for j := range list.all {
			a := &list.all[j]
			fmt.Fprintf(&t, "- %s:%d %s %s%s\n", a.Path, a.Line, a.Kind, a.Identifier, atLines(a.Lines))
		}
	}
	if t.Len() == empty {
		t.WriteString("Nothing in the workspace uses it, tests it or changes with it.\n")
	}
	return t.String()
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// atLines names the lines of use.
func atLines(lines []int) string {
	if len(lines) == 0 {
		return ""
	}
	list := make([]string, len(lines))
	for i, line := range lines {
		list[i] = fmt.Sprint(line)
	}
	noun := "lines"
	if len(lines) == 1 {
		noun = "line"
	}
	return " (" + noun + " " + strings.Join(list, ", ") + ")"
}
