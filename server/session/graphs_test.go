package session_test

import (
	"fmt"
	"testing"

	"ambit/server/session"
	"ambit/vectors/record"
)

func TestKeptGraphsAreBoundedAndOfTheirBatch(t *testing.T) {
	var c session.Graphs
	graph := record.FileGraph{Symbols: make([]record.Symbol, 2000)}
	for i := range 500 {
		c.Keep(record.File{Path: record.Path(fmt.Sprint(i)), Generation: 7}, graph)
		if n := c.Bytes(); n > session.MaxGraphBytes {
			t.Fatalf("%d graphs take %d bytes, more than %d", i+1, n, session.MaxGraphBytes)
		}
	}
	last := record.File{Path: "last", Generation: 7}
	c.Keep(last, record.FileGraph{Package: "p"})
	if g, ok := c.Find(last); !ok || g.Package != "p" {
		t.Errorf("got %+v, %t; want what was just kept", g, ok)
	}
	last.Generation++
	if _, ok := c.Find(last); ok {
		t.Error("a graph of an earlier batch is found")
	}
}
