package chunk_test

import (
	"fmt"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
)

func ExampleSplit() {
	o := languages.Parse("docs/guide.md", []byte(`# Guide

How to use it.

## Install

Run make.

## Use

Ask for a context.
`))
	for _, c := range chunk.Split(&o, chunk.Options{ContextMode: chunk.ContextNone}) {
		if !c.IsSummary {
			fmt.Printf("%s, lines %d to %d, about %d tokens\n", c.Unit, c.Lines.First, c.Lines.Last, c.Tokens)
		}
	}
	// Output:
	// Guide, lines 1 to 4, about 9 tokens
	// Install, lines 5 to 8, about 7 tokens
	// Use, lines 9 to 11, about 9 tokens
}
