package languages

import (
	"os"
	"testing"
	"time"

	"ambit/vectors/record"
)

func TestEveryQueryFitsItsGrammar(t *testing.T) {
	for _, r := range table {
		source, err := queries.ReadFile("queries/" + r.query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compile(r.grammar(), string(source)); err != nil {
			t.Errorf("%s: %v", r.query, err)
		}
	}
}

func TestX(t *testing.T) {
	if os.Getenv("X") == "" {
		return
	}
	b, _ := os.ReadFile(os.Getenv("X"))
	s := time.Now()
	o := parse(record.Path(os.Getenv("X")), b)
	t.Log(time.Since(s))
	s = time.Now()
	o = parse(record.Path(os.Getenv("X")), b)
	t.Log(time.Since(s), len(b), len(o.Decls), len(o.Refs), len(o.Bindings), o.Broken)
	for _, d := range o.Decls[:min(len(o.Decls), 60)] {
		t.Logf("%s %s %d %q doc=%v T=%s B=%v C=%s", d.Kind, d.Name, d.Parent, b[d.Header.Start:d.Header.End], d.Doc, d.Type, d.Bases, d.Container)
	}
	for _, d := range o.Bindings[:min(len(o.Bindings), 40)] {
		t.Logf("local %+v", d)
	}
	for _, d := range o.Refs[:min(len(o.Refs), 120)] {
		t.Logf("%+v", d)
	}
	t.Log(o.Imports, o.Package)
}
