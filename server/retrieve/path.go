package retrieve

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/indexer/graph"
	"ambit/server/api"
	"ambit/vectors/record"
)

// named is a file whose name has a share of the question.
type named struct {
	path  record.Path
	share float64
}

// lookForFiles returns the files whose names share enough words with the question, see minOverlap. It
// visits every path of the workspace, so it first looks for the beginnings of the words: splitting
// 12,000 paths into words takes 15 ms.
func (r *ranking) lookForFiles() (found []named) {
	if r.filter.documents() || r.filter.Kind != "" && r.filter.Kind != record.KindFile {
		return nil
	}
	begins, worths := beginningsOf(r.question.surest()), newPartWorths(r.question.weight)
	for p := range r.ix.Names.Files() {
		if !begins.nameIn(string(p)) {
			continue
		}
		dir, base := path.Split(string(p))
		if share := worths.share(namedBy(dir, base)); share >= minOverlap {
			found = append(found, named{p, share})
		}
	}
	return found
}

// byPath scores the files whose names have words of the question.
func (r *ranking) byPath(lists *hitLists) {
	found := best[*fileHit]{n: pathDepth, order: bestFirst}
	for _, n := range lists.files {
		if r.hits[n.path] != nil || !r.wantsFile(n.path) || found.full && !found.admits(r.atBest(n)) {
			continue
		}
		f := r.hit(n.path)
		r.score(f)
		found.add(f)
	}
	for _, f := range found.list() {
		r.hits[f.path] = f
	}
}

// atBest returns the hit of a file that only its path names, with the score that it has unless
// something about it makes that less.
func (r *ranking) atBest(n named) *fileHit {
	f := &fileHit{path: n.path, central: r.ix.Names.Centrality(n.path), demotion: 1}
	f.stem, f.directory = n.share, r.directory(n.path).share
	var room [maxSignals]api.Signal
	_, f.score = r.signals(f, room[:0])
	return f
}

// byPathWords scores the words of the paths of a report's files, those that few of the
// files have more than those that all have. Further words of a path count less each.
func (r *ranking) byPathWords() {
	if !r.question.report {
		return
	}
	n := map[string]int{} // files that have a word
	for _, f := range r.hits {
		for w := range f.facts.words() {
			n[w]++
		}
	}
	best := 0.0
	for _, f := range r.hits {
		sum := 0.0
		for w, part := range f.facts.words() {
			if weight := r.question.weight[w]; weight > 0 {
				sum += part * weight * math.Log(1+(float64(len(r.hits)-n[w])+0.5)/(float64(n[w])+0.5))
			}
		}
		f.pathWords = sum / math.Sqrt(float64(len(f.facts.stem))+dirPart*float64(len(f.facts.dirs))+2)
		best = max(best, f.pathWords)
	}
	if best > 0 {
		for _, f := range r.hits {
			f.pathWords /= best
		}
	}
}

// dirPart is the worth of a word of a directory to one of the file's name.
const dirPart = 0.5

// words returns the stems of a path with their worth.
func (f *fileFacts) words() map[string]float64 {
	m := make(map[string]float64, len(f.stem)+len(f.dirs))
	for _, w := range f.dirs {
		m[w] = dirPart
	}
	for _, w := range f.stem {
		m[w] = 1
	}
	return m
}

// minOverlap is the least share of the words of a file's name in the question that adds
// a file without hits by words or by vector.
const minOverlap = 0.5

// overlap returns the share of the words of a name that are among terms.
func overlap(words, terms []string) float64 {
	n := 0
	for _, w := range words {
		if slices.Contains(terms, w) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(words)))
}

// share is like overlap for terms with weights.
func share(words []string, weight map[string]float64) float64 {
	sum := 0.0
	for _, w := range words {
		sum += weight[w]
	}
	return sum / float64(max(1, len(words)))
}

// partWorths are the worths of the parts of names, each of which many names have.
type partWorths struct {
	weight map[string]float64 // of the question
	known  map[string]partWorth
	digits bool // a word of the question begins with one
}

func newPartWorths(weight map[string]float64) *partWorths {
	w := &partWorths{weight: weight, known: map[string]partWorth{}}
	for word := range weight {
		w.digits = w.digits || word != "" && isDigit(word[0])
	}
	return w
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// partWorth is the weight of the stem of a part, and whether the part is one of emptyWords.
type partWorth struct {
	weight float64
	empty  bool
}

// share is [share] of the nameStems of a name.
func (w *partWorths) share(name string) float64 {
	var sum, sumOfEmpty float64
	var n, nOfEmpty int
	eachPart(name, func(part string) {
		if isDigit(part[0]) && !w.digits { // there are many numbers
			n++
			return
		}
		worth, ok := w.known[part]
		if !ok {
			lower := strings.ToLower(part)
			worth = partWorth{w.weight[stem(lower)], emptyWords[lower]}
			w.known[part] = worth
		}
		if worth.empty {
			sumOfEmpty, nOfEmpty = sumOfEmpty+worth.weight, nOfEmpty+1
		} else {
			sum, n = sum+worth.weight, n+1
		}
	})
	if n == 0 {
		sum, n = sumOfEmpty, nOfEmpty
	}
	return sum / float64(max(1, n))
}

// beginnings are the beginnings of all words that have one of some stems.
type beginnings struct {
	parts []string // in lower case
	kinds [256]byteKind
}

// byteKind says what a byte of a path is, as several bits.
type byteKind uint8

const (
	startsPart byteKind = 1 << iota // a part begins with it, in either case
	startsWord                      // and it begins a word whatever is before it
	noLetter                        // behind it a word begins
	stops                           // a slash, or part of a character beyond ASCII
)

func beginningsOf(stems []string) *beginnings {
	b := &beginnings{}
	for c := range b.kinds {
		switch {
		case c == '/' || c >= utf8.RuneSelf:
			b.kinds[c] = stops | noLetter
		case notLetter(rune(c)):
			b.kinds[c] = noLetter
		}
	}
	for _, s := range stems {
		if s == "" {
			continue
		}
		b.parts = append(b.parts, s[:min(len(s), leastStem)])
		for _, c := range []byte{s[0], strings.ToUpper(s[:1])[0]} {
			if b.kinds[c] |= startsPart; !unicode.IsLower(rune(c)) {
				b.kinds[c] |= startsWord
			}
		}
	}
	return b
}

// nameIn reports whether the name of a file, or of the directory that it is in, may have a word
// that begins with one of b. It allocates nothing for a path in ASCII.
func (b *beginnings) nameIn(path string) bool {
	if path == "" {
		return false
	}
	kind, directories := b.kinds[path[len(path)-1]], 0
	for i := len(path) - 1; i >= 0; i-- {
		now := kind
		if kind = noLetter; i > 0 {
			kind = b.kinds[path[i-1]]
		}
		if now&(startsWord|stops) == 0 && (now&startsPart == 0 || kind&noLetter == 0) {
			continue
		}
		if c := path[i]; c >= utf8.RuneSelf {
			return b.holds(strings.ToLower(path))
		} else if c == '/' {
			if directories++; directories == 2 {
				return false
			}
		}
		if now&startsPart != 0 && b.begin(path[i:]) {
			return true
		}
	}
	return false
}

// begin reports whether s begins with one of b.
func (b *beginnings) begin(s string) bool {
	return slices.ContainsFunc(b.parts, func(p string) bool { return len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) })
}

// holds reports whether one of b is anywhere in s.
func (b *beginnings) holds(s string) bool {
	return slices.ContainsFunc(b.parts, func(p string) bool { return strings.Contains(s, p) })
}

// tree finds directories with newer versions beside them.
type tree struct {
	names  *graph.View
	newest map[string]int // directory → the highest N of its subdirectories named vN; nil until first used
}

// versions finds the directories that are named by versions.
func (t *tree) versions() {
	t.newest = map[string]int{}
	for p := range t.names.Files() {
		if !strings.HasPrefix(string(p), "v") && !strings.Contains(string(p), "/v") {
			continue
		}
		for dir := path.Dir(string(p)); dir != "."; dir = path.Dir(dir) {
			if n := version(path.Base(dir)); n > 0 {
				t.newest[path.Dir(dir)] = max(t.newest[path.Dir(dir)], n)
			}
		}
	}
}

// version returns N of a directory named vN, or 0.
func version(dir string) int {
	if len(dir) < 2 || dir[0] != 'v' {
		return 0
	}
	n, err := strconv.Atoi(dir[1:])
	if err != nil {
		return 0
	}
	return n
}

// oldVersion returns the directory above a file that has a newer sibling, "v3" beside
// "v4", or "".
func (t *tree) oldVersion(p record.Path) string {
	for dir := path.Dir(string(p)); dir != "." && dir != "/"; dir = path.Dir(dir) {
		n := version(path.Base(dir))
		if n == 0 {
			continue
		}
		if t.newest == nil {
			t.versions()
		}
		if n < t.newest[path.Dir(dir)] {
			return path.Base(dir)
		}
	}
	return ""
}
