package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/location"
	"ambit/vectors/record"
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
	err := json.Unmarshal(params, &p)
	if err == nil && p.TextDocument.URI == "" {
		err = errors.New("textDocument: give its uri")
	}
	return p.TextDocument, err
}

// didOpen adds an open document. It ignores schemes other than file and untitled.
func (s *server) didOpen(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	if d.Text == nil {
		return errors.New("textDocument: give its text")
	}
	file, isFile := location.File(d.URI)
	if !isFile && location.Scheme(d.URI) != untitledScheme {
		return nil
	}
	if err := s.roomFor(d.URI, *d.Text); err != nil {
		return err
	}
	f, path := s.assign(d.URI, file)
	s.setDocument(&document{d.URI, file, f, &api.Document{Path: path, Language: d.LanguageID, Version: d.Version, Text: *d.Text}})
	return nil
}

// didChange edits a document. An invalid change leaves the document unchanged.
func (s *server) didChange(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	old, ok := s.view.docs[d.URI]
	if !ok {
		if _, isFile := location.File(d.URI); !isFile {
			return nil
		}
		return fmt.Errorf("%s is not open", d.URI)
	}
	var p struct{ ContentChanges []json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	changes := make([]location.Change, len(p.ContentChanges))
	for i, raw := range p.ContentChanges {
		if changes[i], err = readChange(raw); err != nil {
			return fmt.Errorf("%s: %w", d.URI, err)
		}
	}
	next := *old.Document
	next.Version = d.Version
	if next.Text, err = location.Edit(old.Text, changes, s.client.encoding); err != nil {
		return fmt.Errorf("%s: %w", d.URI, err)
	}
	if err := s.roomFor(d.URI, next.Text); err != nil {
		s.dropDocument(old)
		return err
	}
	s.setDocument(&document{old.uri, old.file, old.folder, &next})
	return nil
}

// roomFor returns an error when a document with this text would exceed the bounds of the
// open documents.
func (s *server) roomFor(uri, text string) error {
	known, bytes := 0, s.docBytes+len(text)
	if old := s.view.docs[uri]; old != nil {
		known, bytes = 1, bytes-len(old.Text)
	}
	switch {
	case len(s.view.docs)-known >= maxDocuments:
		return fmt.Errorf("%s: %d documents are open; ambit uses the file on disk", uri, maxDocuments)
	case bytes > maxDocumentBytes:
		return fmt.Errorf("%s: the open documents would have more than %d MB; ambit uses the file on disk", uri, maxDocumentBytes>>20)
	}
	return nil
}

// didClose removes an open document: the file on disk replaces it.
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
	s.dropDocument(old)
	return nil
}

// dropDocument forgets an open document.
func (s *server) dropDocument(old *document) {
	s.view.docs = maps.Clone(s.view.docs)
	delete(s.view.docs, old.uri)
	s.docBytes -= len(old.Text)
	if w := old.folder.ready(); w != nil {
		w.CloseDocument(old.Path)
	}
	s.changed()
}

// didSave reports that a file has changed on disk.
func (s *server) didSave(params json.RawMessage) error {
	d, err := readDocument(params)
	if err != nil {
		return err
	}
	if file, ok := location.File(d.URI); ok {
		s.filesChanged(file)
	}
	return nil
}

// setDocument replaces the document with the same URI.
func (s *server) setDocument(d *document) {
	docs := make(map[string]*document, len(s.view.docs)+1)
	maps.Copy(docs, s.view.docs)
	if old := docs[d.uri]; old != nil {
		s.docBytes -= len(old.Text)
	}
	docs[d.uri] = d
	s.docBytes += len(d.Text)
	s.view.docs = docs
	s.changed()
	if w := d.folder.ready(); w != nil {
		w.SetDocument(d.Document)
	}
}

// didChangeWatchedFiles reports that files have changed on disk.
func (s *server) didChangeWatchedFiles(params json.RawMessage) error {
	var p struct{ Changes []struct{ URI string } }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	var files []string
	for _, c := range p.Changes {
		if file, ok := location.File(c.URI); ok {
			files = append(files, file)
		}
	}
	s.filesChanged(files...)
	return nil
}

// filesChanged reports to each folder its files that may have changed.
func (s *server) filesChanged(files ...string) {
	changed := map[*folder][]record.Path{}
	settings := false
	for _, file := range files {
		if f, path := s.view.folderOf(file); f != nil {
			changed[f] = append(changed[f], path)
			settings = settings || path == config.WorkspaceFile
		}
		settings = settings || file == filepath.Clean(s.opts.UserFile)
	}
	for f, paths := range changed {
		if w := f.ready(); w != nil {
			w.Changed(paths)
		}
	}
	if settings {
		s.applySettings()
	}
}
