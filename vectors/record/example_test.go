package record_test

import (
	"fmt"

	"ambit/vectors/record"
)

// The id of a chunk depends on where it is and what it is called, not on its text.
func ExampleNewChunkID() {
	id := record.NewChunkID("src/cart.go", "Cart.Total", "", 0)
	again, err := record.ParseChunkID(id.String())
	fmt.Println(id)
	fmt.Println(again == id, err)
	// Output:
	// ef5bf7ce-5396-5f27-a01a-3b9cf637f7d1
	// true <nil>
}
