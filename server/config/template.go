package config

import (
	"fmt"
	"io"
	"os"
)

// MaxTemplateBytes is the largest template.
const MaxTemplateBytes = 64 << 10

// ReadTemplate returns the text of a template, "" for no path.
func ReadTemplate(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the template of the answer: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxTemplateBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the template of the answer: %w", err)
	case len(text) > MaxTemplateBytes:
		return "", fmt.Errorf("the template %s has more than %d bytes", path, MaxTemplateBytes)
	}
	return string(text), nil
}
