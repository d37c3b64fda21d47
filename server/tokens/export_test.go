package tokens

// LoadAgain loads an encoding, as the first use in a process does. It returns the number
// of its tokens and its size in bytes.
func LoadAgain(name string) (nTokens, bytes int) {
	load := newO200k
	if name == CL100k {
		load = newCL100k
	}
	v := load().tokens
	return len(v.starts) - 1, 4*(len(v.slots)+len(v.starts)+len(v.pairs)) + len(v.bytes) + len(classTable{})
}

// Rank returns the rank of token in an encoding, -1 when it is not one.
func Rank(c *Counter, token string) int {
	r := c.load().tokens.rank(token)
	if r == none {
		return -1
	}
	return int(r)
}

// Pieces returns the pieces of text before merging.
func Pieces(c *Counter, text string) []string {
	e := c.load()
	var pieces []string
	for text = validUTF8(text); text != ""; {
		end := e.next(e.classes, text, 0)
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return pieces
}
