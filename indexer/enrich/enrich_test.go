package enrich_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/chunk"
	"ambit/indexer/enrich"
	"ambit/indexer/golden"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// parse returns the record of a file with the fields that packages chunk and enrich set.
func parse(path string, content []byte, opt chunk.Options) record.FileRecord {
	o := languages.Parse(record.Path(path), content)
	chunks := chunk.Split(&o, opt)
	return record.FileRecord{File: record.File{Path: o.Path, CrossFile: enrich.Collect(&o, chunks, opt)}, Content: content, Chunks: chunks}
}

// indexOf returns the index of records.
func indexOf(records ...record.FileRecord) *enrich.Index {
	var files []record.Row
	for i := range records {
		files = append(files, record.RowOf(&records[i].File))
	}
	return enrich.NewIndex(files)
}

// checkReversible checks that r is enriched by the exports of x and nothing else: once,
// with the hash of the text, and that no line remains when the exports are gone.
func checkReversible(t *testing.T, r record.FileRecord, x *enrich.Index) {
	t.Helper()
	if r.File.CrossFile == nil {
		return
	}
	bare := slices.Clone(r.Chunks)
	changed := x.Enrich(&r)
	if changed != (r.File.CrossFile.Enriched != record.Hash{}) || changed == reflect.DeepEqual(bare, r.Chunks) {
		t.Fatalf("%s: Enrich reports %t, with the sum %v", r.File.Path, changed, r.File.CrossFile.Enriched)
	}
	enriched := slices.Clone(r.Chunks)
	if x.Enrich(&r) || !reflect.DeepEqual(enriched, r.Chunks) {
		t.Fatalf("%s: enriched twice (-want +got):\n%s", r.File.Path, cmp.Diff(enriched, r.Chunks))
	}
	for i, c := range enriched {
		if record.HashText([]byte(c.Prefix+string(c.Text(r.Content))+c.Suffix)) != c.EmbedHash {
			t.Fatalf("%s: chunk %d has another hash than its embedding text", r.File.Path, i)
		}
	}
	if enrich.NewIndex(nil).Enrich(&r); !reflect.DeepEqual(bare, r.Chunks) || r.File.CrossFile.Enriched != (record.Hash{}) {
		t.Fatalf("%s: lines remain without the exports (-want +got):\n%s", r.File.Path, cmp.Diff(bare, r.Chunks))
	}
}

// TestGoldenCases runs the cases of testdata/enrich. The output is the chunks that other
// files of the case enrich, with the added lines.
func TestGoldenCases(t *testing.T) {
	golden.Run(t, "../../testdata/enrich", func(t *testing.T, in golden.Input) string {
		opt := chunk.Options{ContextMode: chunk.ContextMode(strings.TrimPrefix(in.Flags, "mode="))}
		var records []record.FileRecord
		for _, f := range in.Files {
			records = append(records, parse(f.Path, f.Content, opt))
		}
		x := indexOf(records...)
		var b strings.Builder
		for _, r := range records {
			checkReversible(t, r, x)
			bare := slices.Clone(r.Chunks)
			x.Enrich(&r)
			for i, c := range r.Chunks {
				if c.Prefix == bare[i].Prefix && c.Suffix == bare[i].Suffix {
					continue
				}
				fmt.Fprintf(&b, "%s:%d-%d %s#%s\n", c.Path, c.Lines.First, c.Lines.Last, c.Unit, c.Section)
				for line := range strings.Lines(strings.TrimPrefix(c.Prefix, bare[i].Prefix)) {
					fmt.Fprintf(&b, "  prefix %s", line)
				}
				for line := range strings.Lines(strings.TrimPrefix(c.Suffix, bare[i].Suffix)) {
					fmt.Fprintf(&b, "  suffix %s", line)
				}
			}
		}
		return b.String()
	})
}

func TestCollectCopesWithHostileClasses(t *testing.T) {
	const n = 1 << 11
	rep := strings.Repeat
	for name, content := range map[string]string{
		"models in models":    rep("class A < ApplicationRecord; has_many :b; include C;\n", n),
		"concerns in modules": rep("module A; extend ActiveSupport::Concern; def b; end;\n", n),
		"many purposes":       "class A < ApplicationRecord\n" + rep("scope :a\nvalidates :b\nX = 1\n", n) + "end",
		"actions and filters": "class A < BController\n" + rep("before_action :a, only: :b\n", n) + rep("def b; end\n", n) + "end",
	} {
		t.Run(name, func(t *testing.T) {
			r, other := parse("app/models/a.rb", []byte(content), chunk.Options{}), parse("app/models/concerns/other.rb", []byte(content), chunk.Options{})
			checkReversible(t, r, indexOf(other, r))
		})
	}
}

func FuzzEnrichIsReversible(f *testing.F) {
	model := "class A < ApplicationRecord\n  include B\n  has_many :as\n" + strings.Repeat("  validates :d\n  scope :e, -> { f }\n\n", 40) + "  def g; end\nend\nmodule B\n  def h; end\nend\n"
	f.Add("app/models/a.rb", []byte(model))
	f.Add("app/models/a.rb", []byte("module M\n"+strings.Repeat(model, 5)+"end"))
	f.Add("app/controllers/a_controller.rb", []byte("class AController < BController\n  include B\nend\n"+model))
	f.Add("db/schema.rb", []byte("create_table \"as\" do |t|\n  t.string \"b\"\nend\n"))
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		for _, opt := range []chunk.Options{{}, {MaxTokens: 1, OverlapTokens: 1}, {TextOnly: true}} {
			r, other := parse(path, content, opt), parse("app/models/concerns/other.rb", content, opt)
			checkReversible(t, r, indexOf(other, r))
			checkReversible(t, other, indexOf(other, r))
		}
	})
}

// The end of a preview keeps the exports of files that were written meanwhile.
func TestTheEndOfAPreviewRestoresUnwrittenFiles(t *testing.T) {
	concern := func(method string) record.FileRecord {
		return parse("app/models/concerns/a.rb", []byte("module A\n  extend ActiveSupport::Concern\n  def "+method+"(a)\n    a\n  end\nend\n"), chunk.Options{})
	}
	model := parse("app/models/b.rb", []byte("class B < ApplicationRecord\n  include A\nend\n"), chunk.Options{})
	lines := func(x *enrich.Index) string {
		r := model
		r.Chunks = slices.Clone(model.Chunks)
		x.Enrich(&r)
		return strings.TrimPrefix(r.Chunks[0].Prefix, model.Chunks[0].Prefix)
	}
	const before, after = "# Concern: A (def one(a))\n", "# Concern: A (def two(a))\n"
	for _, written := range []bool{false, true} {
		x := indexOf(concern("one"), model)
		end := x.Preview(&record.Batch{Files: []record.FileRecord{concern("two")}})
		if got := lines(x); got != after {
			t.Errorf("in the preview: got %q, want %q", got, after)
		}
		want := before
		if written {
			want = after
			x.Apply(&record.Batch{Files: []record.FileRecord{concern("two")}})
		}
		if end(); lines(x) != want {
			t.Errorf("after the preview, written %t: got %q, want %q", written, lines(x), want)
		}
		if diff := cmp.Diff([]record.Path{"app/models/b.rb"}, x.Stale()); diff != "" {
			t.Errorf("stale (-want +got):\n%s", diff)
		}
	}
}

// The preview of a removed file counts its exports no longer.
func TestAPreviewCountsNoRemovedFile(t *testing.T) {
	const path = "app/models/concerns/a.rb"
	concern := parse(path, []byte("module A\n  extend ActiveSupport::Concern\n  def one(a)\n    a\n  end\nend\n"), chunk.Options{})
	model := parse("app/models/b.rb", []byte("class B < ApplicationRecord\n  include A\nend\n"), chunk.Options{})
	for _, written := range []bool{false, true} {
		x := indexOf(concern, model)
		batch := &record.Batch{Removed: []record.Path{path}}
		enriched := func() bool {
			r := model
			r.Chunks = slices.Clone(model.Chunks)
			return x.Enrich(&r)
		}
		end := x.Preview(batch)
		if enriched() {
			t.Error("in the preview: the removed file still counts")
		}
		if written {
			x.Apply(batch)
		}
		if end(); enriched() == written {
			t.Errorf("after the preview, written %t: the removed file counts: %t", written, !written)
		}
	}
}
