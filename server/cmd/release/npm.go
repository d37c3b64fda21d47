package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// npmName and npmScope are the names in the registry of npm: of the package that people
// install, and of the packages with the binaries.
const (
	npmName  = name
	npmScope = "@" + name
)

//go:embed npm/launcher.js
var npmLauncherJS []byte

// manifest is the part of package.json that is written.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Types       string            `json:"types,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"` // Yarn must unpack a binary
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Peers       map[string]string `json:"peerDependencies,omitempty"`
}

// npmBinary writes the package with the binary of a platform.
func (r *release) npmBinary(p platform, binary []byte, s *shared) error {
	system, cpu, _ := strings.Cut(p.node, "-")
	m := r.manifest(npmScope+"/"+p.node, "The binary of "+name+" for "+p.String()+".")
	m.OS, m.CPU, m.Unplugged = []string{system}, []string{cpu}, true
	return r.npm(p.node, m, []entry{
		{"bin/" + p.exe(), 0o755, binary},
		{"README.md", 0o644, []byte("The binary of " + name + " for " + p.String() + ". Install the package `" + npmName + "`.\n")},
		{"LICENSE", 0o644, s.licence},
		{"THIRD-PARTY.md", 0o644, s.noticesOf(p)},
	})
}

// npmLauncher writes the package that people install. It names all platforms, so those that
// another machine has built must be published too.
func (r *release) npmLauncher(s *shared) error {
	m := r.manifest(npmName, "The right pieces of code for a symbol or a question, within a token budget.")
	m.Bin = map[string]string{name: "bin/" + name + ".js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, p := range platforms {
		m.Optional[npmScope+"/"+p.node] = r.version
	}
	return r.npm("launcher", m, []entry{
		{"bin/" + name + ".js", 0o755, npmLauncherJS},
		{"README.md", 0o644, s.readme},
		{"LICENSE", 0o644, s.licence},
	})
}

// npmTypes writes the package with the types of the VS Code extension's interface. Its name
// and what it needs stand in a package.json in folder, editors/vscode/api.
func (r *release) npmTypes(folder string, s *shared) error {
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return err
	}
	m := r.manifest("", "")
	if err := json.Unmarshal(text, m); err != nil {
		return fmt.Errorf("%s/package.json: %w", folder, err)
	}
	m.Version = r.version
	types, err := filepath.Glob(filepath.Join(folder, "*.d.ts"))
	if err != nil {
		return err
	}
	entries := []entry{{"LICENSE", 0o644, s.licence}}
	for _, file := range append(types, filepath.Join(folder, "README.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		entries = append(entries, entry{filepath.Base(file), 0o644, text})
	}
	return r.npm("vscode-api", m, entries)
}

// manifest returns what all packages have in common.
func (r *release) manifest(packageName, description string) *manifest {
	return &manifest{
		Name: packageName, Version: r.version, Description: description, License: "MIT",
		Homepage: address, Repository: map[string]string{"type": "git", "url": "git+" + address + ".git"},
	}
}

// npm writes a package as npm pack does: all files are below the directory package.
func (r *release) npm(file string, m *manifest, entries []entry) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	entries = append(entries, entry{"package.json", 0o644, append(text, '\n')})
	for i := range entries {
		entries[i].name = path.Join("package", entries[i].name)
	}
	data, err := tarGz(entries, r.date)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("npm/%s-%s-%s.tgz", name, r.version, file), data)
}
