// Package redact masks secrets in the text of a file before anything keeps it.
//
// It finds private keys, the tokens of providers by the rules of gitleaks and by
// documented shapes, passwords in URLs, headers and commands, and the values that are
// assigned to names such as "api_key" and "password", in code and in files of
// configuration. Each becomes as many "*"; length and newlines stay, so that spans and
// lines found in the masked text hold in the file.
//
// It does not find every secret: a password that is a plain word stays. So do random
// values under other names: hashes, UUIDs, test vectors, embedded assets.
package redact

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Allow is the comment that lets the secrets through that begin on its line.
const Allow = "ambit:allow"

// Finding is a secret that was masked.
type Finding struct {
	Start int    // offset of its first byte
	Rule  string // the name of the rule that found it
}

// Mask returns the content of the file at a path with each secret replaced by as many
// "*", and the secrets in the order of their offsets. The path says whether the file is
// one of configuration. Length and newlines are those of content, and masking again
// changes nothing. Without a secret it returns content itself. Mask never writes to
// content, takes time linear in its length and is safe for concurrent use.
func Mask(path string, content []byte) (masked []byte, found []Finding) {
	m := masker{in: content, allows: bytes.Contains(content, []byte(Allow))}
	m.form = formOf(path)
	m.tokens()
	m.byKeyword()
	m.urls()
	m.privateKeys()
	if len(m.found) == 0 {
		return content, nil
	}
	slices.SortStableFunc(m.found, func(a, b Finding) int { return a.Start - b.Start })
	return m.out, m.found
}

// masker is one call of Mask. The finders look at the input only, so that they do not
// depend on each other.
type masker struct {
	in     []byte
	out    []byte // nil until something is masked
	found  []Finding
	named  int  // the end of the name, or of the long value, that was last looked at
	allows bool // a line has the comment Allow
	form
	// searched is the end of the text that a rule has searched
	searched map[*providerRule]int
}

// mask masks in[start:end), and notes it unless all of it is masked already or its line
// is allowed.
func (m *masker) mask(start, end int, rule string) {
	if m.allowed(start) {
		return
	}
	if m.out == nil {
		m.out = bytes.Clone(m.in)
	}
	fresh := false
	for i := start; i < end; i++ {
		fresh = fresh || m.out[i] != '*'
		m.out[i] = '*'
	}
	if fresh {
		m.found = append(m.found, Finding{start, rule})
	}
}

// allowed reports whether the line of the byte at i has the comment Allow.
func (m *masker) allowed(i int) bool { return m.allows && bytes.Contains(m.line(i), []byte(Allow)) }

// line returns the line of the byte at i.
func (m *masker) line(i int) []byte {
	start := bytes.LastIndexByte(m.in[:i], '\n') + 1
	line, _, _ := bytes.Cut(m.in[start:], []byte("\n"))
	return line
}

// form is what the name of a file says of the values in it.
type form struct {
	config bool // they are literals: a file of configuration, or a shell script
	yaml   bool
	expr   bool // those without quotes are expressions or numbers
}

func formOf(name string) form {
	base := strings.ToLower(path.Base(name))
	switch path.Ext(base) {
	case ".yml", ".yaml":
		return form{config: true, yaml: true}
	case ".json", ".jsonc", ".json5", ".toml", ".tfvars", ".tf", ".hcl":
		return form{config: true, expr: true}
	case ".ini", ".cfg", ".conf", ".cnf", ".config", ".properties", ".env", ".xml", ".plist", ".sh", ".bash", ".zsh", ".fish", ".service", ".npmrc", ".dockerfile", ".http", ".rest":
		return form{config: true}
	}
	for _, prefix := range []string{".env", "dockerfile", "containerfile", "credentials", "kubeconfig"} {
		if strings.HasPrefix(base, prefix) {
			return form{config: true}
		}
	}
	return form{}
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
	isRun                // in tokens and URLs
)

var class = classes()

func classes() (t [256]uint16) {
	add := func(class uint16, chars string) {
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
	add(isRun, digits+lower+upper+"_-+/.=~%:@|")
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
	if !m.known(start, end) {
		m.dotted(start, end)
	}
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
				m.mask(i, i+e, ruleToken)
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
	case strings.IndexByte("MNO", in[start]) >= 0 && end-start >= 24 && end-start <= 28 && at(in, end) == '.':
		// Discord bots: 24 to 28 . 6 . 27 to 38
		if sig := runLen(in, end+8); runLen(in, end+1) == 6 && at(in, end+7) == '.' && sig >= 27 && sig <= 38 && random(in[end+8:end+8+sig], 3.5) {
			m.mask(start, end+8+sig, ruleDotted)
			return true
		}
	case endsWith(in[:start], "SG."):
		// SendGrid: SG. 22 . 43
		if sig := runLen(in, end+1); end-start == 22 && at(in, end) == '.' && sig == 43 && random(in[start:end], 3) {
			m.mask(start-3, end+1+sig, ruleDotted)
			return true
		}
	case endsWith(in[:start], "ya29."), endsWith(in[:start], "hvs."), endsWith(in[:start], "hvb."):
		// Google OAuth access tokens, HashiCorp Vault tokens.
		if end-start >= 24 && random(in[start:end], 3.5) {
			m.mask(start, end, ruleDotted)
			return true
		}
	case endsWith(in[:start], "s.") && (start < 3 || class[in[start-3]]&isWord == 0 && in[start-3] != '.'):
		// HashiCorp Vault tokens before version 1.10.
		if token := in[start:end]; end-start == 24 && digitGroups(token) >= 2 && random(token, 3.5) {
			m.mask(start, end, ruleDotted)
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
			m.mask(first, tail, ruleDotted)
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
		m.mask(start, stop+1+sig, ruleJWT)
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
