package session_test

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
)

// rated is a question about a tree, and the files that answer it, as the queries of the Semble
// benchmark are published.
type rated struct {
	Query               string
	Relevant, Secondary []target
}

// target is a file, or lines of one.
type target struct {
	Path      string
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
}

// UnmarshalJSON also reads a path alone.
func (t *target) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &t.Path)
	}
	type plain target
	return json.Unmarshal(data, (*plain)(t))
}

// hits reports whether a match shows the target.
func (t *target) hits(m *api.Match) bool {
	found := string(m.Path)
	same := found == t.Path || strings.HasSuffix(found, "/"+t.Path) || strings.HasSuffix(t.Path, "/"+found)
	return same && (t.StartLine == 0 || m.StartLine <= t.EndLine && t.StartLine <= m.EndLine)
}

// BenchmarkAblation measures what each part of the embedding texts is worth: the mean NDCG@10
// over the trees in AMBIT_BENCH_TREES of the questions in AMBIT_BENCH_QUERIES (TREE.json), and
// the growth of the embedded text over the files, with and without it.
func BenchmarkAblation(b *testing.B) {
	trees, queries := os.Getenv("AMBIT_BENCH_TREES"), os.Getenv("AMBIT_BENCH_QUERIES")
	files, err := filepath.Glob(filepath.Join(queries, "*.json"))
	if trees == "" || queries == "" || err != nil || len(files) == 0 {
		b.Skip("AMBIT_BENCH_TREES and AMBIT_BENCH_QUERIES name no trees with questions")
	}
	for _, without := range []string{"", "Unit", "File", "Section", "Dependencies", "Scope", "Defines", "Signatures"} {
		b.Run(cmp.Or(without, "everything"), func(b *testing.B) {
			for b.Loop() {
				sum, bytes, embedded, most := 0.0, int64(0), int64(0), 0.0
				for _, file := range files {
					name := strings.TrimSuffix(filepath.Base(file), ".json")
					score, counts := rate(b, filepath.Join(trees, name), file, without)
					sum += score
					bytes, embedded, most = bytes+counts.Bytes, embedded+counts.EmbeddedBytes, max(most, counts.Growth)
				}
				b.ReportMetric(sum/float64(len(files)), "NDCG@10")
				b.ReportMetric(100*float64(embedded-bytes)/float64(bytes), "%growth")
				b.ReportMetric(most, "%growth-most")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// rate returns the mean NDCG@10 of the questions in a file about a tree, which it indexes.
func rate(b *testing.B, tree, file, without string) (float64, api.ChunkCounts) {
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	var questions []rated
	if err := json.Unmarshal(data, &questions); err != nil || len(questions) == 0 {
		b.Fatalf("%s: %v", file, err)
	}
	set := config.Defaults()
	set.CacheDir = b.TempDir()
	o := session.Options{Settings: &set}
	if without != "" {
		o.Without = []string{without}
	}
	s, err := openSession(b.Context(), tree, o)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Index(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	sum := 0.0
	for _, q := range questions {
		found, err := s.Search(b.Context(), api.SearchQuestion{Query: q.Query, Limit: 10})
		if err != nil {
			b.Fatal(err)
		}
		sum += ndcg(append(q.Relevant, q.Secondary...), found.Results)
	}
	stats, err := s.ChunkStats(b.Context(), api.ChunkStatsQuestion{})
	if err != nil {
		b.Fatal(err)
	}
	return sum / float64(len(questions)), stats.Total
}

// ndcg returns the normalized discounted cumulative gain: 1 at the rank of the first match
// that shows each target, over the best possible.
func ndcg(targets []target, found []api.Match) float64 {
	ranks := map[int]bool{}
	best := 0.0
	for i := range targets {
		if i < 10 {
			best += 1 / math.Log2(float64(i)+2)
		}
		for k := range found {
			if targets[i].hits(&found[k]) {
				ranks[k] = true
				break
			}
		}
	}
	got := 0.0
	for k := range ranks {
		got += 1 / math.Log2(float64(k)+2)
	}
	return got / max(best, 1)
}
