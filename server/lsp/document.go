package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ambit/server/api"
	"ambit/server/location"
)

// document is an open document at one version. It is immutable: a change makes the next.
type document struct {
	uri    string // as the client spells it
	file   string // absolute path; "" of an untitled document
	folder *folder
	*api.Document
}

// readChange reads an entry of a didChange strictly: a range that cannot be read
// must not make the text the whole document.
func readChange(raw json.RawMessage) (location.Change, error) {
	var c struct {
		Range json.RawMessage `json:"range"`
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return location.Change{}, fmt.Errorf("read the change: %w", err)
	}
	if c.Text == nil {
		return location.Change{}, errors.New("the change has no text")
	}
	if c.Range == nil {
		return location.Change{Text: *c.Text}, nil
	}
	var span api.Range
	if err := json.Unmarshal(c.Range, &span); err != nil {
		return location.Change{}, fmt.Errorf("read the range of the change: %w", err)
	}
	return location.Change{Range: &span, Text: *c.Text}, nil
}

// offset returns the byte of text at a position.
func offset(text []byte, p api.Position, e api.PositionEncoding) (int, error) {
	return location.Offset(text, api.Place{Position: p, PositionEncoding: e})
}

// wordAt returns the word around a position of text, for titles.
func wordAt(text string, p api.Position, e api.PositionEncoding) string {
	at, err := offset([]byte(text), p, e)
	if err != nil {
		return ""
	}
	const stop = " \t\r\n()[]{}<>.,;:'\"`!?+-*/=&|%^~@#\\"
	start := strings.LastIndexAny(text[:at], stop) + 1
	end := strings.IndexAny(text[at:], stop)
	if end < 0 {
		end = len(text) - at
	}
	return text[start : at+end]
}
