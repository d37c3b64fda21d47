package lexical_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// TestAGroupScoresAsOneRow compares groups of rows with rows of the same text.
func TestAGroupScoresAsOneRow(t *testing.T) {
	texts := [][]string{
		{"alpha bravo", "alpha alpha", "charlie"},
		{"bravo"},
		{"delta echo foxtrot", "golf hotel"},
		{"charlie bravo charlie", "alpha"},
	}
	var parts, wholes []record.FileRecord
	var groups []record.KeyRange
	key := record.Key(1)
	for i, list := range texts {
		groups = append(groups, record.KeyRange{First: key, N: len(list)})
		all := ""
		for _, text := range list {
			parts = append(parts, file(key, "", "", text))
			all += text + " "
			key++
		}
		wholes = append(wholes, file(record.Key(i+1), "", "", all))
	}
	v, one := view(t, parts...), view(t, wholes...)
	for _, query := range []string{"alpha", "bravo charlie", "alpha echo zebra", "zebra"} {
		got, err := v.SearchGroups(t.Context(), []record.Word{{Text: query, Weight: 1}}, groups)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(groups))
		for _, h := range search(t, one, query, 9) {
			want[h.Key-1] = h.Score
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-5 {
				t.Errorf("%q: group %d has %.6f, want %.6f as one row has", query, i, got[i], want[i])
			}
		}
	}
}

// A deleted row counts in no group, and a row outside of all groups neither.
func TestDeadRowsAreInNoGroup(t *testing.T) {
	v := view(t, file(1, "", "", "alpha"), file(2, "", "", "bravo"), file(3, "", "", "alpha"))
	v, err := v.With(t.Context(), &record.Batch{Dropped: []record.KeyRange{{First: 1, N: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.SearchGroups(t.Context(), []record.Word{{Text: "alpha bravo", Weight: 1}}, []record.KeyRange{{First: 1, N: 1}, {First: 2, N: 1}})
	if err != nil || got[0] != 0 || got[1] <= 0 {
		t.Errorf("scores %v, %v", got, err)
	}
	for _, groups := range [][]record.KeyRange{nil, {{First: 9, N: 3}}} {
		if got, err := v.SearchGroups(t.Context(), []record.Word{{Text: "alpha", Weight: 1}}, groups); err != nil || fmt.Sprint(got) != fmt.Sprint(make([]float64, len(groups))) {
			t.Errorf("groups %v: scores %v, %v", groups, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.SearchGroups(ctx, []record.Word{{Text: "alpha", Weight: 1}}, []record.KeyRange{{First: 2, N: 1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A part of a query counts by its weight.
func TestWordsCountByTheirWeights(t *testing.T) {
	v := view(t, file(1, "", "", "alpha"), file(2, "", "", "bravo"))
	for weight, want := range map[float64]record.Key{0.5: 2, 2: 1} {
		hits, err := v.SearchWords(t.Context(), []record.Word{{Text: "alpha", Weight: weight}, {Text: "bravo", Weight: 1}}, 2, lexical.Options{})
		if err != nil || len(hits) != 2 || hits[0].Key != want {
			t.Errorf("weight %v: %v, %v", weight, hits, err)
		}
	}
}
