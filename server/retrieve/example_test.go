package retrieve_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"ambit/server/retrieve"
)

const cart = `package shop

// Total adds up the prices.
func (c Cart) Total() int { return price(c.item) }

type Cart struct{ item string }
`

const price = `package shop

func price(item string) int { return len(item) }

func checkout(c Cart) int { return c.Total() }
`

// A cursor returns the definition that it is on, its dependencies and its dependents.
func ExampleAt() {
	ctx := context.Background()
	w, err := openWorkspace(ctx, []file{{"cart.go", []byte(cart)}, {"price.go", []byte(price)}})
	if err != nil {
		log.Fatal(err)
	}
	found, err := retrieve.At(ctx, w.index(), retrieve.Cursor{Path: "cart.go", Offset: strings.Index(cart, "Total()")})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range found.Candidates[:4] {
		fmt.Printf("%s: %s in %s\n", c.Role, c.Unit.Identifier, c.Unit.Path)
	}
	// Output:
	// definition: Cart.Total in cart.go
	// uses: Cart in cart.go
	// used by: checkout in price.go
	// uses: price in price.go
}

// A question in words returns the best match of each file first.
func ExampleSearch() {
	ctx := context.Background()
	w, err := openWorkspace(ctx, []file{{"cart.go", []byte(cart)}, {"price.go", []byte(price)}})
	if err != nil {
		log.Fatal(err)
	}
	matches, err := retrieve.Search(ctx, w.index(), retrieve.Question{Query: "how are prices added up", Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, lines %d to %d\n", matches[0].Path, matches[0].StartLine, matches[0].EndLine)
	// Output: cart.go, lines 1 to 6
}
