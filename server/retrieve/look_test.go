package retrieve_test

import (
	"context"
	"errors"
	"testing"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// nearby is a VectorSearcher that calls a function.
type nearby func(ctx context.Context) ([]record.Hit, error)

func (f nearby) Search(ctx context.Context, _ []float32, _ int, _ func(record.Key) bool) ([]record.Hit, error) {
	return f(ctx)
}

// broken is a TextSearcher that fails once begun is closed.
type broken struct {
	mute
	begun <-chan struct{}
	err   error
}

func (b broken) Search(context.Context, []record.Word, int, func(record.Key) bool) ([]record.Hit, error) {
	<-b.begun
	return nil, b.err
}

func TestAnErrorOfOneChannelEndsTheQuestion(t *testing.T) {
	ix := newWorkspace(t, []file{{"a.go", []byte("package p\n\nfunc F() {}\n")}}).index()
	lost := errors.New("lost")
	t.Run("vectors", func(t *testing.T) {
		ix := ix
		ix.Vectors = nearby(func(context.Context) ([]record.Hit, error) { return nil, lost })
		if _, err := retrieve.Search(t.Context(), ix, retrieve.Question{Query: "F"}); !errors.Is(err, lost) {
			t.Errorf("Search: %v, want that of the vectors", err)
		}
	})
	t.Run("words, while the vectors are compared", func(t *testing.T) {
		ix, begun, ended := ix, make(chan struct{}), false
		ix.Vectors = nearby(func(ctx context.Context) ([]record.Hit, error) {
			close(begun)
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		ix.Text = broken{begun: begun, err: lost}
		if _, err := retrieve.Search(t.Context(), ix, retrieve.Question{Query: "F"}); !errors.Is(err, lost) {
			t.Errorf("Search: %v, want that of the words", err)
		}
		if !ended {
			t.Error("Search has returned before the vectors were told to end")
		}
	})
	t.Run("a panic", func(t *testing.T) {
		ix := ix
		ix.Vectors = nearby(func(context.Context) ([]record.Hit, error) { panic("a defect") })
		defer func() {
			if r := recover(); r != "a defect" {
				t.Errorf("the caller got the panic %v, want that of the vectors", r)
			}
		}()
		_, err := retrieve.Search(t.Context(), ix, retrieve.Question{Query: "F"})
		t.Errorf("Search returned %v", err)
	})
}
