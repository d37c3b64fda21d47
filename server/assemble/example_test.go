package assemble_test

import (
	"context"
	"fmt"
	"log"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// A unit that does not fit into the budget is reduced to its signature and its line of use.
func ExampleAssemble() {
	m := maker{files: tree{}}
	m.add(retrieve.RoleDefinition, "total", 5)
	m.add(retrieve.RoleUsedBy, "checkout", 90, 40)
	m.add(retrieve.RoleUsedBy, "report", 90, 12)
	answer, err := assemble.Assemble(context.Background(), m.files, words{}, assemble.Request{
		Question: api.Question{Budget: 450},
		Result:   m.result(),
		Render: func(b *assemble.Bundle) (text string, sources []record.Span) {
			for i := range b.Sources {
				text += "# " + b.Sources[i].Identifier + "\n" + b.Texts[i]
			}
			return text, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range answer.Sources {
		fmt.Println(s.Identifier, "shows lines", s.Ranges)
	}
	fmt.Println(answer.Tokens, "of", answer.Budget, "tokens")
	// Output:
	// total shows lines [[1 5]]
	// checkout shows lines [[1 90]]
	// report shows lines [[1 1] [11 13]]
	// 409 of 450 tokens
}
