package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/third-party.md")

// docs/third-party.md lists the licences of the modules that are linked into ambit.
func TestTheThirdPartyLicencesAreThoseOfTheModules(t *testing.T) {
	const page = "../../../docs/third-party.md"
	want := thirdParty(t)
	if *update {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date; go generate ./server/cmd/ambit writes it (-want +got):\n%s", page, diff)
	}
}

// thirdParty returns the page: each module with its licence, and each text once.
func thirdParty(t *testing.T) []byte {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	lines = append(lines, "rules of github.com/gitleaks/gitleaks\tb58d3f1\t../../../indexer/redact/gitleaks")
	slices.Sort(lines)
	modules := map[string][]string{} // by licence
	var texts []string
	for _, line := range slices.Compact(lines) {
		if line == "" {
			continue
		}
		field := strings.Split(line, "\t")
		text := licence(t, field[2])
		if modules[text] == nil {
			texts = append(texts, text)
		}
		modules[text] = append(modules[text], "`"+field[0]+"` "+field[1])
	}
	var page bytes.Buffer
	page.WriteString("# Third-party licences\n\nThese Go modules are linked into `ambit`, and these rules for secrets are compiled into it. A test generates this page from `go.mod` and refuses a difference.\n")
	for _, text := range texts {
		page.WriteString("\n## " + strings.Join(modules[text], ", ") + "\n\n```text\n" + text + "\n```\n")
	}
	return page.Bytes()
}

// licence returns the licence of the module in a directory.
func licence(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.IsDir() && (strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING")) {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for line := range strings.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")) {
				lines = append(lines, strings.TrimRight(line, " \t\n"))
			}
			return strings.Trim(strings.Join(lines, "\n"), "\n")
		}
	}
	t.Fatalf("%s has no licence", dir)
	return ""
}
