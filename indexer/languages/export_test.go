package languages

import (
	"context"
	"math"

	sitter "github.com/smacker/go-tree-sitter"

	"ambit/vectors/record"
)

// Work returns the work that the parses of a file do, and the bound for it; both are 0 for a
// file without a grammar.
func Work(p record.Path, content []byte) (done, most int64) {
	r := rowOf(p, content)
	if r == nil {
		return 0, 0
	}
	b, _, _ := r.read(content)
	if b == nil {
		return 0, 0
	}
	return workOf(content) - b.work, workOf(content)
}

// Sound reports whether a file has no syntax error, by a parse that ends at the first error and by
// a whole one, each with its work. ok is false for a file without a grammar.
func Sound(p record.Path, content []byte) (early, whole Soundness, ok bool) {
	r := rowOf(p, content)
	if r == nil || r.compiled() == nil || len(content) == 0 {
		return early, whole, false
	}
	c := r.compiled()
	early.Work, whole.Work = workOf(content), workOf(content)
	shown, ok := c.grammar.sound(content, &early.Work)
	early.Sound = shown == 0
	done := c.grammar.scan(content, c.wanted, &whole.Work, func(nodes []node) { whole.Sound = !nodes[0].broken() })
	early.Work, whole.Work = workOf(content)-early.Work, workOf(content)-whole.Work
	return early, whole, ok && done
}

// Soundness is an answer of Sound.
type Soundness struct {
	Sound bool
	Work  int64
}

// Node is a node of a tree.
type Node struct {
	Symbol, Field uint16
	Named, Broken bool
	Start, End    uint32
	Next          uint32 // index of the first node behind it and all in it
}

// Nodes returns the nodes of a file as a scan lists them, also with a wide table, and as a cursor of
// the library finds them; nil for a file without a grammar or without text.
func Nodes(p record.Path, content []byte) (scanned, wide, walked []Node) {
	r := rowOf(p, content)
	if r == nil || r.compiled() == nil || len(content) == 0 {
		return nil, nil, nil
	}
	c := r.compiled()
	scan := func(g grammar) (found []Node) {
		work := int64(math.MaxInt64)
		g.scan(content, c.wanted, &work, func(nodes []node) {
			for i := range nodes {
				n := &nodes[i]
				found = append(found, Node{n.symbol, n.field(), n.named(), n.broken(), n.start, n.end, n.next})
			}
		})
		return found
	}
	scanned, wide = scan(c.grammar), scan(c.wide())
	parser := sitter.NewParser()
	parser.SetLanguage(r.grammar())
	tree, err := parser.ParseCtx(context.Background(), nil, content)
	if err != nil {
		return scanned, wide, nil
	}
	defer tree.Close()
	cursor := sitter.NewTreeCursor(tree.RootNode())
	defer cursor.Close()
	var walk func(depth int, fields bool)
	walk = func(depth int, fields bool) {
		n := cursor.CurrentNode()
		symbol := uint16(n.Symbol())
		if !n.IsNamed() && c.wanted[symbol]&wantToken == 0 {
			return
		}
		at, field := len(walked), uint16(0)
		if name := cursor.CurrentFieldName(); fields && name != "" {
			field = c.grammar.fieldID(name)
		}
		walked = append(walked, Node{Symbol: symbol, Field: field, Named: n.IsNamed(), Broken: n.HasError(), Start: n.StartByte(), End: n.EndByte()})
		if depth < maxDepth && cursor.GoToFirstChild() {
			for again := true; again; again = cursor.GoToNextSibling() {
				walk(depth+1, c.wanted[symbol]&wantFields != 0)
			}
			cursor.GoToParent()
		}
		walked[at].Next = uint32(len(walked))
	}
	walk(0, false)
	return scanned, wide, walked
}
