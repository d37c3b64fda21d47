package retrieve

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// leastNamed is the least length of a name that the name of a test tells: tests have a shorter
// one in their names by chance.
const leastNamed = 4

// testsInOrder returns the uses of a subject with the tests behind the others, those that are
// about it first: named after it, in the test file of its file before other files. It leaves
// out uses in files that have changed since their names were indexed.
func (l *lookup) testsInOrder(s subject, uses []graph.Use) []graph.Use {
	files := l.q.TestFiles(s.path)
	name := l.q.Graph(s.path).Symbols[s.symbol].Name
	about := func(u graph.Use) (n int) {
		if u.Symbol >= 0 && isAbout(&l.q.Graph(u.Path).Symbols[u.Symbol], name) {
			n = 2
		}
		if slices.Contains(files, u.Path) {
			n++
		}
		return n
	}
	var tests []graph.Use
	out := make([]graph.Use, 0, len(uses))
	for _, u := range uses {
		g := l.q.Graph(u.Path)
		if u.Symbol >= len(g.Symbols) {
			continue
		}
		if role, _ := roleOf(g, u); role == RoleTest {
			tests = append(tests, u)
		} else {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(tests, func(a, b graph.Use) int { return cmp.Compare(about(b), about(a)) })
	return append(out, tests...)
}

// isAbout reports whether the name of a test has a name.
func isAbout(test *record.Symbol, name string) bool {
	name = letters(name)
	return len(name) >= leastNamed && strings.Contains(letters(test.Name), name)
}

// letters returns the letters and digits of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// namedTests adds the tests named after a subject that none uses by its name, in the test
// files of its file: they exercise it through other units.
func (l *lookup) namedTests(s subject) {
	name := l.q.Graph(s.path).Symbols[s.symbol].Name
	n := 0
	for _, p := range l.q.TestFiles(s.path) {
		g := l.q.Graph(p)
		for i := range g.Symbols {
			if g.Symbols[i].Test && isAbout(&g.Symbols[i], name) && n < maxNamedTests {
				n++
				l.addSymbol(p, i, RoleTest, signal("named after it", s.sure*worthNamedTest/float64(n)))
			}
		}
	}
}
