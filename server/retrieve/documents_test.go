package retrieve_test

import (
	"slices"
	"testing"

	"ambit/server/retrieve"
)

// guide returns a document with front matter.
func guide(front, body string) []byte { return []byte("---\n" + front + "\n---\n\n" + body) }

// What stands beside a section that answers the question is shown after it: the sections
// around it, and those to which it links, in other documents.
func TestASectionIsAnsweredWithWhatStandsBesideIt(t *testing.T) {
	padding := "Words fill this section so that it is a chunk of its own. "
	for range 6 {
		padding += padding
	}
	w := newWorkspace(t, []file{
		{"docs/deploy.md", []byte("# Deploying\n\n## Preparing\n\n" + padding + "\n\n## Rollback\n\nA rollback of a broken release is described in [the runbook](ops/runbook.md#broken-releases), and in [code](../main.go).\n" + padding +
			"\n\n## Cleaning\n\n" + padding + "\n\n## Credits\n\n" + padding + "\n")},
		{"docs/ops/runbook.md", []byte("# Runbook\n\n## Alarms\n\n" + padding + "\n\n## Broken releases\n\nCall the owner.\n" + padding + "\n")},
		{"main.go", []byte("package main\n\nfunc main() {}\n")},
	})
	r, err := retrieve.Ask(t.Context(), w.index(), retrieve.Question{Query: "how is a rollback of a broken release made"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range r.Candidates {
		if c.Role == retrieve.RoleDoc {
			got[string(c.Unit.Path)+" "+c.Unit.Identifier] = c.Reason()
		}
	}
	want := map[string]string{
		"docs/deploy.md Preparing":            "section before",
		"docs/deploy.md Cleaning":             "section after",
		"docs/ops/runbook.md Broken releases": "linked",
	}
	for unit, reason := range want {
		if got[unit] != reason {
			t.Errorf("%s is there as %q, want %q; all: %v", unit, got[unit], reason, got)
		}
	}
	if r.Candidates[0].Unit.Identifier != "Deploying.Rollback" {
		t.Errorf("first is %s", r.Candidates[0].Unit.Identifier)
	}
}

// Of documents with the same text, the one whose tags and layer the question names comes first,
// and then the one that was updated last.
func TestFrontMatterRanksDocuments(t *testing.T) {
	body := "# Retries\n\nA request is sent again after a pause.\n"
	for _, tt := range []struct{ name, query, first, second string }{
		{"tag", "billing: when is a request sent again", "tags: [search]", "tags: [billing]"},
		{"layer", "when is a request sent again, in the reference", "layer: guide", "layer: reference"},
		{"date", "when is a request sent again", "updated_at: 2021-05-01", "updated_at: 2024-05-01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t, []file{{"a.md", guide(tt.first, body)}, {"b.md", guide(tt.second, body)}})
			found, err := retrieve.Search(t.Context(), w.index(), retrieve.Question{Query: tt.query})
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, m := range found {
				paths = append(paths, string(m.Path))
			}
			if slices.Index(paths, "b.md") != 0 {
				t.Errorf("%q finds %v, want b.md first", tt.query, paths)
			}
		})
	}
}
