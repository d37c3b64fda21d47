package format_test

import (
	"errors"
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/vectors/record"
)

func TestATemplateWritesTheAnswer(t *testing.T) {
	tm, err := format.ParseTemplate("{{.Query}} {{.Tokens}}\n{{range .Sources}}{{.Identifier}} [{{.Reason}}]\n{{.Text}}{{end}}{{range .Dependencies}}{{.From}}>{{.To}}{{end}}")
	if err != nil {
		t.Fatal(err)
	}
	b := &assemble.Bundle{Query: "q", Texts: []string{"func F()\n"}}
	b.Tokens, b.Sources = 7, []api.Source{{Identifier: "F", Reason: "calls"}}
	b.Dependencies = []api.Dependency{{From: "F", To: "G", Kind: record.EdgeCalls}}
	if got, _ := tm.Render(b); got != "q 7\nF [calls]\nfunc F()\nF>G" || tm.Err() != nil {
		t.Errorf("got %q, %v", got, tm.Err())
	}
}

func TestAWrongTemplateNamesItsLineAndTheCause(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a\n{{.Query", ":2"},
		{"a\n\n{{nosuch}}", `:3: function "nosuch" not defined`},
		{"{{define \"x\"}}{{template \"x\"}}{{end}}", "define"},
		{"{{template \"template\" .}}", "not allowed"},
		{"{{range .Sources}}{{range .Why}}\n{{range $.Sources}}{{end}}{{end}}{{end}}", ":2:8: loops nest too deep"},
		{"{{range 1000000000}}{{end}}", "a loop is over a list"},
		{"{{range .Budget}}{{end}}", "a loop is over a list"},
	} {
		_, err := format.ParseTemplate(tt.text)
		if _, ok := errors.AsType[*api.FieldError](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
	tm, err := format.ParseTemplate("a\n{{.Nosuch}}")
	if err != nil {
		t.Fatal(err)
	}
	if tm.Render(&assemble.Bundle{}); tm.Err() == nil || !strings.Contains(tm.Err().Error(), ":2:") {
		t.Errorf("an unknown field: %v", tm.Err())
	}
}
