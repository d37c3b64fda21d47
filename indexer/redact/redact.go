// Package redact masks secrets in the text of a file before anything keeps it.
//
// It finds private keys, tokens of providers whose shape is documented, passwords
// in URLs, and values that look random and are assigned to a name such as "api_key".
// Each becomes as many "*"; length and newlines stay, so that spans and lines found in
// the masked text hold in the file.
//
// It does not find every secret: a password that looks like a word stays. So do random
// values under other names: hashes, UUIDs, test vectors, embedded assets.
package redact

import (
	"bytes"
	"slices"
)

// Mask returns content with each secret replaced by as many "*", and the number of
// secrets. Length and newlines are those of content, and masking again changes
// nothing. Without a secret it returns content itself. Mask never writes to content,
// takes time linear in its length and is safe for concurrent use.
func Mask(content []byte) (masked []byte, n int) {
	m := masker{in: content}
	m.tokens()
	m.urls()
	m.privateKeys()
	if m.n == 0 {
		return content, 0
	}
	return m.out, m.n
}

// masker is one call of Mask. The finders look at the input only, so that they do not
// depend on each other.
type masker struct {
	in  []byte
	out []byte // nil until something is masked
	n   int
}

// mask masks in[start:end), and counts it unless all of it is masked already.
func (m *masker) mask(start, end int) {
	if m.out == nil {
		m.out = bytes.Clone(m.in)
	}
	fresh := false
	for i := start; i < end; i++ {
		fresh = fresh || m.out[i] != '*'
		m.out[i] = '*'
	}
	if fresh {
		m.n++
	}
}

// minRun is the length of the shortest token. A longer run covers one of every minRun
// bytes of the text, so that tokens reads only these to find it.
const minRun = 16

// Classes of bytes.
const (
	isToken  = 1 << iota // in base64, base64url and hexadecimal
	isDigit              //
	isLetter             //
	isBase62             // a letter or a digit
	isWord               // and "_"
	isURL64              // and "-"
	isHexa               // lower-case hexadecimal
	isBase32             // A–Z and 2–7
)

var class = classes()

func classes() (t [256]uint8) {
	add := func(class uint8, chars string) {
		for i := range len(chars) {
			t[chars[i]] |= class
		}
	}
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	add(isToken|isBase62|isWord|isURL64, digits+lower+upper)
	add(isToken|isWord|isURL64, "_")
	add(isToken|isURL64, "-")
	add(isToken, "+/")
	add(isDigit, digits)
	add(isLetter, lower+upper)
	add(isHexa, digits+"abcdef")
	add(isBase32, upper+"234567")
	return t
}

// tokens visits each run of at least minRun token characters.
func (m *masker) tokens() {
	in := m.in
	for p, floor := minRun-1, 0; p < len(in); {
		if class[in[p]]&isToken == 0 {
			p += minRun
			continue
		}
		start, end := p, p+1
		for start > floor && class[in[start-1]]&isToken != 0 {
			start--
		}
		for end < len(in) && class[in[end]]&isToken != 0 {
			end++
		}
		if end-start >= minRun {
			m.run(start, end)
		}
		floor, p = end, end+minRun
	}
}

// run looks for a token in in[start:end), which is a whole run.
func (m *masker) run(start, end int) {
	if m.known(start, end) || m.dotted(start, end) {
		return
	}
	m.assigned(start, end)
}

// known masks the tokens of a known shape at the start of a run, or behind a character
// that separates words in it.
func (m *masker) known(start, end int) (found bool) {
	for i := start; i+minRun <= end; i++ {
		if i > start && class[m.in[i-1]]&isBase62 != 0 {
			continue
		}
		for _, s := range shapes[m.in[i]] {
			if e := s.match(m.in[i:end]); e > 0 {
				m.mask(i, i+e)
				found, i = true, i+e-1
				break
			}
		}
	}
	return found
}

// dotted masks tokens made of runs with a dot (or a tilde) between them.
func (m *masker) dotted(start, end int) bool {
	in := m.in
	switch {
	case hasPrefix(in[start:], "eyJ"):
		return m.jwt(start, end)
	case endsWith(in[:start], "SG."):
		// SendGrid: SG. 22 . 43
		if sig := runLen(in, end+1); end-start == 22 && at(in, end) == '.' && sig == 43 && random(in[start:end], 3) {
			m.mask(start-3, end+1+sig)
			return true
		}
	case endsWith(in[:start], "ya29."), endsWith(in[:start], "hvs."), endsWith(in[:start], "hvb."):
		// Google OAuth access tokens, HashiCorp Vault tokens.
		if end-start >= 24 && random(in[start:end], 3.5) {
			m.mask(start, end)
			return true
		}
	case endsWith(in[:start], "Q~") && start >= 3 && class[in[start-3]]&isDigit != 0:
		// Azure AD client secret: 3 characters, a digit, Q~, 31 to 34 more.
		first := start - 6
		if first >= 0 && end-start >= 24 && random(in[start:end], 3.5) {
			tail := end
			for tail < len(in) && (class[in[tail]]&isToken != 0 || in[tail] == '.' || in[tail] == '~') {
				tail++
			}
			m.mask(max(first, 0), tail)
			return true
		}
	}
	return false
}

// jwt masks header.payload.signature, each base64url, when the header decodes to
// the start of a JSON object with a member that JWTs have (RFC 7515, 4.1).
func (m *masker) jwt(start, end int) bool {
	known := slices.ContainsFunc(jwtHeads, func(h string) bool { return hasPrefix(m.in[start:], h) })
	if !known || at(m.in, end) != '.' || !hasPrefix(m.in[end+1:], "eyJ") {
		return false
	}
	payload := runLen(m.in, end+1)
	stop := end + 1 + payload
	if payload < minRun || at(m.in, stop) != '.' {
		return false
	}
	if sig := runLen(m.in, stop+1); sig >= minRun && random(m.in[stop+1:stop+1+sig], 3) {
		m.mask(start, stop+1+sig)
		return true
	}
	return false
}

// jwtHeads are {"alg", {"typ", {"kid", {"enc", {"x5t" and {"cty" in base64.
var jwtHeads = []string{"eyJhbGci", "eyJ0eXAi", "eyJraWQi", "eyJlbmMi", "eyJ4NXQi", "eyJjdHki"}

// runLen counts the token characters from i on.
func runLen(in []byte, i int) int {
	n := 0
	for i+n < len(in) && class[in[i+n]]&isToken != 0 {
		n++
	}
	return n
}

func at(in []byte, i int) byte {
	if i >= 0 && i < len(in) {
		return in[i]
	}
	return 0
}

func hasPrefix(in []byte, s string) bool { return len(in) >= len(s) && string(in[:len(s)]) == s }

func endsWith(in []byte, s string) bool { return len(in) >= len(s) && string(in[len(in)-len(s):]) == s }
