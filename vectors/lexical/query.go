package lexical

// queryTerm is a distinct term of a query.
type queryTerm struct {
	term string // as the index keeps it
	n    int    // how often the query holds it
}

// parseQuery returns the distinct terms of q, in order.
func parseQuery(q string) []queryTerm {
	var t tokenizer
	var terms []queryTerm
	index := map[string]int{}
	t.each([]byte(q), func(token []byte, compound bool) {
		if len(terms) == maxQueryTerms {
			return
		}
		if !compound {
			token = stem(token)
		}
		if i, ok := index[string(token)]; ok {
			terms[i].n++
			return
		}
		index[string(token)] = len(terms)
		terms = append(terms, queryTerm{string(token), 1})
	})
	return terms
}
