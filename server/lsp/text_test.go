package lsp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

// reference is the document of a client: a list of runes, whose positions are computed in
// the simplest way.
type reference struct {
	encoding string
	text     []rune
}

// units returns the number of characters of a rune.
func (r *reference) units(c rune) int {
	switch r.encoding {
	case "utf-8":
		return utf8.RuneLen(c)
	case "utf-16":
		return utf16.RuneLen(c)
	}
	return 1
}

// position returns the line and character of the i-th rune.
func (r *reference) position(i int) (line, character int) {
	for j := range i {
		switch c := r.text[j]; {
		case c == '\n', c == '\r' && (j+1 >= len(r.text) || r.text[j+1] != '\n'):
			line, character = line+1, 0
		case c == '\r': // belongs to the end of its line, as the '\n' after it
		default:
			character += r.units(c)
		}
	}
	return line, character
}

// edit replaces the runes from i to j and returns the change.
func (r *reference) edit(i, j int, text string) lsptest.Object {
	line, character := r.position(i)
	endLine, endCharacter := r.position(j)
	r.text = append(append(append([]rune{}, r.text[:i]...), []rune(text)...), r.text[j:]...)
	return lsptest.Edit(line, character, endLine, endCharacter, text)
}

// between reports whether i is between '\r' and '\n', which is no position.
func (r *reference) between(i int) bool {
	return i > 0 && i < len(r.text) && r.text[i-1] == '\r' && r.text[i] == '\n'
}

var pieces = []string{"", "a", "\n", "\r\n", "\r", "😀", "ä", "𐐷x", "日本", "\tif x {\r\n", "}\n", "\u2028", "e\u0301", "long enough to matter"}

func TestTenThousandPipelinedEditsEndEqual(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(len(encoding))))
			e, w := begin(t, &Opener{}, lsptest.Client{Encodings: []string{encoding}})
			r := &reference{encoding: encoding, text: []rune("one\r\ntwo 😀\nthree\rfour")}
			e.Open(uriA, "go", string(r.text))
			for version := 2; version < 10_002; {
				var changes []lsptest.Object
				for range 1 + random.IntN(3) {
					i := random.IntN(len(r.text) + 1)
					j := min(len(r.text), i+random.IntN(12)*random.IntN(2))
					if r.between(i) || r.between(j) {
						continue
					}
					text := pieces[random.IntN(len(pieces))]
					if len(r.text) > 600 {
						text, j = "", min(len(r.text), i+100)
						if r.between(j) {
							j++
						}
					}
					changes = append(changes, r.edit(i, j, text))
				}
				if version%1000 == 0 {
					r.text = append([]rune("whole\r\n"), r.text...)
					changes = append(changes, lsptest.Whole(string(r.text)))
				}
				e.Change(uriA, version, changes...)
				version += max(1, len(changes))
			}
			roundTrip(t, e)
			got, _ := w.Document("a.go")
			if diff := cmp.Diff(string(r.text), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnInvalidChangeDoesNotChangeTheText(t *testing.T) {
	const text = "one 😀\r\ntwo"
	for name, change := range map[string]string{
		"line past the end":     `{"range":{"start":{"line":9,"character":0},"end":{"line":9,"character":0}},"text":"x"}`,
		"end before start":      `{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":1}},"text":"x"}`,
		"inside a pair":         `{"range":{"start":{"line":0,"character":5},"end":{"line":0,"character":6}},"text":"x"}`,
		"negative":              `{"range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":0}},"text":"x"}`,
		"fraction":              `{"range":{"start":{"line":0.5,"character":0},"end":{"line":0,"character":0}},"text":"x"}`,
		"text for a number":     `{"range":{"start":{"line":"0","character":0},"end":{"line":0,"character":0}},"text":"x"}`,
		"too large":             `{"range":{"start":{"line":0,"character":0},"end":{"line":99999999999999999999,"character":0}},"text":"x"}`,
		"range without end":     `{"range":{"start":{"line":0,"character":0}},"text":"x"}`,
		"range is a list":       `{"range":[],"text":"x"}`,
		"range is null":         `{"range":null,"text":"x"}`,
		"character is missing":  `{"range":{"start":{"line":0},"end":{"line":0,"character":0}},"text":"x"}`,
		"no text":               `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}`,
		"text is a number":      `{"text":7}`,
		"no object":             `7`,
		"the second is invalid": `{"text":"gone"},{"range":{"start":{"line":9,"character":0},"end":{"line":9,"character":0}},"text":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, w := begin(t, &Opener{}, lsptest.Client{})
			e.Open(uriA, "go", text)
			e.SendRaw([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":2},"contentChanges":[%s]}}`, uriA, change)))
			e.Await("window/logMessage", field("type", 2.0))
			roundTrip(t, e)
			if got, _ := w.Document("a.go"); got != text {
				t.Errorf("the text became %q", got)
			}
			e.Change(uriA, 3, lsptest.Edit(0, 99, 2, 0, "!")) // past a line's end, and the line after the last
			roundTrip(t, e)
			if got, _ := w.Document("a.go"); got != "one 😀!" {
				t.Errorf("then the text became %q", got)
			}
		})
	}
}

func TestAnOpenDocumentReplacesItsFileUntilItIsClosed(t *testing.T) {
	e, w := begin(t, &Opener{Files: map[string]map[string]string{"/w": {"a.go": "on disk"}}}, lsptest.Client{})
	finds := func(query string) bool {
		var a struct{ Results []any }
		if err := e.Command("ambit.search", lsptest.Object{"query": query}, &a); err != nil {
			t.Fatal(err)
		}
		return len(a.Results) > 0
	}
	e.Open(uriA, "go", "in buffer")
	if finds("disk") || !finds("buffer") {
		t.Error("the open buffer is not seen")
	}
	e.Change(uriA, 2, lsptest.Edit(0, 3, 0, 9, "editor"))
	if !finds("in editor") {
		t.Error("the edit is not seen")
	}
	e.Notify("textDocument/didSave", lsptest.Object{"textDocument": lsptest.Object{"uri": uriA}})
	e.CloseDocument(uriA)
	if !finds("disk") {
		t.Error("the file on disk is not back")
	}
	want := []string{"SetDocument a.go 1", "SetDocument a.go 2", "Changed a.go", "CloseDocument a.go"}
	if diff := cmp.Diff(want, w.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestUntitledDocumentsWorkAndOtherSchemesAreIgnored(t *testing.T) {
	for _, folders := range [][]string{{"file:///w"}, nil} {
		e := start(t, &Opener{}, lsp.Options{})
		e.Begin(lsptest.Client{Folders: folders})
		e.Open("git:/w/a.go?HEAD", "go", "needle")
		e.Change("git:/w/a.go?HEAD", 2, lsptest.Edit(9, 9, 9, 9, "x"))
		e.CloseDocument("git:/w/a.go?HEAD")
		e.Open("untitled:Untitled-1", "go", "needle here")
		var a struct{ Results []struct{ URI, Path string } }
		if err := e.Command("ambit.search", lsptest.Object{"query": "needle"}, &a); err != nil {
			t.Fatalf("folders %v: %v", folders, err)
		}
		if len(a.Results) != 1 || a.Results[0].URI != "untitled:Untitled-1" {
			t.Errorf("folders %v: %+v", folders, a)
		}
		for _, m := range e.Session() {
			if m.FromServer && strings.Contains(string(m.Data), "logMessage") {
				t.Errorf("folders %v: %s", folders, m.Data)
			}
		}
	}
}

func TestDocumentsMoveWithTheFolders(t *testing.T) {
	opener := &Opener{}
	e := start(t, opener, lsp.Options{})
	e.Begin(lsptest.Client{})
	e.Open("file:///w/sub/a.go", "go", "needle")
	change := func(added, removed []lsptest.Object) {
		e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{"added": added, "removed": removed}})
	}
	paths := func(query lsptest.Object) (paths []string) {
		var a struct{ Results []struct{ Path string } }
		if err := e.Command("ambit.search", query, &a); err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Results {
			paths = append(paths, r.Path)
		}
		return paths
	}
	w, sub := []lsptest.Object{{"uri": "file:///w", "name": "w"}}, []lsptest.Object{{"uri": "file:///w/sub", "name": "sub"}}
	none := []lsptest.Object{}
	everywhere := lsptest.Object{"query": "needle"}
	if diff := cmp.Diff([]string{"w/sub/a.go"}, paths(everywhere)); diff != "" {
		t.Errorf("without folder (-want +got):\n%s", diff)
	}
	change(w, none)
	if diff := cmp.Diff([]string{"sub/a.go"}, paths(everywhere)); diff != "" {
		t.Errorf("in its folder (-want +got):\n%s", diff)
	}
	change(sub, none)
	if diff := cmp.Diff([]string{"a.go"}, paths(everywhere)); diff != "" {
		t.Errorf("in the innermost (-want +got):\n%s", diff)
	}
	change(none, sub)
	if diff := cmp.Diff([]string{"sub/a.go"}, paths(everywhere)); diff != "" {
		t.Errorf("back in the outer (-want +got):\n%s", diff)
	}
	change(sub, w) // the same folder again, after it has closed
	if diff := cmp.Diff([]string{"a.go"}, paths(everywhere)); diff != "" {
		t.Errorf("opened again (-want +got):\n%s", diff)
	}
}

func TestFileEventsReachTheirFolder(t *testing.T) {
	opener := &Opener{}
	e, w := begin(t, opener, lsptest.Client{})
	e.Notify("workspace/didChangeWatchedFiles", lsptest.Object{"changes": []lsptest.Object{
		{"uri": "file:///w/a.go", "type": 1}, {"uri": "file:///w/d/b%20c.go", "type": 3}, {"uri": "file:///other/a.go", "type": 2},
		{"uri": "git:/w/a.go", "type": 2},
	}})
	roundTrip(t, e)
	if diff := cmp.Diff([]string{"Changed a.go d/b c.go"}, w.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
