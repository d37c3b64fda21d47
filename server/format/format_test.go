package format_test

import (
	"testing"

	"ambit/server/api"
	"ambit/server/format"
)

func TestAFormatIsFoundByItsNameOrAlias(t *testing.T) {
	for name, want := range map[api.Format]api.Format{
		"xml": api.XML, "claude": api.XML, "markdown": api.Markdown, "gpt": api.Markdown, "plain": api.Plain, "generic": api.Plain,
		"": api.Plain, "human": api.Human, "human-color": api.HumanColor, "json": api.JSON,
	} {
		if got := format.Canonical(name); got != want {
			t.Errorf("Canonical(%q) = %q", name, got)
		}
		q := api.Question{Format: name}
		if err := api.Check(&q); err != nil {
			t.Errorf("%q is no format of a question: %v", name, err)
		}
	}
}
