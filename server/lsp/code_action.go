package lsp

import (
	"context"
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"

	"ambit/server/api"
)

// The commands behind the code actions. The server carries them out by showing a
// document. A client that carries them out itself, for example with the clipboard, names
// them in clientCommands of its initialization options.
const (
	copyCommand    = "ambit.copyContext"
	relatedCommand = "ambit.showRelated"
)

// The kinds of the code actions: editors show no light bulb for source actions.
const (
	copyKind    = protocol.CodeActionKind("source.ambit.copyContext")
	relatedKind = protocol.CodeActionKind("source.ambit.showRelated")
)

// codeAction offers the commands on a symbol that the workspace defines. Away from one it
// offers nothing. A request that the client sends by itself does not wait for an index to
// open.
func (s *server) codeAction(ctx context.Context, r *request) (any, error) {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Range   struct{ Start *api.Position } `json:"range"`
		Context struct {
			Only        []string
			TriggerKind protocol.CodeActionTriggerKind
		} `json:"context"`
	}
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	if p.Range.Start == nil {
		return nil, &api.FieldError{Field: "range", Reason: "give it"}
	}
	if !wanted(p.Context.Only, string(copyKind)) && !wanted(p.Context.Only, string(relatedKind)) {
		return nil, nil
	}
	place := api.Place{TextDocument: api.TextDocument{URI: p.TextDocument.URI}, Position: *p.Range.Start}
	argument, err := json.Marshal(place)
	if err != nil {
		return nil, err
	}
	symbol, err := s.symbolAt(ctx, r, place, p.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic)
	if err != nil || symbol == nil {
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

// wanted reports whether the client asks for a kind, for a parent of it, or for none in
// particular.
func wanted(only []string, kind string) bool {
	for _, o := range only {
		if o == "" || o == kind || strings.HasPrefix(kind, o+".") {
			return true
		}
	}
	return len(only) == 0
}
