package lexical

import (
	"slices"

	"ambit/vectors/record"
)

// The weights of the fields.
const (
	WeightName      = weightName
	WeightUnit      = weightUnit
	WeightStem      = weightStem
	WeightDirectory = weightDirectory
)

// Len returns the number of live rows.
func (v *View) Len() int { return v.n }

// Bytes returns the memory that the view holds.
func (v *View) Bytes() int {
	n := 0
	for _, p := range v.parts {
		n += cap(p.all.whole()) + 6*len(p.keys) + 8*len(p.dead)
	}
	return n
}

// Postings returns how many postings a search for query reads.
func (v *View) Postings(query string) (n int) {
	var s scratch
	for _, t := range parseQuery([]record.Word{{Text: query, Weight: 1}}) {
		v.match(t, &s)
		n += len(s.rows)
	}
	return n
}

// Occurrences returns how often the row of key holds the one term of query, weighted.
func (v *View) Occurrences(query string, key record.Key) int {
	var s scratch
	v.match(parseQuery([]record.Word{{Text: query, Weight: 1}})[0], &s)
	for i, p := range v.parts {
		row, ok := slices.BinarySearch(p.keys, key)
		if at, found := slices.BinarySearch(s.postings[i].rows, uint32(row)); ok && found {
			return int(levels[s.postings[i].codes[at]])
		}
	}
	return 0
}

// Tokens returns the tokens of text, in order and with repeats.
func Tokens(text string) []string {
	var t tokenizer
	var tokens []string
	t.each([]byte(text), func(token []byte, _ bool) { tokens = append(tokens, string(token)) })
	return tokens
}

// Terms returns the tokens of text as the index keeps them, in order and with repeats.
func Terms(text string) []string {
	var t tokenizer
	var terms []string
	t.each([]byte(text), func(token []byte, compound bool) {
		if !compound {
			token = stem(token)
		}
		terms = append(terms, string(token))
	})
	return terms
}

// QueryTerms returns the terms that a search for q looks up.
func QueryTerms(q string) []string {
	var terms []string
	for _, t := range parseQuery([]record.Word{{Text: q, Weight: 1}}) {
		terms = append(terms, t.term)
	}
	return terms
}
