package api_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/vectors/record"
)

const id = "0b2c7c34-7f0e-5d5a-9e2b-0a4b1a9b7c11"

func chunkID(t *testing.T) record.ChunkID {
	t.Helper()
	c, err := record.ParseChunkID(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecodeReadsWhatIsGiven(t *testing.T) {
	c := chunkID(t)
	tests := []struct {
		name     string
		argument string
		into     any
		want     any
	}{
		{"nothing", ``, &api.StatusQuestion{}, &api.StatusQuestion{}},
		{"null", `null`, &api.Question{}, &api.Question{}},
		{"null fields and unknown ones", `{"budget":null,"other":7}`, &api.Question{}, &api.Question{}},
		{"a place", `{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}`, &api.RelatedQuestion{},
			&api.RelatedQuestion{Place: api.Place{TextDocument: api.TextDocument{URI: "file:///a"}}}},
		{"aliases", `{"format":"claude","encoding":"chars/4"}`, &api.Question{}, &api.Question{Format: api.XML, Encoding: "ratio"}},
		{"ids", `{"pin":["` + strings.ToUpper(id) + `"]}`, &api.Question{}, &api.Question{Pin: []record.ChunkID{c}}},
		{"a source by id and an embedded question", `{"id":"` + id + `","query":"how"}`, &api.ExplainQuestion{},
			&api.ExplainQuestion{ID: c, Question: api.Question{Query: "how"}}},
		{"a source by place", `{"source":"a:b.go:12"}`, &api.ExplainQuestion{},
			&api.ExplainQuestion{Source: &api.SourceName{Path: "a:b.go", Line: 12}}},
		{"a source by identifier", `{"source":"Cart.Total"}`, &api.ExplainQuestion{},
			&api.ExplainQuestion{Source: &api.SourceName{Identifier: "Cart.Total"}}},
		{"a source of an answer", `{"source":{"id":"` + id + `","path":"a.go","start_line":3,"range":{}}}`, &api.ExplainQuestion{},
			&api.ExplainQuestion{Source: &api.SourceName{ID: c, Path: "a.go", Line: 3}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := api.Decode(json.RawMessage(tt.argument), tt.into); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, tt.into); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeNamesTheFieldThatIsWrong(t *testing.T) {
	const place = `"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}`
	tests := []struct {
		argument string
		into     any
		want     string // of the error
	}{
		{`7`, &api.Question{}, "arguments: use an object"},
		{`[]`, &api.RelatedQuestion{}, "arguments: use an object"},
		{`{"budget":0}`, &api.Question{}, "budget: use a whole number from 200 to 2000000"},
		{`{"budget":"many"}`, &api.Question{}, "budget: use a whole number"},
		{`{"budget":1e400}`, &api.Question{}, "budget: use a whole number"},
		{`{"format":"pdf"}`, &api.Question{}, "format: use one of xml, markdown, plain, human, human-color, json"},
		{`{"format":""}`, &api.Question{}, "format: use one of"},
		{`{"include":"x"}`, &api.Question{}, "include: use a list of strings"},
		{`{"include":["a\nb"]}`, &api.Question{}, "include: use patterns"},
		{`{"pin":["a.go:7"]}`, &api.Question{}, "pin: use a list of ids of sources"},
		{`{"drop":[7]}`, &api.Question{}, "drop: use a list of ids of sources"},
		{`{"id":"x"}`, &api.ExplainQuestion{}, "id: use the id of a source"},
		{`{"source":7}`, &api.ExplainQuestion{}, "source: use a source of an answer"},
		{`{"position":{"line":0}}`, &api.Question{}, "position: use an object with line and character"},
		{`{"position":{"line":-1,"character":0}}`, &api.Question{}, "position: use an object with line and character"},
		{`{"position":{"line":0.5,"character":0}}`, &api.Question{}, "position: use an object with line and character"},
		{`{"textDocument":7}`, &api.Question{}, "textDocument: use an object"},
		{`{"textDocument":{"uri":7}}`, &api.Question{}, "textDocument.uri: use a string"},
		{`{"textDocument":{"uri":"x"}}`, &api.RelatedQuestion{}, "position: give it"},
		{`{` + place + `,"limit":0}`, &api.RelatedQuestion{}, "limit: use a whole number from 1 to 1000"},
		{`{}`, &api.RelatedQuestion{}, "textDocument: give it"},
		{`{}`, &api.ChunksQuestion{}, "textDocument: give it"},
		{`{"query":" "}`, &api.SearchQuestion{}, "query: give it"},
		{`{"query":"` + strings.Repeat("a", 1<<20+1) + `"}`, &api.SearchQuestion{}, "query: use at most 1048576 bytes"},
		{`{"query":"a","tags":[1]}`, &api.SearchQuestion{}, "tags: use a list of strings"},
		{`{"scan":1}`, &api.StatusQuestion{}, "scan: use true or false"},
	}
	for _, tt := range tests {
		err := api.Decode(json.RawMessage(tt.argument), tt.into)
		var field *api.FieldError
		if !errors.As(err, &field) || !errors.Is(err, api.ErrQuestion) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.80s: %v, want %s", tt.argument, err, tt.want)
		}
	}
}

func TestCheckTakesZeroForAbsent(t *testing.T) {
	q := api.Question{Format: "gpt", Position: &api.Position{}}
	if err := api.Check(&q); err != nil || q.Format != api.Markdown {
		t.Errorf("%+v, %v", q, err)
	}
	for want, q := range map[string]any{
		"limit: use a whole number from 1 to 1000":           &api.RelatedQuestion{Limit: 1001},
		"positionEncoding: use one of utf-8, utf-16, utf-32": &api.HoverQuestion{Place: api.Place{PositionEncoding: "utf-7"}},
		"query: give it":                 &api.SearchQuestion{},
		"pin: use at most 1000 elements": &api.Question{Pin: make([]record.ChunkID, 1001)},
		"include: use patterns of one line and at most 1000 bytes": &api.Question{Include: []string{""}},
		"contextMode: use one of none, minimal, full":              &api.ExplainQuestion{Question: api.Question{ContextMode: "all"}},
		"documentsBudget: use a whole number from 200 to 2000000":  &api.Question{DocumentsBudget: 1},
		"encoding: use one of o200k_base, cl100k_base, ratio":      &api.Question{Encoding: "gpt"},
		"scope: use one of focused, exploratory, comprehensive":    &api.Question{Scope: "wide"},
	} {
		if err := api.Check(q); err == nil || err.Error() != want {
			t.Errorf("%T: %v, want %s", q, err, want)
		}
	}
}

func TestEncodeWritesEmptyListsAndNoEscapes(t *testing.T) {
	got, err := api.Encode(&api.Matches{Results: []api.Match{{Identifier: "a<b>"}}})
	if err != nil || !strings.Contains(string(got), `"identifier":"a<b>"`) || !strings.Contains(string(got), `"why":[]`) {
		t.Errorf("%s, %v", got, err)
	}
	got, err = api.Encode(&api.StatusAnswer{Folders: []api.Status{{}}})
	if err != nil || !strings.Contains(string(got), `"languages":{}`) || !strings.Contains(string(got), `"left_out":[]`) {
		t.Errorf("%s, %v", got, err)
	}
}
