package format_test

import (
	"encoding/json"
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

func TestATemplateWritesJSON(t *testing.T) {
	tm, err := format.ParseTemplate(`{"query":{{json .Query}},"sources":[{{range $i, $s := .Sources}}{{if $i}},{{end}}{"text":{{json .Text}}}{{end}}],"dependencies":{{json .Dependencies}}}`)
	if err != nil {
		t.Fatal(err)
	}
	b := &assemble.Bundle{Query: "a \"<b>\"", Texts: []string{"\tx := '\\x00'\n", "\u2028\n"}}
	b.Sources, b.Dependencies = make([]api.Source, 2), []api.Dependency{}
	got, _ := tm.Render(b)
	const want = `{"query":"a \"<b>\"","sources":[{"text":"\tx := '\\x00'\n"},{"text":"\u2028\n"}],"dependencies":[]}`
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got %s, want %s", got, want)
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
