package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ambit/server/api"
)

// command is one of ambit's commands. Run returns its result, encoded.
type command struct {
	title string // of its progress
	run   func(s *server, ctx context.Context, r *request, argument json.RawMessage) (any, error)
}

// commands are the commands by name. docs/protocol.md describes them.
var commands = map[string]command{
	"ambit.context": question("ambit: context", (*server).context),
	"ambit.search":  question("ambit: search", (*server).search),
	"ambit.related": question("ambit: related", (*server).related),
	"ambit.explain": question("ambit: explain", (*server).explain),
	"ambit.chunks":  question("ambit: chunks", (*server).chunks),
	"ambit.status":  question("ambit: status", (*server).status),
	"ambit.reindex": question("ambit: indexing", (*server).reindex),
	"ambit.pause":   question("ambit: pause", (*server).pause),
	"ambit.resume":  question("ambit: resume", (*server).resume),
	copyCommand:     show("ambit: context", "context"),
	relatedCommand:  show("ambit: related", "related"),
}

// question returns the command that decodes a question of a type, asks, and encodes the
// answer. An answer nil is the result null.
func question[Q, A any](title string, ask func(*server, context.Context, *request, *Q) (*A, error)) command {
	return command{title, func(s *server, ctx context.Context, r *request, argument json.RawMessage) (any, error) {
		q := new(Q)
		if err := api.Decode(argument, q); err != nil {
			return nil, err
		}
		if names := api.Unknown(argument, q); len(names) > 0 {
			s.log.Warn("fields ignored", "reason", "the command does not have them", "fields", strings.Join(names, ", "))
		}
		answer, err := ask(s, ctx, r, q)
		if err != nil || answer == nil {
			return nil, err
		}
		return api.Encode(answer)
	}}
}

// commandNames lists the commands that the server carries out, in order.
func (s *server) commandNames() []string {
	var names []string
	for name := range commands {
		if !slices.Contains(s.settings.options.ClientCommands, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// executeCommand carries out a command, with progress when the client gives a token.
func (s *server) executeCommand(ctx context.Context, r *request) (any, error) {
	var p struct {
		Command       *string           `json:"command"`
		Arguments     []json.RawMessage `json:"arguments"`
		WorkDoneToken json.RawMessage   `json:"workDoneToken"`
	}
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	if p.Command == nil {
		return nil, &api.FieldError{Field: "command", Reason: "name a command"}
	}
	c, ok := commands[*p.Command]
	switch {
	case !ok:
		return nil, &api.FieldError{Field: "command", Reason: "ambit has no " + *p.Command}
	case len(p.Arguments) > 1:
		return nil, &api.FieldError{Field: "arguments", Reason: "use one object"}
	}
	r.begin(p.WorkDoneToken, c.title)
	return c.run(s, ctx, r, slices.Concat(p.Arguments...))
}
