package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
)

// entryName is the name of ambit among the servers of a client.
const entryName = "ambit"

// quoted returns a string as JSON writes it.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string has a form in JSON
	}
	return string(b)
}

// server is a target that has ambit's entry in the object of servers of a file in JSON,
// perhaps with comments.
func server(client, file string, servers []string, entry string) target {
	return target{
		client: client, file: file,
		add:    func(text []byte) ([]byte, string, error) { return addMember(text, servers[0], entry) },
		remove: func(text []byte) ([]byte, string, error) { return removeMember(text, servers[0], entry) },
	}
}

// errForm is the error of a file whose servers are not an object.
var errForm = errors.New("it does not have the form that is expected")

// object is an object in a text.
type object struct {
	open    int  // offset behind its "{"
	members bool // it has some
	value   *hujson.Object
}

// objects parses a text and returns its root, and the object of servers in it, nil when it is
// missing.
func objects(text []byte, servers string) (root, inner *object, err error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("it is not JSON: %w", err)
	}
	top, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, nil, errForm
	}
	root = &object{v.StartOffset + 1, len(top.Members) > 0, top}
	for i := range top.Members {
		m := &top.Members[i]
		if name, ok := m.Name.Value.(hujson.Literal); !ok || name.String() != servers {
			continue
		}
		o, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return nil, nil, errForm
		}
		inner = &object{m.Value.StartOffset + 1, len(o.Members) > 0, o}
	}
	return root, inner, nil
}

// has reports whether an object has ambit's entry.
func (o *object) has() bool {
	for i := range o.value.Members {
		if name, ok := o.value.Members[i].Name.Value.(hujson.Literal); ok && name.String() == entryName {
			return true
		}
	}
	return false
}

// indentOf matches the indentation of the first member of an object.
var indentOf = regexp.MustCompile(`(?m)^([ \t]+)"`)

// addMember adds ambit's entry to the object of servers, which it makes if need be.
func addMember(text []byte, servers, entry string) (after []byte, added string, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{ " + quoted(servers) + ": {\n  \"ambit\": " + entry + "\n} }\n"), entry, nil
	}
	root, inner, err := objects(text, servers)
	switch {
	case err != nil:
		return nil, "", err
	case inner != nil && inner.has():
		return text, "", nil
	case inner != nil:
		return insert(text, inner, memberText(text, entry, inner.members)), entry, nil
	}
	whole := sectionText(text, servers, entry, root.members)
	return insert(text, root, whole), entry, nil
}

// memberText is the text that addMember inserts into an object of servers.
func memberText(text []byte, entry string, more bool) string {
	if !more { // one line, which tells it from an object that addMember made
		return " " + quoted(entryName) + ": " + entry + " "
	}
	indent := indentIn(text)
	return "\n" + indent + indent + quoted(entryName) + ": " + entry + ","
}

// sectionText is the text of an object of servers with ambit's entry.
func sectionText(text []byte, servers, entry string, more bool) string {
	indent := indentIn(text)
	section := "\n" + indent + quoted(servers) + ": {\n" + indent + indent + quoted(entryName) + ": " + entry + "\n" + indent + "}"
	if more {
		return section + ","
	}
	return section + "\n"
}

// indentIn returns the indentation of the first member in a text.
func indentIn(text []byte) string {
	if m := indentOf.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "  "
}

// insert puts text behind the "{" of an object.
func insert(text []byte, o *object, added string) []byte {
	return append(append(bytes.Clone(text[:o.open]), added...), text[o.open:]...)
}

// removeMember undoes addMember: it cuts out exactly what addMember inserted, or else the
// entry alone, when the user has moved or changed it.
func removeMember(text []byte, servers, entry string) (after []byte, removed string, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, "", nil
	}
	if made, _, err := addMember(nil, servers, entry); err == nil && bytes.Equal(text, made) {
		return nil, entry, nil
	}
	root, inner, err := objects(text, servers)
	switch {
	case err != nil:
		return nil, "", err
	case inner == nil || !inner.has():
		return text, "", nil
	}
	for _, try := range []struct {
		o     *object
		added func(rest []byte) string
	}{
		{root, func(rest []byte) string { return sectionText(rest, servers, entry, true) }},
		{root, func(rest []byte) string { return sectionText(rest, servers, entry, false) }},
		{inner, func(rest []byte) string { return memberText(rest, entry, true) }},
		{inner, func(rest []byte) string { return memberText(rest, entry, false) }},
	} {
		// The indentation is that of the text before the insertion or of the default.
		for _, sample := range [][]byte{text, nil} {
			added := []byte(try.added(sample))
			if !bytes.HasPrefix(text[try.o.open:], added) {
				continue
			}
			rest := append(bytes.Clone(text[:try.o.open]), text[try.o.open+len(added):]...)
			if again, _, err := addMember(rest, servers, entry); err == nil && bytes.Equal(again, text) {
				return rest, entry, nil
			}
		}
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, "", err
	}
	patch := fmt.Sprintf(`[{"op":"remove","path":%s}]`, quoted("/"+servers+"/"+entryName))
	if err := v.Patch([]byte(patch)); err != nil {
		return nil, "", err
	}
	return v.Pack(), entry, nil
}

// The marks around what ambit adds to a file of another form.
const (
	tomlBegin = "# ambit: begin\n"
	tomlEnd   = "# ambit: end\n"
	textBegin = "<!-- ambit: begin -->\n"
	textEnd   = "<!-- ambit: end -->\n"
)

// inlineServers matches servers that are an inline table.
var inlineServers = regexp.MustCompile(`(?m)^[ \t]*mcp_servers[ \t]*=`)

// codexServer is the target of Codex, which has its settings in TOML.
func codexServer(env Environment) target {
	body := "[mcp_servers.ambit]\ncommand = " + quoted(env.Command) + "\nargs = [\"mcp\"]\n"
	t := marked("Codex", inHome(env, ".codex/config.toml"), tomlBegin, body, tomlEnd)
	add := t.add
	t.add = func(text []byte) ([]byte, string, error) {
		var settings map[string]any
		if err := toml.Unmarshal(text, &settings); err != nil {
			return nil, "", fmt.Errorf("it is not TOML: %w", err)
		}
		if servers, ok := settings["mcp_servers"].(map[string]any); ok && servers[entryName] != nil {
			return text, "", nil
		}
		if inlineServers.Match(text) {
			return nil, "", errForm // no table can be added to them
		}
		return add(text)
	}
	return t
}

// marked is a target that has a body between marks at its end.
func marked(client, file, begin, body, end string) target {
	block := begin + body + end
	return target{
		client: client, file: file,
		add: func(text []byte) ([]byte, string, error) {
			if bytes.Contains(text, []byte(begin)) {
				return renewed(text, begin, block, end)
			}
			if len(text) == 0 {
				return []byte(block), body, nil
			}
			return append(bytes.Clone(text), "\n"+block...), body, nil
		},
		remove: func(text []byte) ([]byte, string, error) {
			start, stop, err := between(text, begin, end)
			if start < 0 || err != nil {
				return text, "", err
			}
			if start > 0 && text[start-1] == '\n' {
				start-- // the blank line that add put before
			}
			return append(bytes.Clone(text[:start]), text[stop:]...), body, nil
		},
	}
}

// renewed replaces what stands between the marks.
func renewed(text []byte, begin, block, end string) ([]byte, string, error) {
	start, stop, err := between(text, begin, end)
	if err != nil || string(text[start:stop]) == block {
		return text, "", err
	}
	return append(append(bytes.Clone(text[:start]), block...), text[stop:]...), block, nil
}

// between returns where a block with its marks stands; start is -1 when it does not.
func between(text []byte, begin, end string) (start, stop int, err error) {
	if start = bytes.Index(text, []byte(begin)); start < 0 {
		return -1, 0, nil
	}
	n := bytes.Index(text[start:], []byte(end))
	if n < 0 {
		return -1, 0, fmt.Errorf("the mark %q has no end", strings.TrimSpace(begin))
	}
	return start, start + n + len(end), nil
}

// whole is a target that is a file of ambit's own.
func whole(client, file, body string) target {
	return target{
		client: client, file: file,
		add: func(text []byte) ([]byte, string, error) {
			if string(text) == body {
				return text, "", nil
			}
			if len(text) > 0 && !bytes.HasPrefix(text, []byte("---\nname: ambit\n")) {
				return nil, "", errForm
			}
			return []byte(body), body, nil
		},
		remove: func(text []byte) ([]byte, string, error) {
			if string(text) != body {
				return text, "", nil // the user has changed it
			}
			return nil, body, nil
		},
	}
}

// section is what agents read in the instructions of a project.
const section = `## Finding code

This project is indexed by ambit. Before you read or edit code, call its tool ` + "`context`" + ` with a symbol, a
path and line, or the whole text of the issue: it returns the code that belongs with it, within a budget.
` + "`search`" + ` finds places by words, ` + "`read`" + ` has the whole text of a unit, ` + "`impact`" + ` lists what a change touches.
Without the tools: ` + "`ambit context --symbol NAME`, `ambit search -- WORDS`, `ambit impact NAME`" + `.
Tell this to your subagents, too.
`

// skill is the file of a skill, which reaches subagents as well.
const skill = `---
name: ambit
description: Find the code that belongs with a symbol, a place, a question or an issue, in place of many greps and reads. Use before editing or explaining code.
---

Call the MCP tool ` + "`context`" + ` of ambit with a symbol, a path and line, or a question; a pasted issue or stack trace is a question.
` + "`search`" + ` finds places by words. ` + "`read`" + ` has the whole text of a unit that ` + "`context`" + ` reduced. ` + "`impact`" + ` lists what a change touches.
Without the tools: ` + "`ambit context --symbol NAME`, `ambit context --query TEXT`, `ambit search -- WORDS`, `ambit read NAME`, `ambit impact NAME`" + `.
`

// instructionFiles are the targets of the project's own instructions for agents: those of
// its files that exist, one of two that are the same.
func instructionFiles(env Environment) (all []target) {
	seen := map[string]bool{}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		file := filepath.Join(env.Workspace, name)
		if real, err := filepath.EvalSymlinks(file); err == nil && !seen[real] {
			seen[real] = true
			all = append(all, marked("instructions of the project", file, textBegin, section, textEnd))
		}
	}
	return all
}
