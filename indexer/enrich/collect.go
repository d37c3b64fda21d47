package enrich

import (
	"slices"
	"strings"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The bounds of the exports and references of one file.
const (
	maxExports    = 1024
	maxReferences = 128
	maxMethods    = 64 // of a mixin, in Export.Brief
	maxTextBytes  = 2000
	minTextBytes  = 200
	textShare     = 4 // the mixins of a class add text of up to 1/4 of its size
	maxBriefBytes = 300
	maxPathBytes  = 1 << 10 // of a path in front of a name; more is hostile
)

// Collect returns the exports and references of a file, nil for none. The chunks are the
// result of [chunk.Split] for the outline and the same options. Only chunks with full
// context are enriched.
func Collect(o *languages.Outline, chunks []record.Chunk, opt chunk.Options) *record.CrossFile {
	if opt.TextOnly || opt.ContextMode != chunk.ContextFull && opt.ContextMode != "" {
		return nil
	}
	c := collector{o: o, chunks: chunks}
	for i := range o.Decls {
		if o.Decls[i].Role == "" {
			continue
		}
		if c.paths == nil {
			c.group()
		}
		if o.Decls[i].Role == languages.RoleMixin {
			c.mixin(i)
		} else {
			c.class(i)
		}
	}
	for i := range o.Tables {
		c.export(record.Export{Kind: record.ExportTable, Path: o.Tables[i].Model, Brief: brief(&o.Tables[i])})
	}
	if len(c.found.Exports)+len(c.found.References) == 0 {
		return nil
	}
	slices.SortStableFunc(c.found.References, func(a, b record.Reference) int { return a.Chunk - b.Chunk })
	found := c.found // a pointer into c would keep the outline
	return &found
}

// collector collects the exports and references of one file.
type collector struct {
	o      *languages.Outline
	chunks []record.Chunk
	found  record.CrossFile

	// By declaration; see group.
	paths      []string
	methods    map[int][]*languages.Decl
	directives map[int][]*languages.Directive
}

// group sets the paths, the methods and the directives of the declarations.
func (c *collector) group() {
	c.paths, c.methods, c.directives = make([]string, len(c.o.Decls)), map[int][]*languages.Decl{}, map[int][]*languages.Directive{}
	for i := range c.o.Decls {
		d := &c.o.Decls[i]
		c.paths[i] = c.path(d)
		if d.Kind == record.KindMethod {
			c.methods[d.Parent] = append(c.methods[d.Parent], d)
		}
	}
	for i := range c.o.Directives {
		d := &c.o.Directives[i]
		c.directives[d.Decl] = append(c.directives[d.Decl], d)
	}
}

// path returns the path of a declaration: the path of the one around it, the path that
// stands before its name in the text, and its name.
func (c *collector) path(d *languages.Decl) string {
	path := d.Name
	before := strings.TrimSpace(string(c.o.Content[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)]))
	if scope, ok := strings.CutSuffix(before, "::"); ok && len(scope) < maxPathBytes {
		scope = scope[strings.LastIndexAny(scope, " \t\n")+1:]
		path = strings.ReplaceAll(strings.TrimPrefix(scope, "::"), "::", ".") + "." + path
	}
	if d.Parent >= 0 && len(c.paths[d.Parent]) < maxPathBytes {
		path = c.paths[d.Parent] + "." + path
	}
	return path
}

// mixin exports a mixin: the associations that it declares for the classes that include it,
// the signatures of its methods, and its body.
func (c *collector) mixin(i int) {
	d := &c.o.Decls[i]
	var methods []string
	for _, v := range c.directives[i] {
		if v.Purpose == languages.PurposeAssociation && len(v.Args) > 0 && len(methods) < maxMethods {
			methods = append(methods, v.Name+" "+v.Args[0])
			c.association(v, c.paths[i])
		}
	}
	for _, m := range c.methods[i][:min(maxMethods, len(c.methods[i]))] {
		methods = append(methods, c.o.Signature(m))
	}
	e := record.Export{Kind: record.ExportMixin, Path: c.paths[i]}
	if len(methods) > 0 {
		e.Brief = "(" + chunk.JoinUpTo(methods, "; ", maxBriefBytes) + ")"
	}
	if d.Body.Start < d.Body.End {
		e.Text = upTo(string(c.o.Content[d.Body.Start:d.Body.End]), maxTextBytes)
	}
	if e.Brief != "" || e.Text != "" {
		c.export(e)
	}
}

// class exports the associations of a class, and refers to the mixins that it includes
// and, if it is a model, to its table and to the associations with it.
func (c *collector) class(i int) {
	d, path := &c.o.Decls[i], c.paths[i]
	head := c.chunkAt(d.Header.Start)
	associations := head
	nMixins := 0
	for _, v := range c.directives[i] {
		if len(v.Args) == 0 {
			continue
		}
		switch v.Purpose {
		case languages.PurposeMixin:
			nMixins += len(v.Args)
		case languages.PurposeAssociation:
			if associations == head {
				associations = c.chunkAt(v.Call.Start)
			}
			c.association(v, path)
		}
	}
	for _, v := range c.directives[i] {
		if v.Purpose != languages.PurposeMixin {
			continue
		}
		at := c.chunkAt(v.Call.Start)
		for _, mixin := range v.Args {
			r := record.Reference{Kind: record.ExportMixin, Path: mixin, From: path}
			c.refer(r, head)
			if at != head {
				r.TextBytes = min(max((d.Span.End-d.Span.Start)/textShare/nMixins, minTextBytes), maxTextBytes)
				c.refer(r, at)
			}
		}
	}
	if d.Role == languages.RoleModel {
		table := d.Table
		if table == "" {
			table = strings.ReplaceAll(path, ".", "")
		}
		c.refer(record.Reference{Kind: record.ExportTable, Path: table}, head)
		c.refer(record.Reference{Kind: record.ExportAssociation, Path: path}, associations)
	}
}

// association exports an association of the class or mixin at a path.
func (c *collector) association(v *languages.Directive, path string) {
	if v.Target != "" {
		c.export(record.Export{Kind: record.ExportAssociation, Path: v.Target, From: path, Brief: path + " " + v.Name + " " + v.Args[0]})
	}
}

// brief describes a table in one line.
func brief(t *languages.Table) string {
	s := t.Name + " (columns: " + chunk.JoinUpTo(t.Columns, ", ", maxBriefBytes)
	if len(t.Indexes) > 0 {
		s += "; indexes: " + chunk.JoinUpTo(t.Indexes, ", ", maxBriefBytes/2)
	}
	if len(t.ForeignKeys) > 0 {
		s += "; foreign keys: " + chunk.JoinUpTo(t.ForeignKeys, ", ", maxBriefBytes/2)
	}
	return s + ")"
}

func (c *collector) export(e record.Export) {
	if len(c.found.Exports) < maxExports {
		e.Brief = upTo(e.Brief, 2*maxBriefBytes)
		c.found.Exports = append(c.found.Exports, e)
	}
}

// refer adds a reference to a chunk, unless there is none.
func (c *collector) refer(r record.Reference, at int) {
	if at < 0 || len(c.found.References) == maxReferences {
		return
	}
	r.Chunk, r.Prefix, r.Suffix = at, len(c.chunks[at].Prefix), len(c.chunks[at].Suffix)
	c.found.References = append(c.found.References, r)
}

// chunkAt returns the chunk that covers an offset, -1 for none.
func (c *collector) chunkAt(offset int) int {
	return slices.IndexFunc(c.chunks, func(k record.Chunk) bool { return !k.IsSummary && k.Covers(offset) })
}

// upTo returns the first n bytes of s, without a part of a character at the end.
func upTo(s string, n int) string { return strings.ToValidUTF8(s[:min(n, len(s))], "") }
