package lsp_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/lsp/lsptest"
)

// longEnough is the time after which all consequences of an act of the editor have come.
const longEnough = time.Minute

// contentOf returns the URI of the document that shows the answer about the beginning of
// a document, "context" or "related".
func contentOf(kind, uri string) string {
	return "ambit-context:/" + kind + "/x.md?" + url.PathEscape(fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":0,"character":0}}`, uri))
}

// ask requests the text of an answer document.
func ask(t *testing.T, e *lsptest.Editor, uri string) {
	t.Helper()
	if err := e.Call("workspace/textDocumentContent", lsptest.Object{"uri": uri}, nil); err != nil {
		t.Errorf("%s: %v", uri, err)
	}
}

// refreshed returns the documents that the server has refreshed, in order.
func refreshed(e *lsptest.Editor) (uris []string) {
	for _, m := range e.Session() {
		var r struct {
			Method string
			Params struct{ URI string }
		}
		if m.FromServer && json.Unmarshal(m.Data, &r) == nil && r.Method == "workspace/textDocumentContent/refresh" {
			uris = append(uris, r.Params.URI)
		}
	}
	return uris
}

// wantRefreshed checks the refreshed documents after longEnough.
func wantRefreshed(t *testing.T, e *lsptest.Editor, when string, want ...string) {
	t.Helper()
	time.Sleep(longEnough)
	if diff := cmp.Diff(want, refreshed(e)); diff != "" {
		t.Errorf("%s: refreshed (-want +got):\n%s", when, diff)
	}
}

func TestADocumentIsRefreshedOnceWhenItsAnswerChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := begin(t, &Opener{}, lsptest.Client{})
		const uriB = "file:///w/b.go"
		e.Open(uriA, "go", "alpha\n")
		e.Open(uriB, "go", "beta\n")
		a, b := contentOf("context", uriA), contentOf("context", uriB)
		ask(t, e, b)
		ask(t, e, a)
		wantRefreshed(t, e, "nothing has changed")
		e.Change(uriA, 2, lsptest.Whole("alpha 2\n"))
		wantRefreshed(t, e, "the text of one has changed", a)
		e.Change(uriA, 3, lsptest.Whole("alpha 3\n"))
		wantRefreshed(t, e, "the client did not ask again", a)
		ask(t, e, a)
		e.Change(uriA, 4, lsptest.Whole("alpha 4\n"))
		wantRefreshed(t, e, "the client did ask again", a, a)
		e.Change(uriB, 2, lsptest.Whole("other\n"))
		e.Change(uriB, 3, lsptest.Whole("beta\n"))
		wantRefreshed(t, e, "the text is as it was", a, a)
		e.CloseDocument(uriB)
		wantRefreshed(t, e, "there is no answer any more", a, a, b)
	})
}

func TestADocumentIsRefreshedWhenTheIndexChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opener := &Opener{Files: map[string]map[string]string{"/w": {"a.go": "alpha\n"}}}
		e, w := begin(t, opener, lsptest.Client{})
		related := contentOf("related", uriA)
		ask(t, e, related)
		wantRefreshed(t, e, "nothing has changed")
		w.SetFile("b.go", "alpha again\n")
		wantRefreshed(t, e, "the index has not moved")
		w.States <- api.State{State: api.StateReady, Generation: 2}
		wantRefreshed(t, e, "the index has moved", related)
		ask(t, e, related)
		w.States <- api.State{State: api.StateReady, Generation: 3}
		wantRefreshed(t, e, "it has moved and the answer is the same", related)
		e.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
			"added": []any{}, "removed": []any{lsptest.Object{"uri": "file:///w", "name": "w"}},
		}})
		wantRefreshed(t, e, "the folder is closed", related, related)
	})
}

func TestTypingDoesNotRefreshAfterEachLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := begin(t, &Opener{}, lsptest.Client{})
		e.Open(uriA, "go", "alpha\n")
		ask(t, e, contentOf("context", uriA))
		typed := func(letters int) int {
			for i := range letters {
				e.Change(uriA, 2+i, lsptest.Edit(0, 0, 0, 0, "x"))
				time.Sleep(100 * time.Millisecond)
			}
			return len(refreshed(e))
		}
		if n := typed(15); n != 0 {
			t.Errorf("after 1.5 seconds without a rest: %d refreshes", n)
		}
		if n := typed(10); n != 1 {
			t.Errorf("after a second more: %d refreshes, want one", n)
		}
	})
}

func TestOnlyShownDocumentsAreRefreshed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := begin(t, &Opener{}, lsptest.Client{NoContent: true})
		e.Open(uriA, "go", "alpha\n")
		ask(t, e, contentOf("context", uriA))
		e.Change(uriA, 2, lsptest.Whole("alpha 2\n"))
		wantRefreshed(t, e, "a client that does not show documents of other schemes")
	})
	synctest.Test(t, func(t *testing.T) {
		e, _ := begin(t, &Opener{}, lsptest.Client{})
		e.Open(uriA, "go", "alpha\n")
		var all []string
		for i := range 20 {
			all = append(all, contentOf("context", uriA)+fmt.Sprintf("#%d", i))
			ask(t, e, all[i])
		}
		e.CloseDocument(all[10])
		e.Change(uriA, 2, lsptest.Whole("alpha 2\n"))
		wantRefreshed(t, e, "of twenty the latest sixteen, less one that was closed", append(all[4:10:10], all[11:]...)...)
	})
}
