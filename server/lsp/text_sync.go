package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"ambit/server/config"
)

// documentItem is a document as the client names it.
type documentItem struct {
	URI        string  `json:"uri"`
	LanguageID string  `json:"languageId"`
	Version    int32   `json:"version"`
	Text       *string `json:"text"`
}

// readDocument reads the textDocument of a notification.
func readDocument(params json.RawMessage) (documentItem, error) {
	var p struct{ TextDocument documentItem }
	if err := json.Unmarshal(params, &p); err != nil {
		return p.TextDocument, err
	}
	if p.TextDocument.URI == "" {
		return p.TextDocument, errors.New("textDocument: give its uri")
	}
	return p.TextDocument, nil
}

// didOpen takes a document over. Those of other schemes than file and untitled are
// left alone: they are not the workspace's.
func (s *server) didOpen(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	if d.Text == nil {
		return errors.New("textDocument: give its text")
	}
	path, isFile := filePath(d.URI)
	if !isFile && scheme(d.URI) != untitledScheme {
		return nil
	}
	f, name := s.home(d.URI, path)
	s.setDocument(&document{d.URI, path, f, &Buffer{name, d.LanguageID, d.Version, []byte(*d.Text)}})
	return nil
}

// didChange edits a document. A change that is not valid leaves it as it was.
func (s *server) didChange(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	old, ok := s.view.docs[d.URI]
	if !ok {
		if _, isFile := filePath(d.URI); !isFile {
			return nil
		}
		return fmt.Errorf("%s is not open", d.URI)
	}
	var p struct{ ContentChanges []json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	changes := make([]change, len(p.ContentChanges))
	for i, raw := range p.ContentChanges {
		if changes[i], err = readChange(raw); err != nil {
			return fmt.Errorf("%s: %w", d.URI, err)
		}
	}
	text, err := edited(old.buffer.Text, changes, s.client.encoding)
	if err != nil {
		return fmt.Errorf("%s: %w", d.URI, err)
	}
	next, buffer := *old, *old.buffer
	buffer.Version, buffer.Text = d.Version, text
	next.buffer = &buffer
	s.setDocument(&next)
	return nil
}

// didClose gives a document back: what is on disk counts again.
func (s *server) didClose(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	old, ok := s.view.docs[d.URI]
	if !ok {
		s.forgetShown(d.URI)
		return nil
	}
	s.view.docs = maps.Clone(s.view.docs)
	delete(s.view.docs, d.URI)
	if w := old.folder.ready(); w != nil {
		w.CloseBuffer(old.buffer.Path)
	}
	s.moved()
	return nil
}

// didSave says that a file has changed on disk.
func (s *server) didSave(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	if path, ok := filePath(d.URI); ok {
		s.filesChanged(path)
	}
	return nil
}

// setDocument puts a document in the place of the one with its URI.
func (s *server) setDocument(d *document) {
	docs := make(map[string]*document, len(s.view.docs)+1)
	maps.Copy(docs, s.view.docs)
	docs[d.uri] = d
	s.view.docs = docs
	s.moved()
	if w := d.folder.ready(); w != nil {
		w.SetBuffer(d.buffer)
	}
}

// didChangeWatchedFiles says which files have changed on disk.
func (s *server) didChangeWatchedFiles(params json.RawMessage) error {
	var p struct{ Changes []struct{ URI string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	var paths []string
	for _, c := range p.Changes {
		if path, ok := filePath(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.filesChanged(paths...)
	return nil
}

// filesChanged tells each folder which of its files may have changed.
func (s *server) filesChanged(paths ...string) {
	changed := map[*folder][]string{}
	settings := false
	for _, path := range paths {
		if f, rel := s.view.folderOf(path); f != nil {
			changed[f] = append(changed[f], rel)
			settings = settings || rel == config.WorkspaceFile
		}
		settings = settings || path == filepath.Clean(s.opts.UserFile)
	}
	for f, rels := range changed {
		if w := f.ready(); w != nil {
			w.Changed(rels)
		}
	}
	if settings {
		s.applySettings()
	}
}
