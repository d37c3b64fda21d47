package lexical_test

import (
	"context"
	"fmt"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

func ExampleView_Search() {
	text := []byte("func parseHTTPHeader(b []byte) Header")
	file := record.FileRecord{
		File:    record.File{Path: "http/header.go"},
		Content: text,
		Chunks:  []record.Chunk{{Key: 1, Path: "http/header.go", Name: "parseHTTPHeader", Span: record.Span{End: len(text)}}},
	}
	ctx := context.Background()
	view, err := lexical.New().Apply(ctx, &record.Batch{Files: []record.FileRecord{file}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, query := range []string{"parsing headers", "parse_http_header", "cart"} {
		hits, err := view.Search(ctx, query, 10, lexical.Options{})
		fmt.Println(query, len(hits), err)
	}
	// Output:
	// parsing headers 1 <nil>
	// parse_http_header 1 <nil>
	// cart 0 <nil>
}
