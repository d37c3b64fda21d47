package embed

import "strings"

// suffixes are cut from a word, longest first, when at least min bytes with a vowel
// stay. The families of one verb end in one stem: authenticate, authenticated,
// authenticator and authentication in "authentic".
//
// Source: after Porter, "An algorithm for suffix stripping" (1980), with one step
// for each family instead of five passes; stems need not be words.
var suffixes = []struct {
	end string
	min int
}{
	{"ifications", 3}, {"ification", 3}, {"izations", 3}, {"isations", 3}, {"ization", 3}, {"isation", 3},
	{"ifying", 3}, {"ifiers", 3}, {"ifier", 3}, {"ified", 3}, {"ifies", 3}, {"ify", 3},
	{"izers", 3}, {"izing", 3}, {"izer", 3}, {"ized", 3}, {"izes", 3}, {"ize", 3},
	{"isers", 3}, {"ising", 3}, {"iser", 3}, {"ised", 3}, {"ise", 4},
	{"atives", 4}, {"ations", 4}, {"ators", 4}, {"ating", 4}, {"ation", 4}, {"ative", 4}, {"ator", 4}, {"ated", 4}, {"ates", 4}, {"ate", 4},
	{"abilities", 3}, {"ability", 3}, {"ibility", 3}, {"ables", 4}, {"able", 4}, {"ible", 4},
	{"ments", 4}, {"ment", 4}, {"ness", 3}, {"ances", 4}, {"ences", 4}, {"ance", 4}, {"ence", 4}, {"ency", 4}, {"ancy", 4},
	{"ities", 4}, {"ity", 4}, {"ively", 3}, {"ives", 3}, {"ive", 3}, {"ions", 3}, {"ion", 3},
	{"ings", 3}, {"ing", 3}, {"iers", 3}, {"ier", 3}, {"ied", 3}, {"ies", 3},
	{"ers", 3}, {"ors", 3}, {"ally", 3}, {"al", 4}, {"ly", 3}, {"er", 3}, {"or", 3}, {"ed", 3},
	{"es", 3}, {"s", 3}, {"y", 3}, {"e", 3},
}

// stem returns the part of a lower-cased word that its forms have in common; a
// word of other than small Latin letters is its own stem.
func stem(word string) string {
	if len(word) < 4 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return word
	}
	for _, s := range suffixes {
		if !strings.HasSuffix(word, s.end) || s.end == "s" && keepsS(word) {
			continue
		}
		if rest := word[:len(word)-len(s.end)]; len(rest) >= s.min && strings.ContainsAny(rest, "aeiouy") {
			word = rest
			break
		}
	}
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && word[n-1] != 's' {
		word = word[:n-1] // running, logger
	}
	return word
}

// keepsS reports whether the s at the end of word is no plural: class, status, axis.
func keepsS(word string) bool {
	return strings.HasSuffix(word, "ss") || strings.HasSuffix(word, "us") || strings.HasSuffix(word, "is")
}
