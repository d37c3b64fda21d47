package lsp

import (
	"context"
	"encoding/json"
	"slices"
)

// command is one of ambit's commands.
type command struct {
	title string // of its progress
	run   func(*server, context.Context, *request, *fields) (any, error)
}

// commands are the commands by name, see ext.go for their parameters and results.
var commands = map[string]command{
	"ambit.context": {"ambit: context", (*server).contextCommand},
	"ambit.search":  {"ambit: search", (*server).searchCommand},
	"ambit.related": {"ambit: related", (*server).relatedCommand},
	"ambit.explain": {"ambit: explain", (*server).explainCommand},
	"ambit.chunks":  {"ambit: chunks", (*server).chunksCommand},
	"ambit.status":  {"ambit: status", (*server).statusCommand},
	"ambit.reindex": {"ambit: indexing", (*server).reindexCommand},
	"ambit.pause":   {"ambit: pause", (*server).pauseCommand},
	"ambit.resume":  {"ambit: resume", (*server).resumeCommand},
	copyCommand:     {"ambit: context", (*server).copyCommand},
	relatedCommand:  {"ambit: related", (*server).showRelatedCommand},
}

// commandNames lists the commands that the server carries out, in order.
func (s *server) commandNames() []string {
	var names []string
	for name := range commands {
		if !slices.Contains(s.settings.clientCommands, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// executeCommand carries out a command, with progress when the client gives a token.
func (s *server) executeCommand(ctx context.Context, r *request) (any, error) {
	var p struct {
		Command       *string
		Arguments     []json.RawMessage
		WorkDoneToken json.RawMessage
	}
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	if p.Command == nil {
		return nil, invalid("command", "name a command")
	}
	c, ok := commands[*p.Command]
	if !ok {
		return nil, invalid("command", "ambit has no %q", *p.Command)
	}
	f, err := readFields(p.Arguments)
	if err != nil {
		return nil, err
	}
	r.begin(p.WorkDoneToken, c.title)
	return c.run(s, ctx, r, f)
}
