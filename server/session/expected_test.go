package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
)

// TestAnExpectedAnswerIsThatOfTheTree asks the question that a session was opened for, after
// the tree has changed while no process had the index open, and compares the answer with that
// of a session that expects none.
func TestAnExpectedAnswerIsThatOfTheTree(t *testing.T) {
	q := api.SearchQuestion{Query: "where is the boat paid", Limit: 10, PositionEncoding: api.UTF8}
	other := q
	other.Query = "oars"
	tests := []struct {
		name   string
		change func(w *tree, s *opened) // before the session is opened, with nil, and before it is asked
		ask    api.SearchQuestion
		kept   bool
	}{
		{"nothing has changed", func(*tree, *opened) {}, q, true},
		{"another question", func(*tree, *opened) {}, other, false},
		{"a file is new", func(w *tree, s *opened) {
			if s == nil {
				w.write("boat/paid.go", "package boat\n\n// Paid says where the boat is paid.\nfunc Paid() string { return \"here\" }\n")
			}
		}, q, false},
		{"a file has changed", func(w *tree, s *opened) {
			if s == nil {
				w.write("boat/sail.go", "package boat\n\n// Paid says where the boat is paid.\nfunc Paid() string { return \"here\" }\n")
			}
		}, q, false},
		{"a file is gone", func(w *tree, s *opened) {
			if s == nil {
				w.remove("shop/pay.go")
			}
		}, q, false},
		{"a document is open", func(_ *tree, s *opened) {
			if s != nil {
				s.SetDocument(document("boat/sail.go", "go", "package boat\n\n// Paid says where the boat is paid.\nfunc Paid() {}\n"))
			}
		}, q, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newTree(t, unrelatedFiles())
			before := w.open()
			index(t, before)
			w.close(before)
			tt.change(w, nil)

			set := config.Defaults()
			set.CacheDir = w.cache
			s, err := openSession(t.Context(), w.dir, session.Options{Settings: &set, OneQuestion: true, Expect: &q})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { w.close(s) })
			if _, err := s.CatchUp(t.Context(), func(api.Progress) {}); err != nil {
				t.Fatal(err)
			}
			tt.change(w, s)
			got, err := s.Search(t.Context(), tt.ask)
			if err != nil {
				t.Fatal(err)
			}
			if kept := session.Kept(t.Context(), s.Workspace, tt.ask); kept != tt.kept {
				t.Errorf("the expected answer is kept: %v, want %v", kept, tt.kept)
			}
			w.close(s)

			plain := w.open()
			index(t, plain)
			tt.change(w, plain)
			want, err := plain.Search(t.Context(), tt.ask)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v, the answer (-without an expected one +with):\n%s", err, diff)
			}
			if len(got.Results) == 0 {
				t.Error("nothing is found")
			}
		})
	}
}

// TestASessionThatIsNotAskedEnds closes a session while it may be answering.
func TestASessionThatIsNotAskedEnds(t *testing.T) {
	w := newTree(t, unrelatedFiles())
	set := config.Defaults()
	set.CacheDir = w.cache
	s, err := openSession(t.Context(), w.dir, session.Options{Settings: &set, OneQuestion: true, Expect: &api.SearchQuestion{Query: "boat", Limit: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.session.Close(); err != nil {
		t.Error(err)
	}
}
