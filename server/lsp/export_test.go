package lsp

import (
	"context"
	"encoding/json"

	"ambit/server/api"
)

// Edited applies one change of a didChange.
func Edited(text string, raw json.RawMessage, e api.PositionEncoding) (string, error) {
	c, err := readChange(raw)
	if err != nil {
		return "", err
	}
	return edited(text, []change{c}, e)
}

// AwaitProcess is awaitProcess.
func AwaitProcess(ctx context.Context, pid int) { awaitProcess(ctx, pid) }

// PollProcess is pollProcess.
func PollProcess(ctx context.Context, pid int) { pollProcess(ctx, pid) }

// CommandNames returns the names of the commands, in order.
func CommandNames() []string { return new(server).commandNames() }
