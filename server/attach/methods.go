package attach

import (
	"context"
	"fmt"
	"reflect"

	"ambit/server/assemble"
	"ambit/server/session"
	"ambit/vectors/record"
)

// method is what an attached process can ask its owner.
type method struct {
	in, out reflect.Type
	// prepare reads what is asked, as long as nothing that arrived later has been
	// looked at, and returns what answers it.
	prepare func(p *peer, body []byte) (answerer, error)
}

// answerer answers one call; update tells how far it is.
type answerer func(ctx context.Context, update func(any)) ([]byte, error)

// asking makes a method of what reads a question and what answers it.
func asking[In, Q, Out any](read func(*peer, In) (Q, error), answer func(ctx context.Context, w *local, q Q, update func(any)) (Out, error)) method {
	return method{reflect.TypeFor[In](), reflect.TypeFor[Out](), func(p *peer, body []byte) (answerer, error) {
		in, err := unmarshal[In](body)
		if err != nil {
			return nil, err
		}
		q, err := read(p, in)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, update func(any)) ([]byte, error) {
			out, err := answer(ctx, p.local, q, update)
			if err != nil {
				return nil, err
			}
			return marshal(out), nil
		}, nil
	}}
}

// telling makes a method of what takes effect at once and has no answer. An error sends
// the peer away.
func telling[In any](do func(*peer, In) error) method {
	return method{reflect.TypeFor[In](), reflect.TypeFor[none](), func(p *peer, body []byte) (answerer, error) {
		in, err := unmarshal[In](body)
		if err == nil {
			err = do(p, in)
		}
		return nil, err
	}}
}

// none is nothing to say.
type none struct{}

// as is a question that is asked as it came.
func as[T any](_ *peer, in T) (T, error) { return in, nil }

// The questions and answers that are more than one value.
type (
	relatedQuestion struct {
		At    place
		Limit int
	}
	explainQuestion struct {
		Question question
		Target   session.Target
	}
	chunksAnswer struct {
		Chunks  []record.Chunk
		Content []byte
	}
	pair[A, B any] struct {
		a A
		b B
	}
)

// methods is all that can be asked. The names are those of [Workspace].
var methods = map[string]method{
	"Context": asking((*peer).question, func(ctx context.Context, w *local, q session.Question, _ func(any)) (*assemble.Bundle, error) {
		return w.Context(ctx, q)
	}),
	"Search": asking(as[session.Search], func(ctx context.Context, w *local, q session.Search, _ func(any)) (session.Found, error) {
		return w.Search(ctx, q)
	}),
	"Related": asking(func(p *peer, in relatedQuestion) (pair[session.Place, int], error) {
		at, err := p.place(in.At)
		return pair[session.Place, int]{at, in.Limit}, err
	}, func(ctx context.Context, w *local, q pair[session.Place, int], _ func(any)) (session.Found, error) {
		return w.Related(ctx, q.a, q.b)
	}),
	"Explain": asking(func(p *peer, in explainQuestion) (pair[session.Question, session.Target], error) {
		q, err := p.question(in.Question)
		return pair[session.Question, session.Target]{q, in.Target}, err
	}, func(ctx context.Context, w *local, q pair[session.Question, session.Target], _ func(any)) (*session.Explanation, error) {
		return w.Explain(ctx, q.a, q.b)
	}),
	"Card": asking((*peer).place, func(ctx context.Context, w *local, at session.Place, _ func(any)) (*session.Card, error) {
		return w.Card(ctx, at)
	}),
	"Chunks": asking(as[string], func(ctx context.Context, w *local, path string, _ func(any)) (chunksAnswer, error) {
		chunks, content, err := w.Chunks(ctx, path)
		return chunksAnswer{chunks, content}, err
	}),
	"Pieces": asking(as[string], func(ctx context.Context, w *local, path string, _ func(any)) ([]session.Piece, error) {
		return w.Pieces(ctx, path)
	}),
	"Text": asking(as[string], func(ctx context.Context, w *local, path string, _ func(any)) ([]byte, error) {
		return w.Text(ctx, path)
	}),
	"Status": asking(as[none], func(ctx context.Context, w *local, _ none, _ func(any)) (session.Status, error) {
		return w.Status(ctx)
	}),
	"Stored": asking(as[none], func(ctx context.Context, w *local, _ none, _ func(any)) (session.Status, error) {
		return w.Stored(ctx)
	}),
	"Owner": asking(as[none], func(ctx context.Context, w *local, _ none, _ func(any)) (Owner, error) {
		return w.Owner(ctx)
	}),
	"Run": asking(as[none], func(ctx context.Context, w *local, _ none, update func(any)) (none, error) {
		return none{}, w.Run(ctx, func(st session.State) { update(st) })
	}),
	"Index": asking(as[none], func(ctx context.Context, w *local, _ none, update func(any)) (session.Report, error) {
		return w.Index(ctx, func(p session.Progress) { update(p) })
	}),
	"Reindex": asking(as[string], func(ctx context.Context, w *local, dir string, update func(any)) (int, error) {
		return w.Reindex(ctx, dir, func(st session.State) { update(st) })
	}),
	"SetBuffer":   telling((*peer).setBuffer),
	"CloseBuffer": telling((*peer).closeBuffer),
	"Changed": telling(func(p *peer, paths []string) error {
		p.local.Changed(paths)
		return nil
	}),
	"Pause": telling(func(p *peer, _ none) error {
		p.local.Pause()
		return nil
	}),
	"Resume": telling(func(p *peer, _ none) error {
		p.local.Resume()
		return nil
	}),
}

// setBuffer opens a document, or replaces it.
func (p *peer) setBuffer(d document) error {
	p.forget(d.Path)
	if p.nOpen += len(d.Text); p.nOpen > maxOpen {
		return fmt.Errorf("%w: documents of %d MB are open", errEncoding, p.nOpen>>20)
	}
	b := d.buffer()
	p.open[d.Path] = b
	p.local.SetBuffer(b)
	return nil
}

// closeBuffer brings the file on disk back.
func (p *peer) closeBuffer(path string) error {
	p.forget(path)
	p.local.CloseBuffer(path)
	return nil
}

// forget lets a document go.
func (p *peer) forget(path string) {
	if b := p.open[path]; b != nil {
		p.nOpen -= len(b.Text())
		delete(p.open, path)
	}
}

// read gives a place its text: what was open when the question was asked.
func (p *peer) read(t text, at *session.Place) error {
	switch {
	case at == nil:
	case t.Own != nil:
		at.Buffer = t.Own.buffer()
	case t.Open:
		if at.Buffer = p.open[at.File]; at.Buffer == nil {
			return fmt.Errorf("%w: %s is not open", errEncoding, at.File)
		}
	}
	return nil
}

// place reads a place.
func (p *peer) place(in place) (session.Place, error) {
	err := p.read(in.Text, &in.Place)
	return in.Place, err
}

// question reads a question.
func (p *peer) question(in question) (q session.Question, err error) {
	q = in.Question
	if err = p.read(in.Text, q.At); err == nil {
		q.Cost, err = p.owner.opts.cost(in.Style)
	}
	return q, err
}
