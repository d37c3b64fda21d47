package attach_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ambit/server/format"
	"ambit/server/session"
)

func TestAnEditAmidAStormIsInTheAnswerOfAnAttachedClientOrItSaysThatMoreWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("a storm of 1,200 files")
	}
	const nFiles = 1200 // more than wait one by one
	w := newTree(t, harbour)
	owner, guest := w.open(), w.open()
	ctx, cancel := context.WithCancel(t.Context())
	ended, ready := make(chan error, 1), make(chan struct{}, 1)
	go func() {
		ended <- owner.Run(ctx, func(st session.State) {
			if st.Name == session.Ready {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
	<-ready
	for round := range 5 {
		for i := range nFiles {
			w.write(fmt.Sprintf("out/d%d/f%d.txt", i%20, i), fmt.Sprintf("round %d of file %d\n", round, i))
		}
		word := "Quokka" + string(rune('a'+round))
		w.write("edited.go", "package harbour\n\n// "+word+" hops.\nfunc "+word+"() {}\n")
		b, err := guest.Context(t.Context(), session.Question{Query: word, Cost: format.Cost(format.Plain)})
		if err != nil {
			t.Fatal(err)
		}
		says := b.Freshness.State == session.Indexing && b.Freshness.Pending > 0
		if !says && !strings.Contains(b.Text, "func "+word) {
			t.Errorf("round %d: an edit is not in the answer, which says %+v:\n%s", round, b.Freshness, b.Text)
		}
	}
}
