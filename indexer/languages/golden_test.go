package languages_test

import (
	"fmt"
	"strings"
	"testing"

	"ambit/indexer/golden"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

func TestOutlines(t *testing.T) {
	golden.Run(t, "../../testdata/graph/outline", func(t *testing.T, in golden.Input) string {
		var b strings.Builder
		for _, f := range in.Files {
			o := languages.Parse(record.Path(f.Path), f.Content)
			if err := checkOutline(&o); err != nil {
				t.Error(err)
			}
			describe(&b, &o)
		}
		return b.String()
	})
}

// describe writes an outline in lines: declarations nested, then local names with
// the lines they hold in, uses, imports.
func describe(b *strings.Builder, o *languages.Outline) {
	fmt.Fprintf(b, "%s%s%s%s\n", o.Language, word("package", o.Package), flag(o.Test, "test"), flag(o.Broken > 0, "broken"))
	for i := range o.Decls {
		d := &o.Decls[i]
		fmt.Fprintf(b, "%s%s %s%s%s%s%s%s%s%s\n", indent(o.Decls, i), d.Kind, d.Name, word("of", d.Container), word(":", d.Type), word("=>", d.Result), word("<", strings.Join(d.Bases, ", ")),
			flag(d.Exported, "exported"), flag(d.Test, "test"), word("role", string(d.Role)))
		fmt.Fprintf(b, "%s  %q%s\n", indent(o.Decls, i), o.Content[d.Header.Start:d.Header.End], doc(o, d))
	}
	for i := range o.Directives {
		d := &o.Directives[i]
		fmt.Fprintf(b, "%s declares %s %s%s%s%s%s, lines %d-%d\n", o.Decls[d.Decl].Name, d.Name, strings.Join(d.Args, " "), word("for", string(d.Purpose)),
			word("with", d.Target), word("only", strings.Join(d.Only, " ")), word("except", strings.Join(d.Except, " ")), line(o, d.Span.Start), line(o, d.Span.End-1))
	}
	for _, t := range o.Tables {
		fmt.Fprintf(b, "table %s of %s: %s\n", t.Name, t.Model, strings.Join(t.Columns, ", "))
	}
	for i := range o.Bindings {
		l := &o.Bindings[i]
		fmt.Fprintf(b, "local %s%s, lines %d-%d\n", l.Name, word(":", l.Type), line(o, l.Scope.Start), line(o, l.Scope.End-1))
	}
	for i := range o.Refs {
		r := &o.Refs[i]
		from := "-"
		if r.Decl >= 0 {
			from = o.Decls[r.Decl].Name
		}
		name := r.Name
		if r.Receiver != "" {
			name = r.Receiver + " . " + r.Name
		}
		fmt.Fprintf(b, "%s %s %s\n", from, r.Kind, name)
	}
	for _, imp := range o.Imports {
		fmt.Fprintf(b, "import %q%s%s%s\n", imp.Path, word("name", imp.Name), word("as", imp.Local), flag(imp.Exported, "exported"))
	}
}

func indent(decls []languages.Decl, i int) string {
	s := ""
	for i = decls[i].Parent; i >= 0; i = decls[i].Parent {
		s += "  "
	}
	return s
}

func doc(o *languages.Outline, d *languages.Decl) string {
	if d.Doc.End <= d.Doc.Start {
		return ""
	}
	return fmt.Sprintf(" doc %q", o.Content[d.Doc.Start:d.Doc.End])
}

func word(before, s string) string {
	if s == "" {
		return ""
	}
	return " " + before + " " + s
}

func flag(set bool, name string) string {
	if set {
		return " " + name
	}
	return ""
}

func line(o *languages.Outline, offset int) int {
	return 1 + strings.Count(string(o.Content[:max(offset, 0)]), "\n")
}

// checkOutline returns what is wrong with the shape of an outline: what Parse
// promises of every input.
func checkOutline(o *languages.Outline) error {
	n := len(o.Content)
	inside := func(s, outer record.Span) bool {
		return outer.Start <= s.Start && s.Start <= s.End && s.End <= outer.End
	}
	for i := range o.Decls {
		d := &o.Decls[i]
		around := record.Span{Start: 0, End: n}
		if d.Parent >= i || d.Parent < -1 {
			return fmt.Errorf("declaration %d has parent %d", i, d.Parent)
		}
		if d.Parent >= 0 {
			around = o.Decls[d.Parent].Span
		}
		switch {
		case !inside(d.Span, around):
			return fmt.Errorf("declaration %q at %v leaves its parent at %v", d.Name, d.Span, around)
		case !inside(d.Header, d.Span) || !inside(d.NameSpan, d.Span):
			return fmt.Errorf("header %v or name %v of %q leaves it at %v", d.Header, d.NameSpan, d.Name, d.Span)
		case d.Body.End > d.Body.Start && !inside(d.Body, d.Span), d.Doc.End > d.Doc.Start && !inside(d.Doc, d.Span):
			return fmt.Errorf("body %v or doc %v of %q leaves it at %v", d.Body, d.Doc, d.Name, d.Span)
		case i > 0 && d.Span.Start < o.Decls[i-1].Span.Start:
			return fmt.Errorf("declaration %q at %v stands before %v", d.Name, d.Span, o.Decls[i-1].Span)
		case d.Name == "":
			return fmt.Errorf("declaration at %v has no name", d.Span)
		}
	}
	last := -1
	for i := range o.Refs {
		r := &o.Refs[i]
		if r.Span.Start <= last || r.Span.End > n || r.Decl >= len(o.Decls) || r.Decl < -1 || r.Name == "" {
			return fmt.Errorf("use %q at %v in %d, after %d", r.Name, r.Span, r.Decl, last)
		}
		if r.Decl >= 0 && !inside(r.Span, o.Decls[r.Decl].Span) {
			return fmt.Errorf("use %q at %v leaves its declaration at %v", r.Name, r.Span, o.Decls[r.Decl].Span)
		}
		last = r.Span.Start
	}
	last = 0
	for i := range o.Directives {
		d := &o.Directives[i]
		if d.Decl < 0 || d.Decl >= len(o.Decls) || d.Span.Start < last || !inside(d.Call, d.Span) || d.Call.End != d.Span.End || !inside(d.Span, o.Decls[d.Decl].Span) || o.Decls[d.Decl].Role == "" {
			return fmt.Errorf("directive %s at %v of %d, after %d", d.Name, d.Span, d.Decl, last)
		}
		last = d.Span.End
	}
	last = 0
	for _, l := range o.Bindings {
		if l.Scope.Start < last || !inside(l.Scope, record.Span{Start: 0, End: n}) || l.At < 0 || l.At > n {
			return fmt.Errorf("local %q at %d holds in %v", l.Name, l.At, l.Scope)
		}
		last = l.Scope.Start
	}
	for i, at := range o.Breaks {
		if at < 0 || at > n || i > 0 && at <= o.Breaks[i-1] {
			return fmt.Errorf("break %d at %d", i, at)
		}
	}
	return nil
}
