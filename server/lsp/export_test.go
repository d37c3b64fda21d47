package lsp

import (
	"context"
	"encoding/json"
)

// Edited applies one change of a didChange.
func Edited(text []byte, raw json.RawMessage, e string) ([]byte, error) {
	c, err := readChange(raw)
	if err != nil {
		return nil, err
	}
	return edited(text, []change{c}, encoding(e))
}

// PositionOffset is positionOffset.
func PositionOffset(text []byte, line, character int, e string) (int, error) {
	return positionOffset(text, position{line, character}, encoding(e))
}

// OffsetPosition is offsetPosition.
func OffsetPosition(text []byte, offset int, e string) (line, character int) {
	p := offsetPosition(text, offset, encoding(e))
	return p.line, p.character
}

// AwaitProcess is awaitProcess.
func AwaitProcess(ctx context.Context, pid int) { awaitProcess(ctx, pid) }

// PollProcess is pollProcess.
func PollProcess(ctx context.Context, pid int) { pollProcess(ctx, pid) }
