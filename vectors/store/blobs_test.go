package store_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ambit/vectors/storetest"
)

// failing is a context that ends when it has been asked often enough.
type failing struct {
	context.Context
	left int
}

func (f *failing) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestAViewStaysUntilTheNextIsComplete(t *testing.T) {
	db := storetest.Open(t)
	random := rand.NewChaCha8([32]byte{})
	view := func(generation uint64) []byte { // of three transactions, as it does not compress
		data := make([]byte, 33<<20)
		_, _ = random.Read(data)
		data[0] = byte(generation)
		return data
	}
	load := func() ([]byte, uint64) {
		t.Helper()
		r := begin(t, db)
		defer r.Close()
		data, generation, err := r.LoadView(t.Context(), "view")
		if err != nil {
			t.Fatal(err)
		}
		return data, generation
	}
	old := view(1)
	if err := db.SaveView(t.Context(), "view", 1, old); err != nil {
		t.Fatal(err)
	}
	if err := db.SaveView(t.Context(), "view 2", 1, []byte("other")); err != nil {
		t.Fatal(err)
	}
	for generation := uint64(2); generation <= 3; generation++ { // one for each slot
		next, failures := view(generation), 0
		for {
			err := db.SaveView(&failing{t.Context(), failures}, "view", generation, next)
			if err == nil {
				break
			}
			if failures++; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if got, g := load(); g != generation-1 || !bytes.Equal(got, old) {
				t.Fatalf("after failure %d there is a view of generation %d and %d bytes, want the old one", failures, g, len(got))
			}
		}
		if failures < 3 {
			t.Errorf("the view was saved in %d transactions, want several", failures)
		}
		if got, g := load(); g != generation || !bytes.Equal(got, next) {
			t.Fatalf("saved a view of generation %d, got one of %d", generation, g)
		}
		if n, err := db.Parts("view"); err != nil || n != len(next)>>16 {
			t.Errorf("generation %d has %d parts of 64 kB, want %d (%v)", generation, n, len(next)>>16, err)
		}
		old = next
	}
	if err := db.SaveView(t.Context(), "view", 4, nil); err != nil {
		t.Fatal(err)
	}
	if got, _ := load(); got != nil {
		t.Errorf("a removed view has %d bytes", len(got))
	}
	if n, err := db.Parts("view"); err != nil || n != 0 {
		t.Errorf("a removed view has %d parts (%v)", n, err)
	}
	if n, err := db.Parts("view 2"); err != nil || n != 1 {
		t.Errorf("the view with a similar name has %d parts (%v)", n, err)
	}
}
