package lexical

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
	for _, t := range parseQuery(q) {
		terms = append(terms, t.term)
	}
	return terms
}
