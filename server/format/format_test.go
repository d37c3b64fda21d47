package format_test

import (
	"bytes"
	"strings"
	"testing"

	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/vectors/record"
)

func TestAStyleIsFoundByItsNameOrAlias(t *testing.T) {
	for name, want := range map[string]format.Style{
		"xml": format.XML, "claude": format.XML, "markdown": format.Markdown, "gpt": format.Markdown,
		"plain": format.Plain, "generic": format.Plain, "human": format.Human, "json": format.JSON,
	} {
		if got, err := format.Parse(name); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "XML", "yaml"} {
		_, err := format.Parse(name)
		if err == nil || !strings.Contains(err.Error(), "plain, generic, xml, claude, markdown, gpt, human, json") {
			t.Errorf("Parse(%q): %v does not name the known ones", name, err)
		}
	}
	for _, s := range styles {
		if got, err := format.Parse(s.String()); err != nil || got != s && s != format.HumanColour {
			t.Errorf("Parse(%v) = %v, %v", s, got, err)
		}
	}
}

func TestAnAddressKeepsTheBytesOfItsPath(t *testing.T) {
	tests := []struct{ name, root, path, want string }{
		{"plain", "/w", "a/b.go", "file:///w/a/b.go"},
		{"the root of the file system", "/", "b.go", "file:///b.go"},
		{"blanks, hashes and umlauts", "/my work", "ü#1.go", "file:///my%20work/%C3%BC%231.go"},
		{"not UTF-8", "/w", "a\xff\n.go", "file:///w/a%FF%0A.go"},
		{"a drive", `C:\my\w`, "a.go", "file:///C:/my/w/a.go"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := assemble.Bundle{Root: tt.root, Sources: []assemble.Source{{Path: record.Path(tt.path)}}}
			if got := format.NewAnswer(&b, nil).Sources[0].URI; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestColumnsAreCountedInTheNegotiatedEncoding(t *testing.T) {
	b := assemble.Bundle{Sources: []assemble.Source{{Start: assemble.Position{Line: 3, Before: "𝄞é\xff"}}}}
	if got, want := format.NewAnswer(&b, nil).Sources[0].Range.Start, (format.Position{Line: 2, Character: 4}); got != want {
		t.Errorf("UTF-16: got %v, want %v", got, want)
	}
	bytes := func(before string) int { return len(before) }
	if got, want := format.NewAnswer(&b, bytes).Sources[0].Range.Start, (format.Position{Line: 2, Character: 7}); got != want {
		t.Errorf("UTF-8: got %v, want %v", got, want)
	}
}

func TestJSONIsOneLineWithoutEscapedMarkup(t *testing.T) {
	var out bytes.Buffer
	if err := format.Render(&out, &assemble.Bundle{Text: "<a>\n"}, format.JSON); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 1 || !strings.Contains(out.String(), `"text":"<a>\n"`) {
		t.Errorf("got %s", out.String())
	}
}
