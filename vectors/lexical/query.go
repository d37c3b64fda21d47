package lexical

// queryTerm is a distinct term of a query.
type queryTerm struct {
	term string // as the index keeps it
	word string // the first token that gave it
	n    int    // how often the query holds it
}

// QueryTerms returns the distinct terms of q, in order, as [Index.Search] looks them
// up and as [Terms] gives them for text.
func QueryTerms(q string) []string {
	parsed := parseQuery(q)
	terms := make([]string, len(parsed))
	for i, t := range parsed {
		terms[i] = t.term
	}
	return terms
}

func parseQuery(q string) []queryTerm {
	var t tokenizer
	var terms []queryTerm
	index := map[string]int{}
	t.each([]byte(q), func(token []byte, compound bool) {
		if len(terms) == maxQueryTerms {
			return
		}
		word := string(token)
		if !compound {
			token = stem(token)
		}
		if i, ok := index[string(token)]; ok {
			terms[i].n++
			return
		}
		index[string(token)] = len(terms)
		terms = append(terms, queryTerm{string(token), word, 1})
	})
	return terms
}
