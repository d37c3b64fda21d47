package location_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/vectors/record"
)

var encodings = []api.PositionEncoding{api.UTF8, api.UTF16, api.UTF32}

func TestACharacterIsCountedInTheEncoding(t *testing.T) {
	text := []byte("one\n\ntwo 𝄞é\xff|")
	for e, want := range map[api.PositionEncoding]int{"": 8, api.UTF16: 8, api.UTF8: 11, api.UTF32: 7} {
		if got := location.Position(text, len(text)-1, e); got != (api.Position{Line: 2, Character: want}) {
			t.Errorf("%q: got %v, want 2:%d", e, got, want)
		}
	}
}

func TestALineEndsInThreeWays(t *testing.T) {
	text := []byte("a\nb\r\nc\rd\r")
	for offset, want := range []string{"0:0", "0:1", "1:0", "1:1", "1:1", "2:0", "2:1", "3:0", "3:1", "4:0", "4:0"} {
		p := location.Position(text, offset, api.UTF16)
		if got := fmt.Sprintf("%d:%d", p.Line, p.Character); got != want {
			t.Errorf("byte %d is %s, want %s", offset, got, want)
		}
	}
	if got := location.Position(text, -1, api.UTF16); got != (api.Position{}) {
		t.Errorf("byte -1 is %v", got)
	}
}

func TestAPositionOutsideOfTheText(t *testing.T) {
	text := []byte("two\né𝄞\n")
	tests := []struct {
		line, character int
		encoding        api.PositionEncoding
		want            int
		err, strict     string
	}{
		{0, 2, api.UTF16, 2, "", ""},
		{0, 4, api.UTF16, 3, "", "has 3 characters in line 1, so there is no column 5; give one from 1 to 4"},
		{1, 8, api.UTF8, 10, "", "has 6 bytes in line 2, so there is no column 9; give one from 1 to 7"},
		{1, 1, api.UTF8, 0, "inside of a code point", "inside of a code point"},
		{1, 2, api.UTF16, 0, "inside of a code point", "inside of a code point"},
		{1, 2, api.UTF32, 10, "", ""},
		{2, 0, api.UTF16, 11, "", ""},
		{3, 0, api.UTF16, 11, "", "has 3 lines, so there is no line 4; give one of them"},
		{4, 0, api.UTF16, 0, "past the end", "has 3 lines, so there is no line 5; give one of them"},
		{-1, 0, api.UTF16, 0, "negative", "negative"},
		{0, -1, api.UTF16, 0, "negative", "negative"},
	}
	for _, tt := range tests {
		for strict, wantErr := range map[bool]string{false: tt.err, true: tt.strict} {
			p := api.Place{Position: api.Position{Line: tt.line, Character: tt.character}, PositionEncoding: tt.encoding, Strict: strict}
			got, err := location.Offset(text, p)
			if (err != nil) != (wantErr != "") || err != nil && !strings.Contains(err.Error(), wantErr) || err == nil && got != tt.want {
				t.Errorf("%d:%d in %s, strict %t: got %d, %v; want %d, %q", tt.line, tt.character, tt.encoding, strict, got, err, tt.want, wantErr)
			}
		}
	}
}

func FuzzPositionsAndBytesAgree(f *testing.F) {
	f.Add([]byte("one\r\ntwo 😀\n\xff\xfe"), uint16(7), byte(1))
	f.Add([]byte("\r\r\n\n"), uint16(2), byte(0))
	f.Fuzz(func(t *testing.T, text []byte, at uint16, encoding byte) {
		offset := min(int(at), len(text))
		for offset > 0 && offset < len(text) && (!utf8.RuneStart(text[offset]) || text[offset-1] == '\r' && text[offset] == '\n') {
			offset--
		}
		for _, strict := range []bool{false, true} {
			p := api.Place{PositionEncoding: encodings[encoding%3], Strict: strict}
			p.Position = location.Position(text, offset, p.PositionEncoding)
			got, err := location.Offset(text, p)
			if utf8.Valid(text) && (err != nil || got != offset) {
				t.Errorf("byte %d is %v, which is byte %d, %v", offset, p.Position, got, err)
			}
		}
	})
}

func TestAURIKeepsTheBytesOfItsPath(t *testing.T) {
	tests := []struct{ name, root, path, want string }{
		{"plain", "/w", "a/b.go", "file:///w/a/b.go"},
		{"the root of the file system", "/", "b.go", "file:///b.go"},
		{"the root itself", "/w", "", "file:///w"},
		{"blanks, hashes and umlauts", "/my work", "ü#1.go", "file:///my%20work/%C3%BC%231.go"},
		{"not UTF-8", "/w", "a\xff\n.go", "file:///w/a%FF%0A.go"},
		{"a drive", `C:\my\w`, "a.go", "file:///C:/my/w/a.go"},
		{"an untitled document", "", "untitled:Untitled-1", "untitled:Untitled-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := location.URI(tt.root, record.Path(tt.path)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAFileOfAURI(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///w/a%20b.go": "/w/a b.go", "FILE:///w/./a.go": "/w/a.go", "file://localhost/w/a.go": "/w/a.go",
		"file:///w/%E6%97%A5.go": "/w/日.go", "file:///w/a.go#L1": "/w/a.go", "file:///w/": "/w", "file:///": "/",
		"file://host/w/a.go": "", "file:": "", "file:a.go": "", "file:///a%00b": "", "git:/w/a.go": "", "/w/a.go": "", "": "", "%%%": "",
	} {
		if got, ok := location.File(uri); got != want && ok || ok != (want != "") {
			t.Errorf("File(%q) = %q, %t; want %q", uri, got, ok, want)
		}
	}
	if got := location.Scheme("Untitled:Untitled-1"); got != "untitled" {
		t.Errorf("Scheme = %q", got)
	}
}

func TestAPathBelowADirectory(t *testing.T) {
	for file, want := range map[string]record.Path{"/w/a/b.go": "a/b.go", "/w/..a": "..a", "/w": "", "/v/a.go": "", "/wide/a": "", "": ""} {
		if got, ok := location.Below("/w", file); got != want || ok != (want != "") {
			t.Errorf("Below(/w, %q) = %q, %t; want %q", file, got, ok, want)
		}
	}
}

func TestAnEntryOfAnArchiveHasAURI(t *testing.T) {
	for name, want := range map[string]string{
		"/home/u/a b-sources.jar!/a/A.java":      "ambit-context:/jar/home/u/a%20b-sources.jar!/a/A.java",
		"C:/u/a-sources.jar!/a/A.java":           "ambit-context:/jar/C:/u/a-sources.jar!/a/A.java",
		"/home/u/ü#!x/a-sources.jar!/a/A%1.java": "ambit-context:/jar/home/u/%C3%BC%23!x/a-sources.jar!/a/A%251.java",
	} {
		uri := location.Outside(name, true)
		if uri != want {
			t.Errorf("Outside(%s) = %s, want %s", name, uri, want)
		}
		if got, ok := location.Archived(uri); !ok || got != name {
			t.Errorf("Archived(%s) = %s, %t", uri, got, ok)
		}
	}
	if got := location.Outside("/go/pkg/mod/a.go", false); got != "file:///go/pkg/mod/a.go" {
		t.Errorf("Outside of a file = %s", got)
	}
	for _, uri := range []string{"file:///a-sources.jar!/A.java", "ambit-context:/context/a.md?{}", "ambit-context:/jarred/a", "ambit-context://host/jar/a", "ambit-context:/jar/a%00", "%%%", ""} {
		if got, ok := location.Archived(uri); ok {
			t.Errorf("Archived(%q) = %q", uri, got)
		}
	}
}
