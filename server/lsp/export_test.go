package lsp

import (
	"encoding/json"

	"ambit/server/api"
	"ambit/server/location"
)

// Edited applies one change of a didChange.
func Edited(text string, raw json.RawMessage, e api.PositionEncoding) (string, error) {
	c, err := readChange(raw)
	if err != nil {
		return "", err
	}
	return location.Edit(text, []location.Change{c}, e)
}

// CommandNames returns the names of the commands, in order.
func CommandNames() []string { return new(server).commandNames() }
