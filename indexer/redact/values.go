package redact

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"
)

const (
	minPassword = 6
	minSecret   = 8
	maxValue    = 512 // longer values are data
	maxDigest   = 40  // hexadecimal digits; API keys have 32 or 40
	// valueEntropy is the limit of the generic rule of gitleaks. 16 random hexadecimal
	// digits have 3.0 to 3.7, 32 have 3.6 and more, base64 of that length 4 and more.
	valueEntropy = 3.5
)

// assigned is a value with what is known of where it stands.
type assigned struct {
	name   []byte
	words  [][]byte // of name, in lower case
	value  []byte
	says   strength // the strength of name
	config bool     // in a file of configuration, where values are literals
	quoted bool
	inCall bool // an argument of a call, or an element of a list: f("…")
}

// isSecret reports whether the value is a secret, and not a placeholder, a reference, a
// word or a hash.
func (a *assigned) isSecret() bool {
	v := a.value
	if len(v) < minPassword || len(v) > maxValue || !utf8.Valid(v) || isVector(a) {
		return false
	}
	if a.quoted && isNoise(v) && (a.says != weakName || isConstant(a.name)) {
		return true
	}
	if isPlaceholder(v) || isReference(v) {
		return false
	}
	says := a.says
	if a.inCall && says == passName {
		says = tokenName
	}
	generated := looksRandom(v) && (a.quoted || a.config || digitGroups(v) >= 3)
	switch says {
	case passName:
		return generated || isPassphrase(a.name, v) || (a.quoted || a.config) && isPasswordLike(v)
	case tokenName:
		return generated || len(v) >= minSecret && (a.quoted || a.config || isConstant(a.name)) && looksGenerated(v)
	case weakName: // "key" alone is often the key of a table
		return generated && (a.config && len(a.words) > 1 || isConstant(a.name) || containsAny(bytes.Join(a.words, nil), tokenWords)) || isBasicAuth(v)
	}
	return false
}

// isVector reports whether the value is a long hexadecimal number under a name that
// test vectors of cryptography use: they call their inputs secret too.
func isVector(a *assigned) bool {
	if len(a.value) <= maxDigest || !isHex(a.value) || isConstant(a.name) {
		return false
	}
	if len(a.words) == 1 {
		return !a.config
	}
	return oneOf(a.words[0], []string{"shared", "master", "premaster", "traffic", "handshake", "early", "exporter", "binder", "initial", "private", "expected", "want"}) ||
		!a.config && !endsWithAny(bytes.Join(a.words, nil), []string{"secretkey", "secretkeybase", "apikey", "accesskey", "sessionsecret", "jwtsecret", "clientsecret", "appsecret", "webhooksecret", "apisecret", "signingsecret", "cookiesecret", "token"})
}

// placeholders are the words that stand for a secret in documentation and tests, in
// lower case.
var placeholders = []string{
	"password", "passwd", "secret", "changeme", "change-me", "change_me", "changeit", "example", "placeholder", "your", "dummy", "redacted", "insert", "replace", "sample", "foobar", "fake", "mock",
	"default", "xxx", "...", "***", "<", "todo", "fixme", "undefined", "1234567", "abcdef", "deadbeef", "lorem", "not-a-", "notreal", "not_real", "testtest", "test-", "test_", "my-", "my_", "mytoken", "some-", "some_", "enter", "token_here", "_here", "-here", "goes-here", "s3cr3t",
}

// isPlaceholder reports whether a value stands for a secret and is none.
func isPlaceholder(v []byte) bool {
	low := bytes.ToLower(v)
	if containsAny(low, placeholders) && !isLongRandom(v) {
		return true
	}
	if endsWith(v, "EXAMPLE") || endsWith(v, "EXAMPLEKEY") {
		return true
	}
	return len(v) > 0 && len(bytes.Trim(v, string(v[:1]))) == 0 // one character, again and again
}

// isLongRandom reports whether a placeholder's word can be there by chance.
func isLongRandom(v []byte) bool {
	return len(v) >= 40 && looksRandom(v) && !bytes.Contains(v, []byte("***")) && !bytes.Contains(bytes.ToLower(v), []byte("example")) && !bytes.Contains(bytes.ToLower(v), []byte("xxxx"))
}

// isReference reports whether a value names a variable, a file or a place where the
// secret is, in a shell, a template or a manifest.
func isReference(v []byte) bool {
	if len(v) >= 32 && looksRandom(v) {
		return false // base64
	}
	switch v[0] {
	case ':', '/', '~', '{', '[', '(', '|', '.':
		return true
	case '$', '%', '@', '&', '!', '#':
		if rest := bytes.Trim(v[1:], "%@"); isWordOnly(rest) && (!hasDigit(rest) || isConstant(rest)) {
			return true
		}
	}
	for _, part := range []string{"${", "$(", "{{", "#{", "%(", "://", "process.env", "()", "!vault"} {
		if bytes.Contains(v, []byte(part)) {
			return true
		}
	}
	verb := bytes.Contains(v, []byte("%s")) || bytes.Contains(v, []byte("%d")) || bytes.Contains(v, []byte("%v"))
	return verb && !random(v, 3.3)
}

// isNoise reports whether a value is made of characters of all kinds at random, as
// generators of salts and session keys make it.
func isNoise(v []byte) bool {
	if bytes.Contains(v, []byte("#{")) || bytes.Contains(v, []byte("${")) || bytes.Contains(v, []byte("{{")) {
		return false
	}
	letters, numbers, marks := 0, 0, 0
	for _, c := range v {
		switch {
		case class[c]&isLetter != 0:
			letters++
		case class[c]&isDigit != 0:
			numbers++
		case bytes.IndexByte([]byte("!@#$%^&*+=?~|<>;:{}()[],"), c) >= 0:
			marks++
		case c <= ' ':
			return false
		}
	}
	return len(v) >= 32 && letters >= 8 && numbers >= 2 && marks >= 4 && random(v, 4.3)
}

// isPasswordLike reports whether a value is no word, no identifier and no sentence: it
// has letters together with digits or punctuation that names do not have.
func isPasswordLike(v []byte) bool {
	letters, digits, marks, odd := 0, 0, 0, false
	for _, c := range v {
		switch {
		case c <= ' ':
			return false
		case class[c]&isLetter != 0 || c >= utf8.RuneSelf:
			letters++
		case class[c]&isDigit != 0:
			digits++
		default:
			marks++
			odd = odd || bytes.IndexByte([]byte("!@#$%^&*+?~|="), c) >= 0
		}
	}
	switch {
	case bytes.ContainsAny(v, "(){}<>\\\"'`"):
		return false
	case bytes.ContainsAny(v, "[]"):
		return letters > 0 && digits > 0 && marks <= len(v)/3
	case isUUID(v), isSlug(v), isVersion(v):
		return false
	case odd:
		return letters > 0 && letters+digits >= 4
	case digits > 0 && letters > 0:
		return len(v) >= minPassword
	}
	return false
}

// isPassphrase reports whether a value is a passphrase of several words.
func isPassphrase(name, v []byte) bool {
	words := bytes.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == '-' || r == '.' || r == '_' })
	if len(words) < 4 || len(words) > 10 || len(v) < 20 {
		return false
	}
	for _, w := range words {
		if len(w) < 2 || !isLetters(w) {
			return false
		}
	}
	low := bytes.ToLower(name)
	return bytes.Contains(low, []byte("passphrase")) || !bytes.ContainsRune(v, ' ') && bytes.Equal(v, bytes.ToLower(v)) && bytes.ContainsRune(v, '-') && bytes.HasSuffix(low, []byte("password"))
}

// looksGenerated reports whether a value looks made by a machine, though it is short or
// has few digits: letters and digits mixed in one part, or letters in a random case.
func looksGenerated(v []byte) bool {
	if isUUID(v) || isSlug(v) || isVersion(v) || isPath(v) || bytes.ContainsAny(v, " \t(){}[]<>,;\\") {
		return false
	}
	least := 3.0
	if len(v) < 12 {
		least = 2.75
	}
	if !random(v, least) {
		return false
	}
	if hasDigit(v) && digitGroups(v) >= 2 {
		return true
	}
	changes := 0 // of case, within words
	for i := 1; i < len(v); i++ {
		if class[v[i]]&class[v[i-1]]&isLetter != 0 && v[i]&0x20 != v[i-1]&0x20 {
			changes++
		}
	}
	return changes*3 >= len(v) && len(v) >= 16
}

// looksRandom reports whether a value looks generated: it has enough entropy, letters and
// digits, is no UUID, and not only words and numbers.
func looksRandom(v []byte) bool {
	nDigits, nLetters, mixed := 0, 0, false
	var part uint16 // classes seen since the last separator
	for _, c := range v {
		switch k := class[c]; {
		case k&isDigit != 0:
			nDigits++
			part |= isDigit
		case k&isLetter != 0:
			nLetters++
			part |= isLetter
		case c <= ' ':
			return false
		default:
			part = 0
		}
		mixed = mixed || part == isDigit|isLetter
	}
	return len(v) >= minRun && mixed && nDigits >= 2 && nLetters >= 2 && !isUUID(v) && !isSlug(v) && !isPath(v) && !bytes.ContainsAny(v, "(){}[]<>,;\\") && random(v, valueEntropy)
}

// isSlug reports whether a value consists of words and numbers between separators:
// my-app-2024, users.find_by_id, sha256.
func isSlug(v []byte) bool {
	parts := bytes.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' || r == ':' })
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		if !isLetters(p) && !(isDigits(p) && len(p) <= 4) && !(len(p) <= 4 && isLetters(bytes.TrimRight(p, "0123456789"))) {
			return false
		}
	}
	return true
}

// isPath reports whether a value has more slashes than base64 has: one of 64 characters.
func isPath(v []byte) bool {
	n := bytes.Count(v, []byte("/"))
	return n >= 3 && n*12 >= len(v)
}

// isVersion reports whether a value is a number with dots, perhaps behind a "v".
func isVersion(v []byte) bool {
	return len(bytes.Trim(bytes.TrimPrefix(v, []byte("v")), "0123456789.")) == 0
}

// isBasicAuth reports whether a value is the base64 of user:password (RFC 7617).
func isBasicAuth(v []byte) bool {
	plain, err := base64.StdEncoding.DecodeString(string(v))
	if err != nil {
		return false
	}
	user, password, ok := bytes.Cut(plain, []byte(":"))
	return ok && len(user) > 0 && len(password) >= 4 && !isPlaceholder(password) && utf8.Valid(plain) && bytes.IndexFunc(plain, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// digitGroups counts the runs of digits in v.
func digitGroups(v []byte) int {
	return len(bytes.FieldsFunc(v, func(c rune) bool { return c < '0' || c > '9' }))
}

func hasDigit(v []byte) bool { return bytes.ContainsAny(v, "0123456789") }

func isDigits(v []byte) bool { return len(bytes.Trim(v, "0123456789")) == 0 }

func isHex(v []byte) bool { return len(bytes.Trim(v, "0123456789abcdefABCDEF")) == 0 }

func isLetters(v []byte) bool {
	for _, c := range v {
		if class[c]&isLetter == 0 {
			return false
		}
	}
	return len(v) > 0
}

func isWordOnly(v []byte) bool {
	for _, c := range v {
		if class[c]&isWord == 0 {
			return false
		}
	}
	return true
}

// isUUID reports whether v has the form 8-4-4-4-12.
func isUUID(v []byte) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
}

// isBase64Text reports whether a value is base64.
func isBase64Text(v []byte) bool {
	_, err := base64.StdEncoding.DecodeString(string(v))
	return err == nil && len(v) >= minSecret
}
