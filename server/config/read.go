package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

const (
	// maxFileBytes and maxNesting are far above the needs of settings. The TOML module takes
	// time in the square of the depth of a key, at most 0.2 s within these bounds.
	maxFileBytes = 16 << 10
	maxNesting   = 500 // dots in a line, braces in a file
	// maxClientBytes bounds JSON, whose decoder takes linear time.
	maxClientBytes = 1 << 20
)

// addFile adds a TOML file.
func (l *loader) addFile(path string, r rank) {
	fail := func(line int, reason string) {
		l.errors = append(l.errors, Problem{Source: path, Line: line, Reason: reason})
	}
	data, err := readFile(path, r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		fail(0, err.Error())
		return
	}
	entries, err := parseTOML(data)
	if err != nil {
		line, reason := 0, err.Error()
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			line, reason = syntax.Position.Line, syntax.Message
		}
		fail(line, "not settings in TOML: "+oneLine(reason))
		return
	}
	l.add(r, path, entries)
}

// readFile reads a small regular file. In a workspace the file must not be a link, which
// could lead out of the workspace.
func readFile(path string, r rank) ([]byte, error) {
	stat := os.Stat
	if r == workspace {
		stat = os.Lstat
	}
	info, err := stat(path)
	if err != nil {
		return nil, cause(err)
	}
	if !info.Mode().IsRegular() { // a pipe would block
		return nil, errors.New("not a regular file; replace or remove it")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("larger than %d bytes; shorten it", maxFileBytes)
	}
	return data, nil
}

// cause returns an error without the path, which a [Problem] has.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// parseTOML returns the settings of a file in the order of its lines.
func parseTOML(data []byte) ([]entry, error) {
	for line := range bytes.Lines(data) {
		if bytes.Count(line, []byte{'.'}) > maxNesting {
			return nil, fmt.Errorf("more than %d dots in a line", maxNesting)
		}
	}
	if bytes.Count(data, []byte{'{'}) > maxNesting {
		return nil, fmt.Errorf("more than %d inline tables", maxNesting)
	}
	var settings map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &settings)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(settings))
	for name, p := range settings {
		e := entry{name: name}
		var at toml.ParseError
		if err := meta.PrimitiveDecode(p, &located{&e.value}); errors.As(err, &at) {
			e.line = at.Position.Line
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.line-b.line, strings.Compare(a.name, b.name)) })
	return entries, nil
}

// located takes a TOML value and returns an error, because only the errors of the module
// have the line of a value.
type located struct{ value *any }

var errLocated = errors.New("located")

// UnmarshalTOML implements [toml.Unmarshaler].
func (l *located) UnmarshalTOML(value any) error {
	*l.value = value
	return errLocated
}

// clientSource names the client in a [Problem].
const clientSource = "client settings"

// addClient adds a JSON object. A null, alone or as a value, is no setting.
func (l *loader) addClient(data []byte) {
	entries, err := parseJSON(data)
	if err != nil {
		l.errors = append(l.errors, Problem{Source: clientSource, Reason: err.Error()})
		return
	}
	l.add(client, clientSource, entries)
}

// parseJSON returns the settings of an object by name.
func parseJSON(data []byte) ([]entry, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	if len(data) > maxClientBytes {
		return nil, fmt.Errorf("larger than %d bytes; shorten them", maxClientBytes)
	}
	var settings map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err := d.Decode(&settings)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		return nil, errors.New("not a JSON object: " + oneLine(err.Error()))
	}
	entries := make([]entry, 0, len(settings))
	for name, value := range settings {
		if value != nil {
			entries = append(entries, entry{name: name, value: jsonValue(value)})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

// jsonValue returns a value with the type that it has in TOML.
func jsonValue(value any) any {
	n, ok := value.(json.Number)
	if !ok {
		return value
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return value
	}
	return f
}
