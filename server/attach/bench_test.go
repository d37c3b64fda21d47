package attach_test

import (
	"slices"
	"testing"
	"time"

	"ambit/server/attach"
	"ambit/server/format"
	"ambit/server/session"
)

// median returns the median in microseconds.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1000
}

// took returns how long f takes.
func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// BenchmarkOpen opens and closes the index of a small workspace, in turn as a session
// and as the owner that others could attach to, and reports what the latter adds; and
// how long it takes to attach.
func BenchmarkOpen(b *testing.B) {
	w := newTree(b, harbour)
	own := w.open()
	own.index()
	own.close()
	var alone, owning, attaching []time.Duration
	for b.Loop() {
		alone = append(alone, took(func() {
			s, err := session.Open(b.Context(), w.dir, w.options().Session)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}))
		owning = append(owning, took(func() {
			c, err := attach.Open(b.Context(), w.dir, w.options())
			if err != nil {
				b.Fatal(err)
			}
			c.Close()
		}))
	}
	own = w.open()
	for range len(alone) {
		attaching = append(attaching, took(func() {
			c, err := attach.Open(b.Context(), w.dir, w.options())
			if err != nil {
				b.Fatal(err)
			}
			c.Close()
		}))
	}
	b.ReportMetric(median(alone), "session-µs")
	b.ReportMetric(median(owning)-median(alone), "owner-adds-µs")
	b.ReportMetric(median(attaching), "attach-µs")
	own.close()
}

// BenchmarkAnswer asks the same of the owner and over the wire, in turn, and reports
// what the wire adds.
func BenchmarkAnswer(b *testing.B) {
	w := newTree(b, harbour)
	own, attached := w.open(), w.open()
	own.index()
	q := session.Question{Query: "how does a ship sail?", Cost: format.Cost(format.XML)}
	var here, there []time.Duration
	for b.Loop() {
		for _, from := range []struct {
			*client
			took *[]time.Duration
		}{{own, &here}, {attached, &there}} {
			*from.took = append(*from.took, took(func() {
				if _, err := from.Context(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}))
		}
	}
	b.ReportMetric(median(here), "here-µs")
	b.ReportMetric(median(there)-median(here), "wire-adds-µs")
}
