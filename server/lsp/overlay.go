package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// document is an open document. It is immutable: a change makes the next one.
type document struct {
	uri    string // as the client spells it
	path   string // absolute, of a file; "" of an untitled document
	folder *folder
	buffer *Buffer
}

// change is one entry of a didChange.
type change struct {
	whole      bool // text is the whole document
	start, end position
	text       string
}

// readChange reads an entry of a didChange strictly: a range that cannot be read
// must not make the text the whole document.
func readChange(raw json.RawMessage) (change, error) {
	var fields struct {
		Range json.RawMessage `json:"range"`
		Text  *string         `json:"text"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return change{}, fmt.Errorf("read the change: %w", err)
	}
	if fields.Text == nil {
		return change{}, fmt.Errorf("the change has no text")
	}
	c := change{whole: fields.Range == nil, text: *fields.Text}
	if c.whole {
		return c, nil
	}
	var span struct{ Start, End json.RawMessage }
	err := json.Unmarshal(fields.Range, &span)
	if err == nil {
		c.start, err = readPosition(span.Start)
	}
	if err == nil {
		c.end, err = readPosition(span.End)
	}
	if err != nil {
		return change{}, fmt.Errorf("read the range of the change: %w", err)
	}
	return c, nil
}

// readPosition reads a position strictly.
func readPosition(raw json.RawMessage) (position, error) {
	var p struct{ Line, Character *int }
	if raw == nil {
		return position{}, fmt.Errorf("a position is missing")
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return position{}, err
	}
	if p.Line == nil || p.Character == nil {
		return position{}, fmt.Errorf("a position wants line and character")
	}
	if *p.Line < 0 || *p.Character < 0 {
		return position{}, errNegative
	}
	return position{*p.Line, *p.Character}, nil
}

// edited returns text with the changes made one after the other. When one cannot be
// made, none is.
func edited(text []byte, changes []change, e encoding) ([]byte, error) {
	for i, c := range changes {
		if c.whole {
			text = []byte(c.text)
			continue
		}
		start, err := positionOffset(text, c.start, e)
		if err != nil {
			return nil, fmt.Errorf("change %d: start %d:%d: %w", i, c.start.line, c.start.character, err)
		}
		end, err := positionOffset(text, c.end, e)
		if err != nil {
			return nil, fmt.Errorf("change %d: end %d:%d: %w", i, c.end.line, c.end.character, err)
		}
		if end < start {
			return nil, fmt.Errorf("change %d: the end of the range is before its start", i)
		}
		next := make([]byte, 0, len(text)-(end-start)+len(c.text))
		next = append(next, text[:start]...)
		next = append(next, c.text...)
		text = append(next, text[end:]...)
	}
	return text, nil
}

// word returns the word around a byte of text, for titles.
func word(text []byte, offset int) string {
	const stop = " \t\r\n()[]{}<>.,;:'\"`!?+-*/=&|%^~@#\\"
	start := bytes.LastIndexAny(text[:offset], stop) + 1
	end := bytes.IndexAny(text[offset:], stop)
	if end < 0 {
		end = len(text) - offset
	}
	const maxWord = 80
	w := text[start : offset+end]
	return strings.ToValidUTF8(string(w[:min(len(w), maxWord)]), "")
}
