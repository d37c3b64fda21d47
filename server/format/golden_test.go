package format_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	diffs "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

var update = flag.Bool("update", false, "rewrite the want of every golden file")

// golden runs got on every golden file of a folder of testdata/context and compares
// the result with its want.
func golden(t *testing.T, folder string, got func(t *testing.T, files tree) string) {
	found, err := filepath.Glob(filepath.Join("../../testdata/context", folder, "*.txtar"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range found {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, want := tree{}, -1
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
				} else {
					files[record.Path(f.Name)] = string(f.Data)
				}
			}
			if want < 0 {
				t.Fatal("no want")
			}
			g := got(t, files)
			if *update {
				a.Files[want].Data = []byte(g)
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := diffs.Diff(string(a.Files[want].Data), g); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBundlesAreWrittenAsInTheGoldenFiles(t *testing.T) {
	golden(t, "format", func(t *testing.T, files tree) string {
		var b assemble.Bundle
		if err := json.Unmarshal([]byte(files["bundle.json"]), &b); err != nil {
			t.Fatal(err)
		}
		text, _ := format.Render(&b)
		return text
	})
}

// The JSON is that of the command line and of the language server.
func TestAnswersAreTheGoldenJSON(t *testing.T) {
	golden(t, "answer", func(t *testing.T, files tree) string {
		r, budget := parseRequest(t, files)
		answer, err := assemble.Assemble(t.Context(), files, counter(t), assemble.Request{
			Question: api.Question{Budget: budget, Encoding: "o200k_base", Format: api.Plain, PositionEncoding: api.UTF16, Drop: droppedOf(files, &r)}, Result: r,
			Root: "/work/my shop", Render: format.Render, Freshness: api.Freshness{Generation: 7, Pending: 2, State: api.StateIndexing},
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.MarshalIndent(answer, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return string(out) + "\n"
	})
}

// The file "request" has the query, the scope and the budget on its first line and
// then a candidate on each, best first:
//
//	ROLE KIND IDENTIFIER FILE:FIRST-LAST [name=LINE] [header=FIRST-LAST] [doc=…] [focus=LINE,…] [member=KIND:FIRST-LAST …] [pin=N] [dropped]
//	[span=BYTE-BYTE] [relevance=R] [frequency=F]
//
// The file "context-mode", if there, has the mode.
func TestCandidatesAreAssembledAsInTheGoldenFiles(t *testing.T) {
	golden(t, "assemble", func(t *testing.T, files tree) string {
		r, budget := parseRequest(t, files)
		mode, _, _ := strings.Cut(string(files["context-mode"]), "\n")
		b := assembled(t, files, r, api.Question{Budget: budget, Format: api.Plain, ContextMode: api.ContextMode(mode), Drop: droppedOf(files, &r)}, counter(t))
		var out strings.Builder
		out.WriteString(b.Text + "\n")
		for _, s := range b.Sections {
			fmt.Fprintf(&out, "section %s: %d of %d tokens\n", s.Name, s.Tokens, s.Budget)
		}
		for i := range b.Sources {
			var lines []record.Lines
			for _, l := range b.Sources[i].Ranges {
				lines = append(lines, record.Lines{First: l[0], Last: l[1]})
			}
			fmt.Fprintf(&out, "shown: %s (%s) %v\n", b.Sources[i].Identifier, b.Sources[i].Section, lines)
		}
		for _, o := range b.Omitted {
			fmt.Fprintf(&out, "omitted: %s, %d tokens, %s\n", o.Identifier, o.Tokens, o.Reason)
		}
		return out.String()
	})
}

// droppedOf returns the ids of the candidates that a request drops.
func droppedOf(files tree, r *retrieve.Result) (dropped []record.ChunkID) {
	rows := strings.Split(strings.TrimSpace(files["request"]), "\n")[1:]
	for i, row := range rows {
		if strings.HasSuffix(row, " dropped") {
			dropped = append(dropped, r.Candidates[i].Unit.ID)
		}
	}
	return dropped
}

func parseRequest(t *testing.T, files tree) (retrieve.Result, int) {
	rows := strings.Split(strings.TrimSpace(files["request"]), "\n")
	var r retrieve.Result
	var budget int
	if _, err := fmt.Sscan(rows[0], &r.Query, &r.Scope, &budget); err != nil {
		t.Fatalf("%s: %v", rows[0], err)
	}
	for i, row := range rows[1:] {
		c := parseCandidate(t, files, row)
		c.Relevance = cmp.Or(c.Relevance, 1/float64(i+1))
		c.Probability = c.Relevance
		r.Candidates = append(r.Candidates, c)
		if i > 0 {
			r.Dependencies = append(r.Dependencies, api.Dependency{
				From: r.Candidates[0].Unit.Identifier, To: c.Unit.Identifier, Kind: record.EdgeCalls,
			})
		}
	}
	path := r.Candidates[0].Unit.Path
	outline := retrieve.FileOutline{Path: path, Lines: strings.Count(files[path], "\n")}
	for i := range r.Candidates {
		if u := &r.Candidates[i].Unit; u.Path == path {
			outline.Units = append(outline.Units, string(u.Kind)+" "+u.Identifier)
		}
	}
	r.Structure = []retrieve.FileOutline{outline}
	r.Symbol = &r.Candidates[0].Unit
	return r, budget
}

func parseCandidate(t *testing.T, files tree, row string) retrieve.Candidate {
	f := strings.Fields(row)
	path, place, _ := strings.Cut(f[3], ":")
	span := func(s string) (record.Span, record.Lines) {
		var l record.Lines
		first, last, ok := strings.Cut(s, "-")
		l.First, _ = strconv.Atoi(first)
		if l.Last = l.First; ok {
			l.Last, _ = strconv.Atoi(last)
		}
		text := strings.SplitAfter(files[record.Path(path)], "\n")
		if l.First < 1 || l.Last >= len(text) {
			t.Fatalf("%s: no lines %s", row, s)
		}
		start := len(strings.Join(text[:l.First-1], ""))
		return record.Span{Start: start, End: start + len(strings.Join(text[l.First-1:l.Last], ""))}, l
	}
	u := retrieve.Unit{Path: record.Path(path), Language: languages.Parse(record.Path(path), []byte(files[record.Path(path)])).Language, Kind: record.Kind(f[1]), Identifier: f[2]}
	u.Span, u.Lines = span(place)
	u.NameLine, u.ID = u.Lines.First, record.NewChunkID(u.Path, u.Identifier, "", 0)
	c := retrieve.Candidate{Role: retrieve.Role(strings.ReplaceAll(f[0], "-", " ")), Why: []api.Signal{{Name: "test", Score: 1}}}
	for _, option := range f[4:] {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "name":
			u.NameLine, _ = strconv.Atoi(value)
		case "header":
			u.Header, _ = span(value)
		case "doc":
			u.Doc, _ = span(value)
		case "focus":
			for _, n := range strings.Split(value, ",") {
				line, _ := strconv.Atoi(n)
				c.Focus = append(c.Focus, line)
			}
		case "pin":
			c.Pin, _ = strconv.Atoi(value)
		case "dropped": // see droppedOf
		case "span":
			if _, err := fmt.Sscanf(value, "%d-%d", &u.Span.Start, &u.Span.End); err != nil {
				t.Fatalf("%s: %v", row, err)
			}
		case "relevance":
			c.Relevance, _ = strconv.ParseFloat(value, 64)
		case "frequency":
			c.Frequency = record.Frequency(value)
		case "member":
			kind, lines, _ := strings.Cut(value, ":")
			m := retrieve.Member{Kind: record.Kind(kind)}
			var l record.Lines
			m.Span, l = span(lines)
			m.Header, _ = span(strconv.Itoa(l.First))
			u.Members = append(u.Members, m)
		default:
			t.Fatalf("%s: unknown option %s", row, key)
		}
	}
	if u.Header.End > 0 {
		u.Body = record.Span{Start: u.Header.End, End: u.Span.End}
	}
	c.Unit = u
	return c
}
