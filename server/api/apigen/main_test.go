package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
)

const root = "../../.."

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Errorf("%v; run: go generate ./server/api", err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s differs; run: go generate ./server/api (-generated +file):\n%s", name, diff)
		}
	}
}

// The samples, which the editors' tests decode too, have all required fields and no field
// that the types lack.
func TestEveryCommandHasASampleOfItsTypes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, "testdata/protocol/ambit.*.json"))
	if err != nil || len(paths) != len(commands)+1 {
		t.Errorf("%d samples, want one for each of %d commands and the notification (%v)", len(paths), len(commands), err)
	}
	for _, c := range commands {
		s, err := readSample(root, c.name)
		if err != nil {
			t.Error(err)
			continue
		}
		question := reflect.New(c.question).Interface()
		if err := api.Decode(s.argument(), question); err != nil && s.argument() != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if argument := s.argument(); argument != nil {
			checkFields(t, c.name+" argument", argument, question)
		}
		if c.answer == nil {
			if string(s.Result) != "null" {
				t.Errorf("%s: the result is %s", c.name, s.Result)
			}
			continue
		}
		checkFields(t, c.name+" result", s.Result, reflect.New(c.answer).Interface())
	}
	s, err := readSample(root, "ambit.status.notification")
	if err != nil {
		t.Fatal(err)
	}
	checkFields(t, "notification", s.Params, &api.State{})
}

// checkFields decodes JSON, encodes it again and compares the two.
func checkFields(t *testing.T, name string, raw json.RawMessage, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	again, err := api.Encode(into)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if json.Unmarshal(again, &want) != nil || json.Unmarshal(raw, &got) != nil {
		t.Fatalf("%s: no JSON", name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-types +sample):\n%s", name, diff)
	}
}

func TestEveryFieldOfAQuestionHasAComment(t *testing.T) {
	m, err := load("..")
	if err != nil {
		t.Fatal(err)
	}
	obvious := []string{"query", "textDocument", "position", "limit", "language", "kind", "uri"}
	for _, c := range commands {
		for _, f := range m.allFields(c.question) {
			if f.doc == "" && !slices.Contains(obvious, f.name) {
				t.Errorf("%s: the field %s has no comment", c.name, f.name)
			}
		}
	}
	for name, doc := range m.docs {
		if !strings.Contains(name, ".") && doc == "" {
			t.Errorf("%s has no comment", name)
		}
	}
}
