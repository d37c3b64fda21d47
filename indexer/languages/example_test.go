package languages_test

import (
	"fmt"

	"ambit/indexer/languages"
)

func ExampleParse() {
	o := languages.Parse("cart.go", []byte(`package shop

import "fmt"

// Total adds up.
func (c Cart) Total() int { return c.sum() }

func show(c Cart) { fmt.Println(c.Total()) }
`))
	fmt.Println(o.Language, o.Package)
	for _, d := range o.Decls {
		fmt.Printf("%s %s of %q, exported %t\n", d.Kind, d.Name, d.Container, d.Exported)
	}
	for _, r := range o.Refs {
		if r.Receiver != "" {
			fmt.Printf("%s %s of %s\n", r.Kind, r.Name, r.Receiver)
		}
	}
	// Output:
	// go shop
	// method Total of "Cart", exported true
	// function show of "", exported false
	// calls sum of c
	// calls Println of fmt
	// calls Total of c
}

func ExampleSignature() {
	fmt.Println(languages.Signature("func Open(\n\tpath string,\n\to Options,\n) (*DB, error) "))
	// Output: func Open( path string, o Options, ) (*DB, error)
}

func ExampleCutLast() {
	fmt.Println(languages.CutLast("http.Server.Serve"))
	// Output: http.Server Serve
}

func ExampleCommentMarks() {
	for _, language := range []string{"go", "python", "markdown"} {
		opening, closing := languages.CommentMarks(language)
		fmt.Printf("%s: %q %q\n", language, opening, closing)
	}
	// Output:
	// go: "//" ""
	// python: "#" ""
	// markdown: "<!--" "-->"
}
