package lsp

import (
	"cmp"
	"slices"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/location"
	"ambit/vectors/record"
)

// find returns the folder of a document, and sets the path and the open text of the
// document for the folder's workspace.
func (v *view) find(d *api.TextDocument) (*folder, error) {
	if d == nil {
		return nil, &api.FieldError{Field: "textDocument", Reason: "give it"}
	}
	if location.Scheme(d.URI) == "" {
		return nil, &api.FieldError{Field: "textDocument.uri", Reason: "use the URI of a document"}
	}
	open, ok := v.docs[d.URI]
	file, isFile := location.File(d.URI)
	if !ok && isFile {
		for _, other := range v.docs { // open under another spelling
			if other.file == file {
				open, ok = other, true
			}
		}
	}
	switch {
	case ok:
		d.Path, d.Document = open.Path, open.Document
		return open.folder, nil
	case !isFile:
		return nil, failed("%s is not open; ambit reads files and untitled documents", d.URI)
	}
	f, path := v.folderOf(file)
	if f == nil {
		return nil, failed("%s is in no folder that is open and of no package that one depends on; open it, or its folder", file)
	}
	d.Path, d.Document = path, nil
	return f, nil
}

// findOutside returns a question about a document outside of all folders for each folder that may
// depend on it: first that of the latest question, from which a definition may have led there.
func (s *server) findOutside(r *request, q *api.Question) []asked {
	if q.TextDocument == nil {
		return nil
	}
	name, ok := location.File(q.TextDocument.URI)
	if !ok {
		name, ok = location.Archived(q.TextDocument.URI)
	}
	if !ok {
		return nil
	}
	outside := *q
	outside.TextDocument = &api.TextDocument{URI: q.TextDocument.URI, Outside: name}
	last, all := s.latest(), []asked(nil)
	for _, f := range r.view.folders {
		if last != nil && f == last.folder {
			all = slices.Insert(all, 0, asked{f, outside})
		} else {
			all = append(all, asked{f, outside})
		}
	}
	return all
}

// findPlace is find for the document of a place, whose position counts in the client's
// encoding.
func (r *request) findPlace(p *api.Place) (*folder, error) {
	p.PositionEncoding, p.Strict = r.s.client.encoding, false
	return r.view.find(&p.TextDocument)
}

// findFolders returns the folders to ask: the one with a URI, else that of a document,
// else all, or the fallback of a client without folders.
func (r *request) findFolders(uri string, d *api.TextDocument) ([]*folder, error) {
	switch {
	case uri != "":
		root, _ := location.File(uri)
		for _, f := range r.view.folders {
			if f.uri == uri || f.root == root {
				return []*folder{f}, nil
			}
		}
		return nil, &api.FieldError{Field: "folder", Reason: uri + " is not open"}
	case d != nil:
		f, err := r.view.find(d)
		return []*folder{f}, err
	case len(r.view.folders) > 0:
		return r.view.folders, nil
	case r.view.fallback != nil:
		return []*folder{r.view.fallback}, nil
	}
	return nil, failed("no folder is open; open one")
}

// withSettings returns q with the settings in place of absent fields.
func withSettings(q api.Question, set *config.Settings) api.Question {
	if q.Budget == 0 {
		q.Budget, q.DocumentsBudget = set.Budget, cmp.Or(q.DocumentsBudget, set.DocumentsBudget)
	}
	q.DocumentsBudget = cmp.Or(q.DocumentsBudget, q.Budget)
	q.Format = cmp.Or(q.Format, api.Format(set.Format), api.Plain)
	q.Encoding = cmp.Or(q.Encoding, set.Encoding)
	return q
}

// renamer returns a function that replaces the URI of a file of a folder by the client's
// own spelling: that of an open document, or one below the folder as the client names it.
func (v *view) renamer(f *folder) func(path record.Path, uri *string) {
	open := map[record.Path]string{}
	for uri, d := range v.docs {
		if d.folder == f {
			open[d.Path] = uri
		}
	}
	return func(path record.Path, uri *string) {
		if known, ok := open[path]; ok {
			*uri = known
		} else if f.root != "" {
			*uri = location.URI(f.root, path)
		}
	}
}

// renameLinks replaces the URIs of links.
func (v *view) renameLinks(f *folder, links []api.Link) {
	rename := v.renamer(f)
	for i := range links {
		rename(links[i].Path, &links[i].URI)
	}
}

// renameMatches replaces the URIs of matches.
func (v *view) renameMatches(f *folder, matches []api.Match) {
	rename := v.renamer(f)
	for i := range matches {
		if m := &matches[i]; m.Package == "" { // the others lie outside of the folder
			rename(m.Path, &m.URI)
		}
	}
}
