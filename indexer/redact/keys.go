package redact

import (
	"bytes"
	"slices"
	"strings"
)

const (
	maxKeyBytes = 32 << 10 // an RSA key of 16,384 bits has 13 kB
	maxBegin    = 64       // from "-----BEGIN " to "PRIVATE KEY"
	minKeyRun   = 40       // base64 characters in a row that only a key has there
	maxURL      = 512      // bytes of user and password
)

// privateKeys masks the base64 between the lines BEGIN and END of private keys, also
// inside string literals, whose quotes, escapes and operators stay.
//
// Source: RFC 7468, section 10 and 11; RFC 4880, section 6.2.
func (m *masker) privateKeys() {
	anchor := []byte("PRIVATE KEY")
	for pos := 0; ; {
		i := bytes.Index(m.in[pos:], anchor)
		if i < 0 {
			return
		}
		i += pos
		pos = i + len(anchor)
		before := m.in[max(0, i-maxBegin):i]
		if bytes.LastIndex(before, []byte("-----BEGIN ")) <= bytes.LastIndexByte(before, '\n') {
			continue // no BEGIN on the line
		}
		if m.allowed(i) {
			continue
		}
		rest := bytes.TrimPrefix(m.in[pos:], []byte(" BLOCK"))
		if !bytes.HasPrefix(rest, []byte("-----")) {
			continue
		}
		start := len(m.in) - len(rest) + 5
		body := m.in[start:min(len(m.in), start+maxKeyBytes)]
		if end := bytes.Index(body, []byte("-----")); end >= 0 { // END, or the next BEGIN
			body = body[:end]
		} else {
			body = body[:keyExtent(body)]
		}
		if m.maskBase64(start, body) {
			pos = start + len(body)
		}
	}
}

// keyExtent returns the length of the part of text that can be the body of a key.
func keyExtent(text []byte) int {
	i := slices.IndexFunc(text, func(c byte) bool {
		return class[c]&isBase62 == 0 && strings.IndexByte("+/=\\\"'` \t\r\n,", c) < 0
	})
	if i < 0 {
		return len(text)
	}
	return i
}

// maskBase64 masks the base64 characters of a key's body, which starts at start, unless
// it has no run of minKeyRun of them.
func (m *masker) maskBase64(start int, body []byte) bool {
	isBase64 := func(c byte) bool { return class[c]&isBase62 != 0 || c == '+' || c == '/' || c == '=' }
	longest, run := 0, 0
	for _, c := range body {
		if run++; !isBase64(c) {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest < minKeyRun {
		return false
	}
	n := len(m.found)
	for i := 0; i < len(body); i++ {
		if body[i] == '\\' {
			i++ // an escape stays
			continue
		}
		end := i
		for end < len(body) && isBase64(body[end]) {
			end++
		}
		if end > i {
			m.mask(start+i, start+end, rulePrivateKey)
			i = end - 1
		}
	}
	m.found = m.found[:min(n+1, len(m.found))] // one key, however many lines
	return true
}

// urls masks the password in scheme://user:password@host.
func (m *masker) urls() {
	for pos := 0; ; pos++ {
		i := bytes.IndexByte(m.in[pos:], '@')
		if i < 0 {
			return
		}
		pos += i
		m.userinfo(pos)
	}
}

// userinfo masks the password left of the "@" at i.
func (m *masker) userinfo(i int) {
	colon := -1
	s := i - 1
	for ; s >= 0 && i-s <= maxURL; s-- {
		c := m.in[s]
		if c == ':' {
			colon = s
		}
		if c == '/' || c <= ' ' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '@' {
			break
		}
	}
	if s < 2 || !endsWith(m.in[:s+1], "://") {
		return
	}
	if colon < 0 {
		if user := m.in[s+1 : i]; len(user) == 32 && isHex(user) && bytes.Contains(m.line(i), []byte("sentry")) {
			m.mask(s+1, i, ruleSentry)
		}
		return
	}
	user, password := m.in[s+1:colon], m.in[colon+1:i]
	if isPassword(user, password) && !(isSampleHost(m.in[i+1:]) && !isPasswordLike(password)) {
		m.mask(colon+1, i, ruleURL)
	}
}

// isPassword reports whether password is a value, and not a variable of a template or a
// placeholder of documentation.
func isPassword(user, password []byte) bool {
	if len(password) < 6 || bytes.ContainsAny(password, "${}<>*[]()%\\ ") || bytes.EqualFold(user, password) {
		return false
	}
	low := bytes.ToLower(password)
	for _, w := range []string{"pass", "secret", "pwd", "token", "xxx", "...", "example", "changeme", "foobar"} {
		if bytes.Contains(low, []byte(w)) {
			return false
		}
	}
	return true
}

// isSampleHost reports whether rest starts with a host that needs no secret: a name
// reserved for examples (RFC 2606) or the local machine.
func isSampleHost(rest []byte) bool {
	end := slices.IndexFunc(rest, func(c byte) bool {
		return class[c]&isBase62 == 0 && c != '.' && c != '-'
	})
	if end < 0 {
		end = len(rest)
	}
	host := bytes.ToLower(rest[:end])
	for _, h := range []string{"example.com", "example.org", "example.net", "example", "localhost", "127.0.0.1", ".test", ".invalid", "foo.com", "bar.com", "host"} {
		if bytes.HasSuffix(host, []byte(h)) {
			return true
		}
	}
	return len(host) == 0
}
