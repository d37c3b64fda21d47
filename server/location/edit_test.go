package location_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/server/location"
)

// oneByOne is [location.Edit] in the simplest way: each change makes the next text.
func oneByOne(text string, changes []location.Change, e api.PositionEncoding) (string, error) {
	for i, c := range changes {
		if c.Range == nil {
			text = c.Text
			continue
		}
		start, err := location.Offset([]byte(text), api.Place{Position: c.Range.Start, PositionEncoding: e})
		if err != nil {
			return "", fmt.Errorf("change %d: start %d:%d: %w", i, c.Range.Start.Line, c.Range.Start.Character, err)
		}
		end, err := location.Offset([]byte(text), api.Place{Position: c.Range.End, PositionEncoding: e})
		if err != nil {
			return "", fmt.Errorf("change %d: end %d:%d: %w", i, c.Range.End.Line, c.Range.End.Character, err)
		}
		if end < start {
			return "", fmt.Errorf("change %d: the end of the range is before its start", i)
		}
		text = text[:start] + c.Text + text[end:]
	}
	return text, nil
}

// words are what texts and changes are made of: line ends of each kind, also in parts,
// and characters of each width.
var words = []string{"", "a", "\n", "\r", "\r\n", "😀", "ä", "日本", "\n\r", "𐐷x", "e\u0301", "\u2028", strings.Repeat("long ", 60), strings.Repeat("😀\r\n", 90)}

// randomText returns a text of up to n words.
func randomText(random *rand.Rand, n int) string {
	var text strings.Builder
	for range random.IntN(n + 1) {
		text.WriteString(words[random.IntN(len(words))])
	}
	return text.String()
}

// randomChange returns a change of text. One of 50 has a range that need not be in it.
func randomChange(random *rand.Rand, text string, e api.PositionEncoding) location.Change {
	switch random.IntN(50) {
	case 0:
		return location.Change{Text: randomText(random, 9)}
	case 1:
		place := func() api.Position { return api.Position{Line: random.IntN(12) - 1, Character: random.IntN(30) - 1} }
		return location.Change{Range: &api.Range{Start: place(), End: place()}, Text: "!"}
	}
	start := random.IntN(len(text) + 1)
	end := min(len(text), start+random.IntN(40)*random.IntN(2))
	span := api.Range{Start: location.Position([]byte(text), start, e), End: location.Position([]byte(text), end, e)}
	return location.Change{Range: &span, Text: randomText(random, 2)}
}

func TestManyChangesAreEqualToTheSameChangesOneByOne(t *testing.T) {
	for _, e := range []api.PositionEncoding{api.UTF8, api.UTF16, api.UTF32} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			refused := 0
			for seed := range uint64(10_000) {
				random := rand.New(rand.NewPCG(seed, 14))
				text := randomText(random, 12)
				var changes []location.Change
				for now := text; len(changes) < 1+int(seed%12); {
					changes = append(changes, randomChange(random, now, e))
					next, err := oneByOne(now, changes[len(changes)-1:], e)
					if err != nil {
						break
					}
					now = next
				}
				want, wantErr := oneByOne(text, changes, e)
				got, err := location.Edit(text, changes, e)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("seed %d: %v, want %v", seed, err, wantErr)
				}
				if got != want {
					t.Fatalf("seed %d:\ngot  %q\nwant %q", seed, got, want)
				}
				if err != nil {
					refused++
				}
			}
			if refused < 100 {
				t.Errorf("%d sequences had a range outside of the text, want some", refused)
			}
		})
	}
}

// edits returns a document of that many bytes, and changes all over it.
func edits(bytes, changes int) (string, []location.Change) {
	text := strings.Repeat("\tfor i := range items { total += items[i].price * 2 } // 日本\n", bytes/64)
	random := rand.New(rand.NewPCG(1, 14))
	all := make([]location.Change, changes)
	for i := range all {
		at := api.Position{Line: random.IntN(bytes / 64), Character: random.IntN(40)}
		all[i] = location.Change{Range: &api.Range{Start: at, End: api.Position{Line: at.Line, Character: at.Character + random.IntN(4)}}, Text: "xy"}
	}
	return text, all
}

func TestTheWorkOfChangesIsLinear(t *testing.T) {
	cost := func(bytes, changes int) int64 {
		text, all := edits(bytes, changes)
		return testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				if _, err := location.Edit(text, all, api.UTF16); err != nil {
					b.Fatal(err)
				}
			}
		}).AllocedBytesPerOp()
	}
	small, large := cost(32<<10, 1250), cost(512<<10, 20_000)
	t.Logf("%d and %d bytes are allocated", small, large)
	if large > 2*16*small {
		t.Errorf("16 times the document and the changes allocate %d times the memory", large/small)
	}
}

func BenchmarkEdit(b *testing.B) {
	for _, changes := range []int{1, 1250, 5000, 20_000} {
		text, all := edits(512<<10, changes)
		b.Run(fmt.Sprintf("bytes=512k/changes=%d", changes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := location.Edit(text, all, api.UTF16); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
