package graph_test

import (
	"context"
	"testing"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// recordsOf reads the graphs of some files.
type recordsOf map[record.Path]record.FileRecord

func (r recordsOf) Graph(_ context.Context, p record.Path) (record.FileGraph, error) {
	return r[p].Graph, nil
}

func (r recordsOf) GraphTo(ctx context.Context, p record.Path, _ string) (record.FileGraph, error) {
	return r.Graph(ctx, p)
}

// A lead says which file an import means that no rule of the language finds.
func TestALeadTakesAnImportToItsFile(t *testing.T) {
	all := recordsOf{}
	for p, text := range map[record.Path]string{
		"src/a.ts":                     "import { parse } from \"schemas\";\nexport function run() { return parse(); }\n",
		"node_modules/schemas/v4.d.ts": "export declare function parse(): void;\n",
	} {
		o := languages.Parse(p, []byte(text))
		all[p] = record.FileRecord{File: record.File{Path: p, Language: o.Language}, Graph: graph.Extract(&o)}
	}
	view := new(graph.View).Apply(&record.Batch{Files: []record.FileRecord{all["src/a.ts"]}})
	outside := all["node_modules/schemas/v4.d.ts"]
	for _, tt := range []struct {
		name  string
		leads map[graph.Lead]record.Path
		want  bool
	}{
		{"with the lead", map[graph.Lead]record.Path{{From: "src/a.ts", Module: "schemas"}: outside.File.Path}, true},
		{"of another file", map[graph.Lead]record.Path{{From: "src/b.ts", Module: "schemas"}: outside.File.Path}, false},
		{"to a file that is not there", map[graph.Lead]record.Path{{From: "src/a.ts", Module: "schemas"}: "node_modules/gone.d.ts"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := view.WithOutside(tt.leads, outside).Query(t.Context(), all)
			g := q.Graph("src/a.ts")
			got := 0.0
			for i := range g.Edges {
				if e := &g.Edges[i]; e.Kind == record.EdgeCalls && e.Name == "parse" {
					for _, target := range q.Resolve(g, e) {
						got = max(got, target.Probability)
					}
				}
			}
			if (got == 1) != tt.want {
				t.Errorf("the call of parse is resolved with probability %v, want it to be certain: %v", got, tt.want)
			}
		})
	}
}

// <cstring> has memcpy in the name space std by a using declaration: the headers that it includes
// declare it at their top. A header of the workspace does not.
func TestANameOfStdIsAtTheTopOfAHeaderOutside(t *testing.T) {
	all := recordsOf{}
	for p, text := range map[record.Path]string{
		"a.cc":                            "#include <cstring>\n#include \"own.h\"\nvoid f() { std::memcpy(0, 0, 0); std::own(); }\n",
		"own.h":                           "void own();\n",
		"include/usr/include/cstring.hpp": "#include <string.h>\nnamespace std { using ::memcpy; }\n",
		"include/usr/include/string.h":    "void *memcpy(void *to, const void *from, unsigned long n);\n",
	} {
		o := languages.Parse(p, []byte(text))
		all[p] = record.FileRecord{File: record.File{Path: p, Language: o.Language}, Graph: graph.Extract(&o)}
	}
	const cstring, stringh = "include/usr/include/cstring.hpp", "include/usr/include/string.h"
	leads := map[graph.Lead]record.Path{{From: "a.cc", Module: "cstring"}: cstring, {From: cstring, Module: "string.h"}: stringh}
	view := new(graph.View).Apply(&record.Batch{Files: []record.FileRecord{all["a.cc"], all["own.h"]}})
	q := view.WithOutside(leads, all[cstring], all[stringh]).Query(t.Context(), all)
	q.Wants()
	g := q.Graph("a.cc")
	got := map[string]record.Path{}
	for i := range g.Edges {
		if e := &g.Edges[i]; e.Kind == record.EdgeCalls {
			for _, target := range q.Resolve(g, e) {
				got[e.Name] = target.Path
			}
		}
	}
	if len(got) != 1 || got["memcpy"] != stringh {
		t.Errorf("the calls lead to %v, want memcpy in %s", got, stringh)
	}
}
