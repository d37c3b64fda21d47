package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

// The client sends valid and invalid messages in any order: the server answers every
// request, keeps the text that no message edits, and ends with shutdown and exit.
func TestGeneratedMessagesNeitherBreakNorStopTheServer(t *testing.T) {
	model, err := loadModel()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			e, _ := begin(t, &Opener{Files: map[string]map[string]string{"/w": {"f": "x"}}}, lsptest.Client{})
			const untouched = "file:///w/untouched.go"
			e.Open(untouched, "go", "stays 😀")
			e.Open(uriA, "go", "alpha\nbeta")
			g := newGenerator(model, seed)
			g.uris = []string{uriA, "file:///w/f", "file:///w/d/e.go", "file:///v", "untitled:U", "git:/x", "", "x", "file:", "file:///", "file://host/a", "ambit-context:/context/a?{}", "%%%"}
			g.words = []string{"", "x", "alpha", "ambit.context", "ambit.search", "a\x00b", "file:///w", "😀", "verbose", "../..", "\ufffd"}
			commands := []string{"ambit.context", "ambit.search", "ambit.related", "ambit.explain", "ambit.chunks", "ambit.status",
				"ambit.reindex", "ambit.pause", "ambit.resume", "ambit.copyContext", "ambit.showRelated", "other"}
			fields := []string{"textDocument", "position", "query", "limit", "budget", "format", "encoding", "contextMode", "pin", "drop", "include",
				"exclude", "scope", "id", "source", "path", "folder", "language", "kind", "layer", "tags", "unknown"}
			for i := range 1500 {
				switch i % 3 {
				case 0:
					e.SendRaw(g.message(1_000_000+i, false))
				case 1:
					e.SendRaw(g.message(1_000_000+i, true))
				default:
					e.SendRaw(g.command(1_000_000+i, commands, fields))
				}
			}
			e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
				"added": []lsptest.Object{{"uri": "file:///w", "name": "w"}}, "removed": []any{},
			}})
			var a struct{ Sources []struct{ Identifier string } }
			if err := e.Command("ambit.context", lsptest.At(untouched, 0, 6), &a); err != nil || a.Sources[0].Identifier != "😀" {
				t.Errorf("afterwards: %+v, %v", a, err)
			}
			if err := e.Finish(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// sample is a file of testdata/protocol: the messages of one command or notification of
// ambit. The editors' tests decode the same files.
type sample struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

// The server answers the parameters of each sample with the fields and the types of the
// sample's result.
func TestTheServerAnswersLikeTheSamples(t *testing.T) {
	files := []string{"../../testdata/protocol/ambit.status.notification.json"}
	for _, name := range lsp.CommandNames() {
		files = append(files, "../../testdata/protocol/"+name+".json")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s sample
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatal(err)
			}
			e, w := begin(t, &Opener{Files: map[string]map[string]string{"/w": {"src/user.go": "call Total"}}},
				lsptest.Client{Options: lsptest.Object{"statusNotifications": true}})
			e.Open("file:///w/src/cart.go", "go", strings.Repeat("func Total() int { return 0 }\n", 20))
			var got json.RawMessage
			if s.Method == "ambit/status" {
				w.States <- api.State{State: api.StateIndexing, Files: 100, Pending: 20, Message: "20 files wait"}
				got, s.Result = e.Await("ambit/status", field("state", "indexing")), s.Params
			} else if err := e.Call(s.Method, s.Params, &got); err != nil {
				t.Fatalf("%s: %v", s.Params, err)
			}
			if diff := cmp.Diff(shape(s.Result), shape(got)); diff != "" {
				t.Errorf("shape (-sample +server):\n%s", diff)
			}
		})
	}
}

// shape returns JSON with each value replaced by its kind, and each list by the kind of
// its first entry.
func shape(raw json.RawMessage) any {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "no JSON"
	}
	return shapeOf(v)
}

func shapeOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := map[string]any{}
		for k, x := range v {
			switch k {
			case "symbol", "truncated", "section", "signature", "summary", "omitted", "role", "languages", "done", "total": // optional
			default:
				o[k] = shapeOf(x)
			}
		}
		return o
	case []any:
		return "a list"
	}
	return fmt.Sprintf("%T", v)
}

func FuzzEditsAreThoseOfTheReference(f *testing.F) {
	f.Add("one\r\ntwo 😀\n", uint16(3), uint16(5), "x\r", byte(0))
	f.Add("\r\r\n\n", uint16(0), uint16(4), "", byte(1))
	f.Add("日本\u2028", uint16(1), uint16(2), "𐐷", byte(2))
	f.Fuzz(func(t *testing.T, text string, from, to uint16, insert string, encoding byte) {
		if !utf8.ValidString(text) || !utf8.ValidString(insert) {
			return
		}
		r := &reference{encoding: []string{"utf-8", "utf-16", "utf-32"}[encoding%3], text: []rune(text)}
		i, j := min(int(from), len(r.text)), min(int(to), len(r.text))
		if i > j || r.between(i) || r.between(j) {
			return
		}
		change, err := json.Marshal(r.edit(i, j, insert))
		if err != nil {
			t.Fatal(err)
		}
		got, err := lsp.Edited(text, change, api.PositionEncoding(r.encoding))
		if err != nil || got != string(r.text) {
			t.Errorf("%q with %s = %q, %v; want %q", text, change, got, err, string(r.text))
		}
	})
}
