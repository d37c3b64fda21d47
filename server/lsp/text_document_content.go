package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ambit/server/assemble"
	"ambit/server/format"
)

// contentScheme is that of the documents which show an answer:
//
//	ambit-context:/context/NAME.md?{"textDocument":{"uri":"…"},"position":{…}}
//	ambit-context:/related/NAME.md?{…}
//
// The query is the argument of ambit.context or ambit.related, so that a document
// can be made anew at any time and nothing is kept for it.
const contentScheme = "ambit-context"

// contentURI returns the URI of the document that shows the answer to an argument.
func contentURI(kind, name, extension string, argument json.RawMessage) (uri.URI, error) {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|#%`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	if name == "" || strings.Trim(name, ".") == "" {
		name = kind
	}
	return uri.From(uri.Components{Scheme: contentScheme, Path: "/" + kind + "/" + name + extension, Query: string(argument)})
}

// textDocumentContent answers with the text of a document of ours. When another
// answer would be given later, the client is told so.
func (s *server) textDocumentContent(ctx context.Context, r *request) (any, error) {
	var p struct{ URI *string }
	if err := json.Unmarshal(r.params, &p); err != nil || p.URI == nil {
		return nil, invalid("uri", "use the URI of a document")
	}
	text, err := s.document(ctx, r, *p.URI)
	if err != nil {
		return nil, err
	}
	s.remember(r, *p.URI, text)
	return &protocol.TextDocumentContentResult{Text: text}, nil
}

// document returns the text of a document of ours.
func (s *server) document(ctx context.Context, r *request, name string) (string, error) {
	u, err := uri.Parse(name)
	if err != nil || u.Scheme() != contentScheme {
		return "", invalid("uri", "%q is not of %s:", name, contentScheme)
	}
	f, err := readFields([]json.RawMessage{json.RawMessage(u.Query())})
	if err != nil {
		return "", invalid("uri", "its query is not the argument of a command")
	}
	switch kind, _, _ := strings.Cut(strings.TrimPrefix(u.Path(), "/"), "/"); kind {
	case "context":
		return s.contextDocument(ctx, r, f)
	case "related":
		return s.relatedDocument(ctx, r, f)
	default:
		return "", invalid("uri", "%s shows context and related, not %q", contentScheme, kind)
	}
}

// contextDocument returns the text of an answer, in Markdown unless somebody says
// otherwise. In JSON it is the whole answer.
func (s *server) contextDocument(ctx context.Context, r *request, f *fields) (string, error) {
	if _, said := f.value("format"); !said {
		if f.of == nil {
			f.of = object{}
		}
		f.of["format"] = json.RawMessage(`"` + format.Markdown.String() + `"`)
	}
	a, err := s.context(ctx, r, f)
	if err != nil {
		return "", err
	}
	if f.text("format") == format.JSON.String() {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err := e.Encode(a)
		return b.String(), err
	}
	return a.Text, nil
}

// relatedDocument returns the list of what belongs with a place, with links.
func (s *server) relatedDocument(ctx context.Context, r *request, f *fields) (string, error) {
	t, found, err := s.related(ctx, r, f)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Related context\n\n")
	if len(found.Matches) == 0 {
		b.WriteString("Nothing was found.\n")
	}
	uriOf := r.view.uris(t.folder)
	for _, m := range found.Matches {
		b.WriteString("- " + link(Link{Identifier: m.Identifier, Path: m.Path, Line: m.StartLine}, uriOf, true))
		b.WriteString(" " + assemble.OneLine(m.Kind, maxLabel) + ", " + code(fmt.Sprintf("%s:%d-%d", assemble.OneLine(m.Path, maxLabel), m.StartLine, m.EndLine)))
		if m.Role != "" {
			b.WriteString(", " + assemble.OneLine(m.Role, maxLabel))
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// copyCommand carries out "Copy context for a language model" for a client that does
// not do so itself: it shows the answer to copy, and returns it.
func (s *server) copyCommand(ctx context.Context, r *request, f *fields) (any, error) {
	argument, err := encode(f.of)
	if err != nil {
		return nil, err
	}
	text, err := s.contextDocument(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if err := s.showText(ctx, r, f, "context", argument, text); err != nil {
		return nil, err
	}
	return encode(map[string]string{"text": text})
}

// showRelatedCommand carries out "Show related context" for such a client.
func (s *server) showRelatedCommand(ctx context.Context, r *request, f *fields) (any, error) {
	argument, err := encode(f.of)
	if err != nil {
		return nil, err
	}
	text, err := s.relatedDocument(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if err := s.showText(ctx, r, f, "related", argument, text); err != nil {
		return nil, err
	}
	return encode(map[string]string{"text": text})
}

// showText has the client show a text: by the URI of a document of ours, else as a
// file in the scratch directory, else by saying what else can be done.
func (s *server) showText(ctx context.Context, r *request, f *fields, kind string, argument json.RawMessage, text string) error {
	u, err := contentURI(kind, s.nameOf(r, f), ".md", argument)
	if err != nil {
		return err
	}
	switch {
	case s.client.showDocument && s.client.contentScheme:
	case s.client.showDocument && s.opts.ScratchDir != "":
		path := filepath.Join(s.opts.ScratchDir, "ambit-"+kind+".md")
		if err := writeScratch(path, text); err != nil {
			return fmt.Errorf("write the document to show: %w", err)
		}
		u = uri.File(path)
	default:
		s.tell("This editor cannot show documents of a language server; ambit context FILE:LINE:COL prints the same")
		return nil
	}
	focus := true
	var shown struct{ Success bool }
	if err := s.conn.Call(ctx, protocol.MethodWindowShowDocument, &protocol.ShowDocumentParams{URI: u, TakeFocus: &focus}, &shown); err != nil {
		return err
	}
	if !shown.Success {
		return failed("the editor did not show %s", u)
	}
	return nil
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

// nameOf names the document that a command shows: by the word at the place, or by the
// question.
func (s *server) nameOf(r *request, f *fields) string {
	if q := f.query(); q != "" {
		return assemble.OneLine(q, 40)
	}
	at, _ := f.position()
	t, err := r.view.find(f.document())
	if err != nil || t.buffer == nil {
		return ""
	}
	offset, err := positionOffset(t.buffer.Text, at, s.client.encoding)
	if err != nil {
		return ""
	}
	return word(t.buffer.Text, offset)
}
