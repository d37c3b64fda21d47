package lexical

import "ambit/vectors/record"

// queryTerm is a distinct term of a query.
type queryTerm struct {
	term string  // as the index keeps it
	n    float64 // how often the query holds it, weighted
}

// parseQuery returns the distinct terms of a query, in order.
func parseQuery(query []record.Word) []queryTerm {
	var t tokenizer
	var terms []queryTerm
	index := map[string]int{}
	for _, w := range query {
		t.each([]byte(w.Text), func(token []byte, compound bool) {
			if !compound {
				token = stem(token)
			}
			if i, ok := index[string(token)]; ok {
				terms[i].n += w.Weight
				return
			}
			if len(terms) == maxQueryTerms {
				return
			}
			index[string(token)] = len(terms)
			terms = append(terms, queryTerm{string(token), w.Weight})
		})
	}
	return terms
}
