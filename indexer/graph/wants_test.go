package graph_test

import (
	"testing"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The bases of a class are looked up once for all its uses. What is missing of them is noted for
// each use.
func TestEachUseNotesWhatItsBasesLack(t *testing.T) {
	all := recordsOf{}
	for p, text := range map[record.Path]string{
		"base.rb":  "class Base < Gem::Base\nend\n",
		"order.rb": "class Order < Base\n  has_many :lines\n  validates :name\nend\n",
	} {
		o := languages.Parse(p, []byte(text))
		all[p] = record.FileRecord{File: record.File{Path: p, Language: o.Language}, Graph: graph.Extract(&o)}
	}
	view := new(graph.View).Apply(&record.Batch{Files: []record.FileRecord{all["base.rb"], all["order.rb"]}})
	q := view.Query(t.Context(), all)
	g := q.Graph("order.rb")
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Kind != record.EdgeCalls && e.Kind != record.EdgeExtends {
			continue
		}
		wants := q.Wants()
		q.Resolve(g, e)
		if !wants.Modules[graph.WantedModule{From: "base.rb", Path: "Gem"}] {
			t.Errorf("%s notes %v, want the constant Gem of base.rb", e.Name, wants.Modules)
		}
	}
}
