package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// notes writes the release notes: the section of the version in CHANGELOG.md.
func (r *release) notes() error {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	section, err := changes(string(text), r.version)
	if err != nil {
		if section, err = changes(string(text), "Unreleased"); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "CHANGELOG.md has no section %s, so the notes are those of Unreleased\n", r.version)
	}
	return r.write("NOTES.md", []byte(section))
}

// changes returns the text below the heading "## [version]".
func changes(log, version string) (string, error) {
	_, text, ok := strings.Cut(log, "\n## ["+version+"]")
	if !ok {
		return "", errors.New("CHANGELOG.md has no section " + version)
	}
	_, text, _ = strings.Cut(text, "\n") // the date
	text, _, _ = strings.Cut(text, "\n## [")
	return strings.TrimSpace(text) + "\n", nil
}
