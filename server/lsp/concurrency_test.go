package lsp_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

// stubborn returns an opener whose method Context ignores its ctx and waits for release,
// and a channel that gets a value for each call that began.
func stubborn() (opener *Opener, began chan struct{}, release func()) {
	began, held := make(chan struct{}, 10_000), make(chan struct{})
	return &Opener{Hold: func(_ context.Context, method string) error {
		if method == "Context" {
			began <- struct{}{}
			<-held
		}
		return nil
	}}, began, sync.OnceFunc(func() { close(held) })
}

func TestASlowRequestDelaysNoOther(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	e.Open(uriA, "go", "alpha")
	slow := e.GoCommand("ambit.context", lsptest.At(uriA, 0, 0))
	<-began
	e.Change(uriA, 2, lsptest.Whole("beta"))
	var a struct{ Results []any }
	if err := e.Command("ambit.search", lsptest.Object{"query": "beta"}, &a); err != nil || len(a.Results) != 1 {
		t.Errorf("search beside it: %v, %v", a, err)
	}
	release()
	var answer struct{ Sources []struct{ Identifier string } }
	if err := slow.Await(&answer); err != nil || answer.Sources[0].Identifier != "alpha" {
		t.Errorf("the slow one: %+v, %v; want the text as it was asked of", answer, err)
	}
}

func TestACancelledRequestIsAnsweredAtOnce(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	p := e.Go("workspace/executeCommand", lsptest.Object{
		"command": "ambit.context", "arguments": []any{lsptest.Object{"query": "x"}}, "workDoneToken": "bar",
	})
	<-began
	p.Cancel()
	if err := p.Await(nil); code(err) != -32800 {
		t.Errorf("cancelled: %v, want RequestCancelled", err)
	}
	q := e.Go("workspace/executeCommand", lsptest.Object{
		"command": "ambit.context", "arguments": []any{lsptest.Object{"query": "x"}}, "workDoneToken": 7,
	})
	<-began
	e.Notify("window/workDoneProgress/cancel", lsptest.Object{"token": 7})
	if err := q.Await(nil); code(err) != -32800 {
		t.Errorf("cancelled by its progress: %v, want RequestCancelled", err)
	}
	p.Cancel() // an answered request cannot be cancelled
	release()
	if err := e.Finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestARequestThatWaitsForAFolderIsCancelledToo(t *testing.T) {
	opening := make(chan struct{})
	opener := &Opener{Before: func(ctx context.Context, _ string) error {
		close(opening)
		<-ctx.Done()
		return ctx.Err()
	}}
	e := start(t, opener, lsp.Options{})
	e.Begin(lsptest.Client{Folders: []string{"file:///w"}})
	p := e.GoCommand("ambit.search", lsptest.Object{"query": "x"})
	q := e.GoCommand("ambit.search", lsptest.Object{"query": "x"})
	<-opening
	p.Cancel()
	if err := p.Await(nil); code(err) != -32800 {
		t.Errorf("cancelled: %v", err)
	}
	var status struct{ State string }
	if err := e.Command("ambit.status", nil, &status); err != nil || status.State != "starting" {
		t.Errorf("status: %+v, %v", status, err)
	}
	e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{}, "removed": []lsptest.Object{{"uri": "file:///w", "name": "w"}},
	}})
	if err := q.Await(nil); err == nil {
		t.Error("the request to a folder that is gone was answered")
	}
}

func TestAClosedFolderEndsItsRequests(t *testing.T) {
	began := make(chan struct{}, 1)
	opener := &Opener{Hold: func(ctx context.Context, method string) error {
		if method != "Context" {
			return nil
		}
		began <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}}
	e, _ := begin(t, opener, lsptest.Client{})
	p := e.GoCommand("ambit.context", lsptest.Object{"query": "x"})
	<-began
	e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{}, "removed": []lsptest.Object{{"uri": "file:///w", "name": "w"}},
	}})
	if err := p.Await(nil); code(err) != -32802 {
		t.Errorf("context: %v, want ServerCancelled", err)
	}
}

func TestShutdownAnswersRequestsUnderWay(t *testing.T) {
	opener, began, release := stubborn()
	defer release()
	e, _ := begin(t, opener, lsptest.Client{})
	p := e.GoCommand("ambit.context", lsptest.Object{"query": "x"})
	<-began
	shutdown := e.Go("shutdown", nil)
	if err := p.Await(nil); code(err) != -32802 {
		t.Errorf("under way: %v, want ServerCancelled", err)
	}
	release()
	if err := shutdown.Await(nil); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	e.Notify("exit", nil)
	if err := e.Wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	var all []*lsptest.Pending
	for range 1200 {
		all = append(all, e.GoCommand("ambit.context", lsptest.Object{"query": "x"}))
	}
	refused := 0
	for _, p := range all[1024:] {
		if err := p.Await(nil); code(err) == -32802 {
			refused++
		}
	}
	if refused != 1200-1024 {
		t.Errorf("%d refused, want %d", refused, 1200-1024)
	}
	if n := len(began); n > 8 {
		t.Errorf("%d answers are made at once", n)
	}
	release()
	for i, p := range all[:1024] {
		if err := p.Await(nil); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}

func TestAnIDThatIsTakenIsRefused(t *testing.T) {
	opener, began, release := stubborn()
	e, _ := begin(t, opener, lsptest.Client{})
	defer release()
	p := e.GoCommand("ambit.context", lsptest.Object{"query": "x"})
	<-began
	e.SendRaw([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/hover","params":{}}`, p.ID)))
	if err := p.Await(nil); code(err) != -32600 {
		t.Errorf("the second of an id: %v, want InvalidRequest", err)
	}
}

// Random interleavings of edits, questions and cancellations: every question is
// answered once, from the text at the time of the question, and the text at the end is
// the one that the edits make.
func TestInterleavingsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		opener := &Opener{}
		e, w := begin(t, opener, lsptest.Client{})
		defer e.Close()
		text, version := "v1", 1
		e.Open(uriA, "go", text)
		type asked struct {
			*lsptest.Pending
			want      string
			cancelled bool
		}
		var questions []*asked
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				version++
				text = fmt.Sprintf("v%d", version)
				e.Change(uriA, version, lsptest.Edit(0, 0, 0, 99, text))
			case 2, 3:
				questions = append(questions, &asked{e.GoCommand("ambit.context", lsptest.At(uriA, 0, 0)), text, false})
			case 4:
				if len(questions) > 0 {
					q := questions[rapid.IntRange(0, len(questions)-1).Draw(rt, "which")]
					q.cancelled = true
					q.Cancel()
				}
			case 5:
				e.CloseDocument(uriA)
				e.Open(uriA, "go", text)
			}
		}
		for i, q := range questions {
			var a struct{ Sources []struct{ Identifier string } }
			err := q.Await(&a)
			switch {
			case err != nil && !(q.cancelled && code(err) == -32800):
				rt.Errorf("question %d: %v", i, err)
			case err == nil && a.Sources[0].Identifier != q.want:
				rt.Errorf("question %d sees %s, want %s", i, a.Sources[0].Identifier, q.want)
			}
		}
		roundTrip(t, e)
		if got, _ := w.Document("a.go"); got != text {
			rt.Errorf("the text ends as %q, want %q", got, text)
		}
	})
}
