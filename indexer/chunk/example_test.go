package chunk_test

import (
	"fmt"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
)

func ExampleSplit() {
	o := languages.Parse("docs/guide.md", []byte(`# Guide

## Install

Download the archive of your system, unpack it, and put the directory bin into your search
path. To build from source you need Go, a C compiler and make; then run make in the directory
of the repository. The result does not depend on the directory in which it was built. Run
ambit version to see that it works.

## Use

Ask for the context of a symbol with a file, a line and a column, or ask a question in words.
The first question indexes the workspace, which takes some seconds; the next ones index only
what has changed. Every answer keeps to a budget of tokens, which you can set, and says for
each source why it is there.
`))
	for _, c := range chunk.Split(&o, chunk.Options{ContextMode: chunk.ContextNone}) {
		if !c.IsSummary {
			fmt.Printf("%s, lines %d to %d, about %d tokens\n", c.Unit, c.Lines.First, c.Lines.Last, c.Tokens)
		}
	}
	// Output:
	// Install, lines 1 to 9, about 77 tokens
	// Use, lines 10 to 15, about 72 tokens
}
