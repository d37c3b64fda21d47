package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ambit/server/api"
	"ambit/server/format"
	"ambit/server/location"
)

// contentScheme is the scheme of the documents that show an answer:
//
//	ambit-context:/context/NAME.md?{"textDocument":{"uri":"…"},"position":{…}}
//	ambit-context:/related/NAME.md?{…}
//
// and of the sources that lie in an archive:
//
//	ambit-context:/jar/home/u/.m2/repository/…/gson-2.10.1-sources.jar!/com/google/gson/Gson.java
//
// The query is the argument of ambit.context or ambit.related, so that the server can
// make the document again at any time and keeps nothing for it.
const contentScheme = "ambit-context"

// untitledScheme is the scheme of documents that have never been saved.
const untitledScheme = "untitled"

// maxTitleBytes bounds the name of an answer document.
const maxTitleBytes = 80

// contentURI returns the URI of the document that shows the answer to an argument.
func contentURI(kind, name string, argument json.RawMessage) (uri.URI, error) {
	name = strings.ToValidUTF8(name[:min(len(name), maxTitleBytes)], "")
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|#%`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	if name == "" || strings.Trim(name, ".") == "" {
		name = kind
	}
	return uri.From(uri.Components{Scheme: contentScheme, Path: "/" + kind + "/" + name + ".md", Query: string(argument)})
}

// textDocumentContent answers with the text of an answer document. The server tells the
// client later when the text has changed.
func (s *server) textDocumentContent(ctx context.Context, r *request) (any, error) {
	var p struct {
		URI *string `json:"uri"`
	}
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	if p.URI == nil {
		return nil, &api.FieldError{Field: "uri", Reason: "give it"}
	}
	if name, ok := location.Archived(*p.URI); ok {
		return s.sourceText(ctx, r, name)
	}
	text, err := s.document(ctx, r, *p.URI)
	if err != nil {
		return nil, err
	}
	s.remember(r, *p.URI, text)
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

// sourceText answers with the text of a source in an archive, which the first workspace gives
// that reads this archive.
func (s *server) sourceText(ctx context.Context, r *request, name string) (any, error) {
	err := error(&api.FieldError{Field: "uri", Reason: "no folder is open whose dependencies have it"})
	for _, f := range r.view.folders {
		var text *api.SourceText
		if text, err = answering(ctx, r, f, api.SourceTextQuestion{Name: name}, api.Workspace.SourceText); err == nil {
			return &protocol.TextDocumentContentResult{Text: text.Text}, nil
		}
	}
	return nil, err
}

// document returns the text of an answer document.
func (s *server) document(ctx context.Context, r *request, name string) (string, error) {
	u, err := uri.Parse(name)
	if err != nil || u.Scheme() != contentScheme {
		return "", &api.FieldError{Field: "uri", Reason: fmt.Sprintf("%q is not of %s:", name, contentScheme)}
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(u.Path(), "/"), "/")
	show, ok := documents[kind]
	if !ok {
		return "", &api.FieldError{Field: "uri", Reason: fmt.Sprintf("%s shows context and related, not %q", contentScheme, kind)}
	}
	text, _, err := show(s, ctx, r, json.RawMessage(u.Query()))
	return text, err
}

// documents are the kinds of answer documents: each returns the text for the argument of
// a command, and a title.
var documents = map[string]func(*server, context.Context, *request, json.RawMessage) (text, title string, err error){
	"context": (*server).contextDocument,
	"related": (*server).relatedDocument,
}

// contextDocument returns the text of an answer, in Markdown unless the argument has
// another format. In JSON it is the whole answer.
func (s *server) contextDocument(ctx context.Context, r *request, argument json.RawMessage) (text, title string, err error) {
	q := &api.Question{}
	if err := api.Decode(argument, q); err != nil {
		return "", "", err
	}
	if q.Format == "" {
		q.Format = api.Markdown
	}
	a, err := s.context(ctx, r, q)
	if err != nil {
		return "", "", err
	}
	title = q.Query
	if q.Position != nil {
		title = s.title(q.TextDocument, *q.Position)
	}
	if q.Format != api.JSON {
		return a.Text, title, nil
	}
	raw, err := api.Encode(a)
	var b bytes.Buffer
	if err == nil {
		err = json.Indent(&b, raw, "", "  ")
	}
	b.WriteByte('\n')
	return b.String(), title, err
}

// relatedDocument returns the list of the units that belong with a place, with links.
func (s *server) relatedDocument(ctx context.Context, r *request, argument json.RawMessage) (text, title string, err error) {
	q := &api.RelatedQuestion{}
	if err := api.Decode(argument, q); err != nil {
		return "", "", err
	}
	answer, err := s.related(ctx, r, q)
	if err != nil {
		return "", "", err
	}
	return format.Related(answer), s.title(&q.TextDocument, q.Position), nil
}

// title returns the word at a place of an open document, else "".
func (s *server) title(d *api.TextDocument, p api.Position) string {
	if d.Document == nil {
		return ""
	}
	return wordAt(d.Document.Text, p, s.client.encoding)
}

// show returns the command behind a code action, for a client that does not carry it out
// itself: it shows the answer document of a kind.
func show(title, kind string) command {
	return command{title, func(s *server, ctx context.Context, r *request, argument json.RawMessage) (any, error) {
		return s.show(ctx, r, kind, argument)
	}}
}

// show asks the client to show an answer document, and returns its text. A client that
// cannot show such a document gets a file in the scratch directory. When it cannot show
// files either, a message says where the file is.
func (s *server) show(ctx context.Context, r *request, kind string, argument json.RawMessage) (any, error) {
	text, title, err := documents[kind](s, ctx, r, argument)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, argument); err != nil {
		return nil, err
	}
	u, err := contentURI(kind, title, compact.Bytes())
	if err != nil {
		return nil, err
	}
	if !s.client.showDocument || !s.client.contentScheme {
		if s.opts.ScratchDir == "" {
			s.inform("This editor cannot show documents of a language server; ambit context FILE:LINE:COL prints the same")
			return api.Encode(&api.Shown{Text: text})
		}
		path := filepath.Join(s.opts.ScratchDir, "ambit-"+kind+".md")
		if err := writeScratch(path, text); err != nil {
			return nil, fmt.Errorf("write the document to show: %w", err)
		}
		u = uri.File(path)
	}
	if !s.client.showDocument {
		s.inform("The text is in " + u.FsPath() + "; open that file to read or to copy it")
		return api.Encode(&api.Shown{Text: text})
	}
	var shown struct{ Success bool }
	r.leavePlace() // the client asks for the document before it says that the user sees it
	params := &protocol.ShowDocumentParams{URI: u, TakeFocus: new(true)}
	if err := s.conn.Call(ctx, protocol.MethodWindowShowDocument, params, &shown); err != nil {
		return nil, err
	}
	if !shown.Success {
		return nil, failed("the editor did not show %s", u)
	}
	return api.Encode(&api.Shown{Text: text})
}

// writeScratch replaces a file that only the user may read.
func writeScratch(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
