package pipeline_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/enrich"
	"ambit/indexer/pipeline"
	"ambit/vectors/record"
)

// model returns a Rails model so large that package chunk cuts it by purpose. Its comment
// is longer than the part that the summary of the file quotes.
func model(name, directives string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s is a model.\n%s\nclass %s < ApplicationRecord\n%s\n", name, strings.Repeat("# It has a long comment.\n", 20), name, directives)
	for i := range 90 {
		fmt.Fprintf(&b, "  validates :field_%d, presence: true\n", i)
	}
	fmt.Fprintf(&b, "\n  def total\n%s    fields.sum\n  end\nend\n", strings.Repeat("    fields.each { |field| field.check(total) }\n", 10))
	return b.String()
}

const trackable = `module Trackable
  extend ActiveSupport::Concern

  included do
    has_many :tracks
  end

  def track!(at)
    tracks.create!(at: at)
  end
end
`

const (
	orderPath     = "app/models/order.rb"
	customerPath  = "app/models/customer.rb"
	notePath      = "app/models/note.rb"
	schemaPath    = "db/schema.rb"
	trackablePath = "app/models/concerns/trackable.rb"
)

// orders returns the files of a shop whose models refer to one another. A note is one
// chunk.
func orders() map[string]string {
	return map[string]string{
		orderPath:      model("Order", "  include Trackable\n  belongs_to :customer"),
		customerPath:   model("Customer", "  include Trackable\n  has_many :orders"),
		notePath:       "class Note < ApplicationRecord\n  belongs_to :subject, polymorphic: true\nend\n",
		trackablePath:  trackable,
		schemaPath:     "ActiveRecord::Schema[7.1].define(version: 1) do\n  create_table \"orders\" do |t|\n    t.string \"number\"\n  end\nend\n",
		"lib/plain.rb": "class Plain\n  def customer; end\nend\n",
	}
}

// sorted returns the units, sorted, because the workers embed files concurrently.
func (w *workspace) sorted() []string { return slices.Sorted(slices.Values(w.units())) }

// settled brings the index up to date and checks that no file is stale then.
func (w *workspace) settled() pipeline.Report {
	w.t.Helper()
	w.embedded = nil
	report := w.catchUp()
	if stale := w.o.Enrich.Stale(); len(stale) > 0 {
		w.t.Errorf("still stale: %q", stale)
	}
	if report.Embedded != len(w.embedded) {
		w.t.Errorf("the report says %d chunks, want %d", report.Embedded, len(w.embedded))
	}
	return report
}

func (w *workspace) writeAll(files map[string]string, at time.Time) {
	w.t.Helper()
	for path, text := range files {
		w.write(path, text, at)
	}
}

func TestAChangeEmbedsAffectedChunksOfOtherFiles(t *testing.T) {
	const order, customer = orderPath + ":Order", customerPath + ":Customer"
	replace := func(path, from, to string) map[string]string {
		return map[string]string{path: strings.ReplaceAll(orders()[path], from, to)}
	}
	tests := []struct {
		name string
		edit map[string]string
		want []string
	}{
		{"a new association, the other end's associations too",
			replace(orderPath, "belongs_to :customer", "belongs_to :customer\n  has_one :buyer, class_name: 'Customer'"),
			[]string{customer + "#associations", order + "#associations", order + "#summary"}},
		{"a lost association, the other end's associations too",
			replace(orderPath, "  belongs_to :customer\n", "  belongs_to :nobody, polymorphic: true\n"),
			[]string{customer + "#associations", order + "#associations", order + "#summary"}},
		{"an association with a model of one chunk, that chunk",
			replace(orderPath, "belongs_to :customer", "belongs_to :customer\n  has_many :notes"),
			[]string{notePath + ":Note", order + "#associations", order + "#summary"}},
		{"an option of an association, its chunk alone",
			replace(orderPath, "belongs_to :customer", "belongs_to :customer, touch: true"),
			[]string{order + "#associations"}},
		{"the body of a concern, its chunk and its inlined copies",
			replace(trackablePath, "tracks.create!(at: at)", "tracks.create!(at: at, by: self)"),
			[]string{trackablePath + ":Trackable", customer + "#concerns", order + "#concerns"}},
		{"a new method of a concern, its chunk, its inlined copies and their includers' summaries",
			replace(trackablePath, "  def track!", "  def tracked?\n    tracks.any?\n  end\n\n  def track!"),
			[]string{trackablePath + ":Trackable", customer + "#concerns", customer + "#summary", order + "#concerns", order + "#summary"}},
		{"a concern that is no longer included, the includer alone",
			replace(orderPath, "include Trackable", "include Comparable"),
			[]string{order + "#concerns", order + "#summary"}},
		{"a new column of a table, the chunk and the summary of its model",
			replace(schemaPath, "  end", "    t.bigint \"customer_id\"\n  end"),
			[]string{schemaPath + ":schema.rb", order + "#summary"}},
		{"an edit in a method, its chunk alone",
			replace(orderPath, "fields.sum", "fields.sum + 1"),
			[]string{order + ".total"}},
		{"a file without exports, its chunk alone",
			replace("lib/plain.rb", "customer", "order"),
			[]string{"lib/plain.rb:Plain"}},
		{"a second file of the concern that comes first, its chunk and the includers of the concern",
			map[string]string{"app/models/concerns/again.rb": strings.ReplaceAll(trackable, "track!", "trace!")},
			[]string{"app/models/concerns/again.rb:Trackable", customer + "#concerns", customer + "#summary", order + "#concerns", order + "#summary"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t, orders())
			w.settled()
			w.writeAll(tt.edit, time.Now().Add(-time.Minute))
			w.settled()
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, w.sorted()); diff != "" {
				t.Errorf("embedded (-want +got):\n%s", diff)
			}
			for path := range tt.edit {
				if _, old := orders()[path]; !old {
					remove(t, w, path)
				}
			}
			w.writeAll(orders(), time.Now().Add(-time.Second))
			if w.settled(); len(w.embedded) != 0 {
				t.Errorf("undone: %q embedded, want none", w.sorted())
			}
			w.equalsAFreshOne()
		})
	}
}

// equalsAFreshOne compares the records, without keys, with those of a new index.
func (w *workspace) equalsAFreshOne() {
	w.t.Helper()
	files := map[string]string{}
	for path, r := range w.files {
		files[string(path)] = string(r.Content)
	}
	fresh := newWorkspace(w.t, files)
	fresh.settled()
	strip := func(w *workspace) map[record.Path]record.FileRecord {
		out := maps.Clone(w.files)
		for path, r := range out {
			r.File.Key, r.File.Chunks, r.File.ModTime = 0, record.KeyRange{}, 0
			r.Recalled, r.Codes, r.Embedded = false, nil, 0
			r.Chunks = slices.Clone(r.Chunks)
			for i := range r.Chunks {
				r.Chunks[i].Key = 0
			}
			out[path] = r
		}
		return out
	}
	if diff := cmp.Diff(strip(fresh), strip(w)); diff != "" {
		w.t.Errorf("differs from a fresh index (-fresh +grown):\n%s", diff)
	}
}

func TestASwitchBackEmbedsNoEnrichedText(t *testing.T) {
	branch := orders()
	branch[orderPath] = strings.ReplaceAll(branch[orderPath], "belongs_to :customer", "has_many :customers")
	branch[trackablePath] = strings.ReplaceAll(trackable, "track!", "trace!")
	delete(branch, customerPath)
	w := newWorkspace(t, orders())
	w.settled()
	for i, files := range []map[string]string{branch, orders(), branch, orders()} {
		for path := range orders() {
			if files[path] == "" {
				remove(t, w, path)
			}
		}
		w.writeAll(files, time.Now().Add(-time.Hour+time.Duration(i+1)*time.Minute))
		if w.settled(); i > 0 && len(w.embedded) > 0 {
			t.Errorf("switch %d: %q embedded, want none", i, w.sorted())
		}
		w.equalsAFreshOne()
	}
}

// Changed, removed and touched files and those that refer to them go into one batch.
func TestFilesThatReferToOthersAreInTheBatchOfTheOthers(t *testing.T) {
	touch := func(w *workspace, path string) { w.write(path, orders()[path], time.Now().Add(-time.Minute)) }
	for _, tt := range []struct {
		name    string
		edit    func(w *workspace)
		files   []record.Path // written
		touched []record.Path
	}{
		{"a changed concern and its touched includer", func(w *workspace) {
			w.write(trackablePath, strings.ReplaceAll(trackable, "track!", "trace!"), time.Now().Add(-time.Minute))
			touch(w, orderPath)
			touch(w, "lib/plain.rb")
		}, []record.Path{trackablePath, customerPath, orderPath}, []record.Path{"lib/plain.rb"}},
		{"a removed concern and its touched includer", func(w *workspace) {
			remove(w.t, w, trackablePath)
			touch(w, customerPath)
		}, []record.Path{customerPath, orderPath}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t, orders())
			w.settled()
			w.batches = nil
			tt.edit(w)
			w.settled()
			if len(w.batches) != 1 {
				t.Fatalf("got %d batches, want one", len(w.batches))
			}
			var files, touched []record.Path
			for _, r := range w.batches[0].Files {
				files = append(files, r.File.Path)
			}
			for _, f := range w.batches[0].Touched {
				touched = append(touched, f.Path)
			}
			if diff := cmp.Diff(tt.files, files) + cmp.Diff(tt.touched, touched); diff != "" {
				t.Errorf("written and touched (-want +got):\n%s", diff)
			}
			if len(w.plan()) > 0 {
				t.Error("a file keeps its old time")
			}
			w.equalsAFreshOne()
		})
	}
}

// A run that stops between a file and the files that refer to it leaves them stale.
func TestTheNextRunEnrichesStaleFiles(t *testing.T) {
	w := newWorkspace(t, orders())
	w.o.BatchFiles = 1
	w.settled()
	w.write(trackablePath, strings.ReplaceAll(trackable, "track!", "trace!"), time.Now().Add(-time.Minute))
	stopped := errors.New("stopped")
	w.refuse = func(text string) error {
		if strings.Contains(text, customerPath) { // a file that no change contains
			return stopped
		}
		return nil
	}
	if _, err := w.pipeline().Apply(t.Context(), w.plan(), nil); !errors.Is(err, stopped) {
		t.Fatalf("Apply: %v, want to be stopped", err)
	}
	w.refuse = nil
	var files []record.Row
	for _, r := range w.files {
		files = append(files, record.RowOf(&r.File))
	}
	w.o.Enrich = enrich.NewIndex(files)
	if diff := cmp.Diff([]record.Path{customerPath, orderPath}, w.o.Enrich.Stale()); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
	if report := w.settled(); report.Enriched != 2 || report.Indexed != 0 {
		t.Errorf("got %+v, want two files enriched and none indexed", report)
	}
	w.equalsAFreshOne()
}

// The exports of a file count before the file is written, and no longer when the write
// fails.
func TestAFailedRunDropsItsExports(t *testing.T) {
	w := newWorkspace(t, orders())
	w.settled()
	w.write(orderPath, strings.ReplaceAll(orders()[orderPath], "belongs_to", "has_many"), time.Now().Add(-time.Minute))
	full := errors.New("full")
	w.refuse = func(string) error { return full }
	if _, err := w.pipeline().Apply(t.Context(), w.plan(), nil); !errors.Is(err, full) {
		t.Fatalf("Apply: %v, want to be refused", err)
	}
	w.refuse = nil
	w.write(orderPath, orders()[orderPath], time.Now().Add(-time.Second))
	if report := w.settled(); report.Enriched != 0 || len(w.embedded) != 0 {
		t.Errorf("got %+v, want nothing enriched", report)
	}
	w.equalsAFreshOne()
}

func TestAnalyzeEnrichesAnUnsavedText(t *testing.T) {
	w := newWorkspace(t, orders())
	w.settled()
	r, _ := w.pipeline().Analyze(orderPath, "ruby", []byte(orders()[orderPath]))
	want := w.files[orderPath]
	if diff := cmp.Diff(want.File.CrossFile, r.File.CrossFile); diff != "" {
		t.Errorf("exports and references (-index +buffer):\n%s", diff)
	}
	for i := range want.Chunks {
		want.Chunks[i].Key = 0
	}
	if diff := cmp.Diff(want.Chunks, r.Chunks); diff != "" {
		t.Errorf("chunks (-index +buffer):\n%s", diff)
	}
}
