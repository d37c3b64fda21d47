// Command apigen writes the files that repeat package api and the settings in other
// languages: the types of the editor plugins, docs/protocol.md and docs/settings.md.
//
// "go generate ./server/api" runs it. Its test fails when a file differs.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := write("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "apigen:", err)
		os.Exit(1)
	}
}

// write writes the generated files of the repository at root.
func write(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the text of each generated file by its path in the repository.
func generate(root string) (map[string]string, error) {
	m, err := load(filepath.Join(root, "server/api"))
	if err != nil {
		return nil, err
	}
	protocol, err := protocolPage(m, root)
	if err != nil {
		return nil, err
	}
	settings, err := settingsPage()
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"editors/vscode/api/protocol.d.ts":   typeScript(m),
		"editors/neovim/lua/ambit/types.lua": lua(m),
		"docs/protocol.md":                   protocol,
		"docs/settings.md":                   settings,
	}, nil
}
