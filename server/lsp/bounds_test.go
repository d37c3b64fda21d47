package lsp_test

import (
	"fmt"
	"strings"
	"testing"

	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

func TestOpenDocumentsAreBounded(t *testing.T) {
	t.Run("in number", func(t *testing.T) {
		e, w := begin(t, &Opener{}, lsptest.Client{})
		for i := range 4001 {
			e.Open(fmt.Sprintf("file:///w/f%d.go", i), "go", "x")
		}
		roundTrip(t, e)
		_, first := w.Document("f0.go")
		if _, more := w.Document("f4000.go"); more || !first {
			t.Errorf("the first is open: %t, the one beyond the bound: %t", first, more)
		}
		e.CloseDocument("file:///w/f0.go")
		e.Open("file:///w/f4000.go", "go", "x")
		roundTrip(t, e)
		if _, ok := w.Document("f4000.go"); !ok {
			t.Error("a document is refused although there is room again")
		}
	})
	t.Run("in size", func(t *testing.T) {
		e, w := begin(t, &Opener{}, lsptest.Client{})
		text := strings.Repeat("x", 16<<20)
		for i := range 4 {
			e.Open(fmt.Sprintf("file:///w/f%d.go", i), "go", text)
		}
		e.Open("file:///w/small.go", "go", "x")
		roundTrip(t, e)
		if _, ok := w.Document("small.go"); ok {
			t.Error("a document beyond the bound is open")
		}
		e.Change("file:///w/f1.go", 2, lsptest.Edit(0, 0, 0, 0, "y"))
		roundTrip(t, e)
		if _, ok := w.Document("f1.go"); ok {
			t.Error("a document that has outgrown the bound is open, with an old text")
		}
		e.Open("file:///w/small.go", "go", "x")
		roundTrip(t, e)
		if _, ok := w.Document("small.go"); !ok {
			t.Error("a document is refused although there is room again")
		}
	})
}

func TestFoldersAreBounded(t *testing.T) {
	e := start(t, &Opener{}, lsp.Options{})
	var folders []string
	for i := range 101 {
		folders = append(folders, fmt.Sprintf("file:///w%d", i))
	}
	e.Begin(lsptest.Client{Folders: folders})
	if got := len(roots(t, e)); got != 100 {
		t.Errorf("%d folders are open, want 100", got)
	}
}

func TestTheBytesOfRequestsAreBounded(t *testing.T) {
	opener, _, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	query := strings.Repeat("x ", 4<<20)
	var all []*lsptest.Pending
	for range 4 {
		all = append(all, e.GoCommand("ambit.context", lsptest.Object{"query": "x", "padding": query}))
	}
	if err := all[3].Await(nil); code(err) != -32802 {
		t.Errorf("a request beyond the bound: %v, want that it is refused", err)
	}
	release()
	for _, p := range all[:3] {
		if err := p.Await(nil); err != nil {
			t.Error(err)
		}
	}
	if err := e.Command("ambit.context", lsptest.Object{"query": "x", "padding": query}, nil); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
