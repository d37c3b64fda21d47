// Package setup writes the entries that make agents start ambit into the agents' own
// settings, and takes them back.
//
// An entry is inserted as text, so that everything else in the file stays as it is, byte
// for byte; taking it back cuts the same text out. A file that cannot be read as what it
// should be is left alone. Files are replaced whole, by a rename.
package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Environment is where the programs of agents and their settings lie.
type Environment struct {
	Home      string   // the user's home directory
	ConfigDir string   // of the user, as os.UserConfigDir
	Path      []string // the directories of programs
	Workspace string   // root of the project, for its instructions; "" for none
	Command   string   // that starts ambit
}

// Change is one file that setup writes.
type Change struct {
	Client string // the name of the client, "Claude Code"
	File   string // absolute path
	Before []byte // nil when there is no such file
	After  []byte // nil when the file is to be removed
	Added  string // the text that is added or taken out
	Err    error  // why the file is left alone; it names the next step
}

// Needed reports whether the file would change.
func (c *Change) Needed() bool { return c.Err == nil && !bytes.Equal(c.Before, c.After) }

// target is a file with an editor for it.
type target struct {
	client string
	file   string
	add    func(text []byte) (after []byte, added string, err error)
	remove func(text []byte) (after []byte, removed string, err error)
}

// Plan returns the changes that add the entries for the clients that are on the machine, or
// for those that only names; undo returns those that take the entries back from all.
func Plan(env Environment, only []string, undo bool) ([]Change, error) {
	var changes []Change
	for _, name := range only {
		if clientNamed(name) == nil {
			return nil, fmt.Errorf("there is no client %q; use one of %s", name, Names())
		}
	}
	for i := range clients {
		c := &clients[i]
		if chosen(c, only) && (undo || len(only) > 0 || c.installed(env)) {
			for _, t := range c.targets(env) {
				changes = append(changes, t.plan(undo))
			}
		}
	}
	if env.Workspace != "" && len(only) == 0 {
		for _, t := range instructionFiles(env) {
			changes = append(changes, t.plan(undo))
		}
	}
	return changes, nil
}

// Entry returns the files of a client with what they get, for a person to add by hand.
func Entry(env Environment, name string) (string, error) {
	c := clientNamed(name)
	if c == nil {
		return "", fmt.Errorf("there is no client %q; use one of %s", name, Names())
	}
	var t strings.Builder
	for _, target := range c.targets(env) {
		text, _, err := target.add(nil)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&t, "%s:\n%s", target.file, text)
	}
	return t.String(), nil
}

// plan returns the change of one file.
func (t *target) plan(undo bool) Change {
	c := Change{Client: t.client, File: t.file}
	before, err := os.ReadFile(t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		before = nil
	case err != nil:
		c.Err = fmt.Errorf("%w; make it readable, or add the entry by hand (--print)", err)
		return c
	}
	c.Before = before
	edit := t.add
	if undo {
		edit = t.remove
		if before == nil {
			return c
		}
	}
	if c.After, c.Added, err = edit(before); err != nil {
		c.Err, c.After = fmt.Errorf("%s: %w; it is left alone, add the entry by hand (--print)", t.file, err), before
	}
	if undo && len(bytes.TrimSpace(c.After)) == 0 && c.Err == nil {
		c.After = nil // it had nothing else
	}
	return c
}

// Apply writes a change. A file that has changed since the plan is left alone.
func (c *Change) Apply() error {
	now, err := os.ReadFile(c.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%s has just changed; run ambit setup again", c.File)
	}
	if c.After == nil {
		return os.Remove(c.File)
	}
	file := c.File
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // a link stays a link
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(file, c.After, mode)
}

// replace writes a file beside another and renames it onto that one.
func replace(file string, text []byte, mode fs.FileMode) (err error) {
	next, err := os.CreateTemp(filepath.Dir(file), ".ambit-setup-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(next.Name()))
		}
	}()
	_, err = next.Write(text)
	if err = errors.Join(err, next.Chmod(mode), next.Sync(), next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), file)
}
