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

// change is one entry of a didChange.
type change struct {
	span *api.Range // nil replaces the whole document
	text string
}

// readChange reads an entry of a didChange strictly: a range that cannot be read
// must not make the text the whole document.
func readChange(raw json.RawMessage) (change, error) {
	var c struct {
		Range json.RawMessage `json:"range"`
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return change{}, fmt.Errorf("read the change: %w", err)
	}
	if c.Text == nil {
		return change{}, errors.New("the change has no text")
	}
	if c.Range == nil {
		return change{text: *c.Text}, nil
	}
	var span api.Range
	if err := json.Unmarshal(c.Range, &span); err != nil {
		return change{}, fmt.Errorf("read the range of the change: %w", err)
	}
	return change{&span, *c.Text}, nil
}

// edited returns text with the changes applied in order. It returns an error when one of
// them is not valid.
func edited(text string, changes []change, e api.PositionEncoding) (string, error) {
	for i, c := range changes {
		if c.span == nil {
			text = c.text
			continue
		}
		old := []byte(text)
		start, err := offset(old, c.span.Start, e)
		if err != nil {
			return "", fmt.Errorf("change %d: start %d:%d: %w", i, c.span.Start.Line, c.span.Start.Character, err)
		}
		end, err := offset(old, c.span.End, e)
		if err != nil {
			return "", fmt.Errorf("change %d: end %d:%d: %w", i, c.span.End.Line, c.span.End.Character, err)
		}
		if end < start {
			return "", fmt.Errorf("change %d: the end of the range is before its start", i)
		}
		text = text[:start] + c.text + text[end:]
	}
	return text, nil
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
