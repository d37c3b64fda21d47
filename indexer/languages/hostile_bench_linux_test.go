package languages_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// BenchmarkHostile parses 1 MB of the worst texts of every language: what is nested or never
// closed, one line, the tokens of the language in random order, long operators. Ordinary code
// is that of the golden tests, again and again. The metrics are the CPU time of the worst text
// and of ordinary code; `go test -bench Hostile -benchtime 1x -v` names the worst text.
func BenchmarkHostile(b *testing.B) {
	samples := map[string][]byte{} // of each language, by its name and a file name
	texts := wellFormed(b)
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		text := texts[p]
		o := languages.Parse(p, text)
		if _, most := languages.Work(p, text); most > 0 && o.Broken == 0 {
			key := o.Language + "/" + path.Base(string(p))
			samples[key] = append(samples[key], text...)
		}
	}
	done := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(samples)) {
		language, name, _ := strings.Cut(key, "/")
		if done[language] || len(samples[key]) < 100 {
			continue
		}
		done[language] = true
		b.Run(language, func(b *testing.B) {
			texts := hostileTexts(samples[key])
			worst, ordinary, of := 0.0, 0.0, ""
			for b.Loop() {
				for _, text := range slices.Sorted(maps.Keys(texts)) {
					seconds := cpuSeconds(func() { languages.Parse(record.Path(name), texts[text]) })
					if text == "ordinary" {
						ordinary = seconds
					} else if seconds > worst {
						worst, of = seconds, text
					}
				}
			}
			b.Logf("%s: %s", language, of)
			b.ReportMetric(worst, "s/MB")
			b.ReportMetric(ordinary, "ordinary-s/MB")
		})
	}
}

// tokens are the words, numbers, marks and blanks of a text.
var tokens = regexp.MustCompile(`\w+|\s+|[^\w\s]`)

// hostileTexts returns texts of 1 MB made of a sample.
func hostileTexts(sample []byte) map[string][]byte {
	const size = 1 << 20
	all := tokens.FindAll(sample, -1)
	random := rand.New(rand.NewPCG(1, 2))
	marks := slices.DeleteFunc(slices.Clone(all), func(t []byte) bool { return isWordOrBlank(t[0]) })
	pick := func(from [][]byte, between string) []byte {
		var text []byte
		for len(text) < size {
			text = append(append(text, from[random.IntN(len(from))]...), between...)
		}
		return text[:size]
	}
	fill := func(s string) []byte { return []byte(strings.Repeat(s, size/len(s)+1)[:size]) }
	head := string(sample[:bytes.IndexByte(append(sample, '\n'), '\n')+1])
	return map[string][]byte{
		"ordinary":      fill(string(sample)),
		"random tokens": pick(all, ""), "random tokens apart": pick(all, " "), "operators": pick(append(marks, []byte("+")), ""),
		"nested":   []byte(head + string(fill("f({["))),
		"a string": []byte(head + "\"" + string(fill("a ${ # "))),
		"a line":   bytes.ReplaceAll(fill(string(sample)), []byte("\n"), []byte(" ")),
		"no end":   bytes.ReplaceAll(fill(string(sample)), []byte("}"), []byte("{")),
		"operator": []byte(head + string(fill("+"))),
		"generics": []byte(head + string(fill("a<b<"))),
	}
}

func isWordOrBlank(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c <= ' ' || c >= 0x80
}

// cpuSeconds returns the CPU time that f takes.
func cpuSeconds(f func()) float64 {
	used := func() float64 {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	before := used()
	f()
	return used() - before
}
