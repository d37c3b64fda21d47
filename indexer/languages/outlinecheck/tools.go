package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

//go:embed parsers
var parsers embed.FS

// tools are the parsers, with their scripts in a directory.
type tools struct{ dir string }

// unpack writes the scripts into a new directory.
func unpack() (tools, error) {
	dir, err := os.MkdirTemp("", "outlinecheck")
	if err != nil {
		return tools{}, err
	}
	return tools{dir}, os.CopyFS(dir, parsers)
}

// facts is what a parser says of a file.
type facts struct {
	decls    []decl
	inner    map[decl]bool // inside of functions and blocks
	skips    [][2]int      // lines that it does not know, first and last
	rejected string        // why it does not accept the file; "" if it does
}

// parse runs the parser of a language. It returns nil when there is none.
func (t tools) parse(l language, files []source) (map[string]*facts, error) {
	if l.name == "go" {
		return parseGo(files)
	}
	if l.parser == nil {
		return nil, nil
	}
	program := l.parser[0]
	if program == python {
		program = cmp.Or(os.Getenv("PYTHON"), python)
	}
	out, err := output(exec.Command(program, filepath.Join(t.dir, "parsers", l.parser[1])), files)
	if err != nil {
		return nil, err
	}
	found := map[string]*facts{}
	for _, f := range files {
		found[f.path] = &facts{inner: map[decl]bool{}}
	}
	for line := range strings.Lines(string(out)) {
		field := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		if len(field) != 4 || found[field[0]] == nil {
			return nil, fmt.Errorf("the parser printed %q", line)
		}
		f := found[field[0]]
		n, err := strconv.Atoi(field[2])
		if err != nil {
			return nil, fmt.Errorf("the parser printed %q", line)
		}
		switch field[1] {
		case "rejected":
			f.rejected = field[3]
		case "skip":
			last, _ := strconv.Atoi(field[3])
			f.skips = append(f.skips, [2]int{n, last})
		default:
			group, inner := strings.CutPrefix(field[1], "+")
			if d := (decl{group, plain(field[3]), n}); inner {
				f.inner[d] = true
			} else {
				f.decls = append(f.decls, d)
			}
		}
	}
	return found, nil
}

// ctags runs Universal ctags.
func ctags(l language, files []source) (map[string][]decl, error) {
	cmd := exec.Command("ctags", "--output-format=json", "--fields=+nKsZ", "--language-force="+l.ctags, "--kinds-C=+px", "--kinds-C++=+px", "-f", "-", "-L", "-")
	out, err := output(cmd, files)
	if err != nil {
		return nil, err
	}
	found := map[string][]decl{}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var tag struct {
			Path, Name, Kind, ScopeKind string
			Line                        int
		}
		switch err := dec.Decode(&tag); {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, fmt.Errorf("read the output of ctags: %w", err)
		}
		group := l.kinds[tag.Kind]
		around := l.kinds[tag.ScopeKind]
		if group == "" || around == "function" || around == "value" || !strings.ContainsFunc(tag.Name, unicode.IsLetter) || strings.HasPrefix(tag.Name, "<") || strings.HasPrefix(tag.Name, "__anon") || strings.HasPrefix(tag.Name, "anonymous") {
			continue
		}
		found[tag.Path] = append(found[tag.Path], decl{group, plain(tag.Name), tag.Line})
	}
}

// output runs a command with the paths of the files on its input.
func output(cmd *exec.Cmd, files []source) ([]byte, error) {
	var in strings.Builder
	for _, f := range files {
		in.WriteString(f.path + "\n")
	}
	cmd.Stdin = strings.NewReader(in.String())
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(problems.String()), "\n")
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lines[len(lines)-1])
	}
	return out, nil
}

// knows reports whether a parser knows the line.
func (f *facts) knows(line int) bool {
	return !slices.ContainsFunc(f.skips, func(s [2]int) bool { return s[0] <= line && line <= s[1] })
}
