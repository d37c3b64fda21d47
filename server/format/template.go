package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// Bounds of a template, so that it ends soon on every answer: it cannot call itself, its
// loops nest no deeper than the lists of an answer do, and it writes no more than this.
const (
	maxNestedLoops   = 2
	maxTemplateBytes = 16 << 20
)

// Template is a formatter of the user's own.
type Template struct {
	parsed *template.Template
	err    error // of the first rendering that failed
}

// View is what a template is executed on: the answer, with the code of each source.
type View struct {
	*api.Answer
	Query   string
	Sources []ViewSource
	// Structure is the overview and the outlines as text; Arrows are the dependencies.
	Structure, Arrows string
}

// toJSON is the function "json" of templates: a value as JSON on one line.
func toJSON(v any) (string, error) {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // "<" costs one token as it is, and five as \u003c
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// ViewSource is a source with the lines that are shown.
type ViewSource struct {
	*api.Source
	Text string
}

// ParseTemplate reads a Go text/template, in which {{json .Path}} writes a value as JSON. Its error is a *[api.FieldError] with the line and
// the cause.
func ParseTemplate(text string) (*Template, error) {
	t, err := template.New("template").Funcs(template.FuncMap{"json": toJSON}).Parse(text)
	if err == nil {
		err = bounded(t)
	}
	if err != nil {
		return nil, templateError(err)
	}
	return &Template{parsed: t}, nil
}

func templateError(err error) error {
	return &api.FieldError{Field: "template", Reason: strings.TrimPrefix(err.Error(), "template: ")}
}

// bounded refuses what could make a template run for long.
func bounded(t *template.Template) error {
	if t.Tree == nil {
		return errors.New("template:1: it is empty")
	}
	if len(t.Templates()) > 1 {
		return errors.New("template:1: define and block are not allowed; write everything in one template")
	}
	return boundedIn(t.Tree, t.Root, 0)
}

// boundedIn examines a node inside of a number of loops.
func boundedIn(tree *parse.Tree, n parse.Node, loops int) error {
	branch := func(b *parse.BranchNode, loops int) error {
		for _, list := range []*parse.ListNode{b.List, b.ElseList} {
			if list != nil {
				if err := boundedIn(tree, list, loops); err != nil {
					return err
				}
			}
		}
		return nil
	}
	refuse := func(why string) error {
		place, _ := tree.ErrorContext(n)
		return fmt.Errorf("%s: %s", place, why)
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, c := range n.Nodes {
			if err := boundedIn(tree, c, loops); err != nil {
				return err
			}
		}
	case *parse.IfNode:
		return branch(&n.BranchNode, loops)
	case *parse.WithNode:
		return branch(&n.BranchNode, loops)
	case *parse.RangeNode:
		if loops == maxNestedLoops {
			return refuse("loops nest too deep")
		}
		if !lists[lastField(n.Pipe)] {
			return refuse("a loop is over a list of the answer, such as .Sources")
		}
		return branch(&n.BranchNode, loops+1)
	case *parse.TemplateNode:
		return refuse("template is not allowed; write everything in one template")
	}
	return nil
}

// lists are the fields of an answer that a loop may be over: a number would be a loop too.
var lists = map[string]bool{"Sources": true, "Sections": true, "Dependencies": true, "Omitted": true, "Ranges": true, "Why": true, "Kinds": true, "Languages": true, "Frameworks": true,
	"Entries": true, "Parts": true, "Units": true}

// lastField returns the field that a pipeline is, "" for another one.
func lastField(p *parse.PipeNode) string {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return ""
	}
	var names []string
	switch n := p.Cmds[0].Args[0].(type) {
	case *parse.FieldNode:
		names = n.Ident
	case *parse.VariableNode:
		names = n.Ident
	case *parse.ChainNode:
		names = n.Field
	}
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// limited is a text of at most maxTemplateBytes.
type limited struct{ strings.Builder }

var errLong = fmt.Errorf("it writes more than %d MB", maxTemplateBytes>>20)

// Write implements [io.Writer].
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxTemplateBytes {
		return 0, errLong
	}
	return l.Builder.Write(p)
}

// Render writes a bundle. It has no spans of sources, which only the template knows. Err tells
// a failure.
func (t *Template) Render(b *assemble.Bundle) (string, []record.Span) {
	v := View{Answer: &b.Answer, Query: b.Query, Structure: outlines(b), Arrows: arrows(b)}
	for i := range b.Sources {
		v.Sources = append(v.Sources, ViewSource{&b.Sources[i], b.Texts[i]})
	}
	var out limited
	if err := t.parsed.Execute(&out, &v); err != nil {
		if t.err == nil {
			t.err = templateError(err)
		}
		return "", nil
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD"), nil
}

// Err returns the first error of Render, a *[api.FieldError] with the line and the cause.
func (t *Template) Err() error { return t.err }
