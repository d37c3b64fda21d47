package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"
)

// The commands behind the code actions. The server carries them out by showing a
// document; a client that can do better, such as to use the clipboard, says so with
// clientCommands in its initialization options and gets the name and the arguments.
const (
	copyCommand    = "ambit.copyContext"
	relatedCommand = "ambit.showRelated"
)

// The kinds of the code actions: source actions, which no editor advertises with a
// light bulb on every line.
const (
	copyKind    = protocol.CodeActionKind("source.ambit.copyContext")
	relatedKind = protocol.CodeActionKind("source.ambit.showRelated")
)

// codeAction offers what can be done at a place.
func (s *server) codeAction(_ context.Context, r *request) (any, error) {
	var p struct {
		TextDocument struct{ URI string }
		Range        struct{ Start json.RawMessage }
		Context      struct{ Only []string }
	}
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	at, err := readPosition(p.Range.Start)
	if err != nil {
		return nil, invalid("range", "%v", err)
	}
	if _, open := r.view.docs[p.TextDocument.URI]; !open {
		return nil, nil
	}
	argument, err := encode(map[string]any{
		"textDocument": map[string]any{"uri": p.TextDocument.URI},
		"position":     map[string]any{"line": at.line, "character": at.character},
	})
	if err != nil {
		return nil, err
	}
	var actions []protocol.CommandOrCodeAction
	offer := func(kind protocol.CodeActionKind, title, command string) {
		c := protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{protocol.LSPAny(argument)}}
		switch {
		case !wanted(p.Context.Only, string(kind)):
		case s.client.actionLiterals:
			actions = append(actions, &protocol.CodeAction{Title: title, Kind: &kind, Command: c})
		default:
			actions = append(actions, &c)
		}
	}
	offer(copyKind, "Copy context for a language model", copyCommand)
	offer(relatedKind, "Show related context", relatedCommand)
	raw, err := protocol.Marshal(actions)
	return json.RawMessage(raw), err
}

// wanted reports whether a kind is below one of those asked for, or none are.
func wanted(only []string, kind string) bool {
	for _, o := range only {
		if o == "" || o == kind || strings.HasPrefix(kind, o+".") {
			return true
		}
	}
	return len(only) == 0
}
