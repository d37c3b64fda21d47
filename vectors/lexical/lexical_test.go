package lexical_test

import (
	"testing"

	"go.uber.org/goleak"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// chunk returns a file of one chunk.
func file(key record.Key, path record.Path, name, text string) record.FileRecord {
	return record.FileRecord{
		File:    record.File{Path: path},
		Content: []byte(text),
		Chunks:  []record.Chunk{{Key: key, Path: path, Name: name, Unit: name, Span: record.Span{End: len(text)}}},
	}
}

func TestANameFindsItsChunkInEveryStyle(t *testing.T) {
	ix := lexical.New(lexical.Options{})
	err := ix.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{
		file(1, "http/header.go", "parseHTTPHeader", "func parseHTTPHeader(b []byte) Header { return nil }"),
		file(2, "cart.go", "Total", "func (c Cart) Total() int { return c.sum() }"),
		file(3, "doc.md", "", "Parsing of the headers"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"parse_http_header", "ParseHttpHeader", "parsing HTTP headers"} {
		hits, err := ix.Search(t.Context(), q, 10)
		if err != nil || len(hits) != 2 || hits[0].Key != 1 || hits[1].Key != 3 {
			t.Errorf("Search(%q) = %v, %v; want 1 before 3", q, hits, err)
		}
		t.Log(hits, ix.Why(q, 1))
	}
}
