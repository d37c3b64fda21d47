package format_test

import (
	"fmt"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
)

// The fence around a source is longer than any fence in it.
func ExampleRender() {
	b := assemble.Bundle{Query: "readme", Texts: []string{"```sh\nmake\n```\n"}}
	b.Format, b.Tokens, b.Context = api.Markdown, 40, api.ContextMinimal
	b.Sources = []api.Source{{Identifier: "Build", Kind: "section", Path: "README.md", Language: "markdown", StartLine: 3, EndLine: 5, Relevance: 1}}
	text, sources := format.Render(&b)
	fmt.Print(text)
	fmt.Println("the source has", sources[0].End-sources[0].Start, "bytes")
	// Output:
	// # Codebase context: `readme`
	//
	// 1 source, 40 tokens
	//
	// ## `Build` (section)
	//
	// `README.md:3-5`
	//
	// ````markdown
	// ```sh
	// make
	// ```
	// ````
	// the source has 72 bytes
}
