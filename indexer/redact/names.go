package redact

import "bytes"

// strength says which values are secrets under a name.
type strength int

const (
	notSecret strength = iota
	weakName           // random values, in configuration and under constants: KEY, salt
	tokenName          // values that look generated: token, secret, api_key
	passName           // values that are no plain word: password
)

// nameWords are the words at which names of secrets are found, in lower case.
var nameWords = []string{"pass", "pwd", "secret", "token", "key", "cred", "auth", "salt", "_pw", "bindpw"}

// passWords, tokenWords and weakWords are the words of names by strength, in lower case
// without separators. passWords and weakWords hold as the last words of a name only.
var (
	passWords  = []string{"password", "passwd", "pwd", "passphrase", "passcode", "pass", "pw", "bindpw", "requirepass"}
	tokenWords = []string{
		"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "authkey", "accountkey", "signingkey", "signaturekey",
		"encryptionkey", "masterkey", "sharedkey", "storagekey", "servicekey", "licensekey", "secretkey", "integrationkey", "credential", "creds", "clientkeydata",
	}
	weakWords = []string{"key", "salt", "auth", "authorization"}
	// otherWords end names of what is about a secret and is none.
	otherWords = []string{
		"name", "names", "type", "types", "field", "url", "uri", "path", "file", "filename", "dir", "length", "len", "size", "count", "expiry", "expires", "ttl", "policy",
		"label", "placeholder", "prompt", "hint", "title", "text", "description", "message", "msg", "error", "errors", "regex", "pattern", "header", "param", "params", "index",
		"kind", "version", "prefix", "suffix", "class", "id", "ids", "format", "algorithm", "alg", "issuer", "audience", "scope", "endpoint", "ref", "state", "status", "provider", "method", "event", "route", "input", "selector", "required", "enabled",
	}
	// qualifiers at the end of a name say nothing of what it names.
	qualifiers = []string{
		"prod", "production", "dev", "development", "staging", "test", "default", "value", "val", "str", "string", "base", "base64", "b64", "hex", "data", "encoded", "live", "old", "new", "root", "admin", "main", "plain", "raw", "current", "previous",
	}
	// publicWords anywhere in a name make the value public.
	publicWords = []string{"public", "publishable", "hashed"}
	// firstWords at the start of a name make the word behind them mean something else.
	firstWords = []string{"pub", "primary", "foreign", "partition", "sort", "cache", "idempotency", "csrf"}
)

// strengthOf returns how the words of a name say that its value is a secret.
func strengthOf(words [][]byte) strength {
	for i := len(words) - 1; i > 0 && isQualifier(words[i]); i-- {
		words = words[:i]
	}
	if len(words) == 0 {
		return notSecret
	}
	flat := bytes.Join(words, nil)
	last := words[len(words)-1]
	about := oneOf(last, otherWords)
	switch {
	case len(words) > 1 && oneOf(words[0], firstWords), containsAny(flat, publicWords):
		return notSecret
	case !about && (oneOf(last, passWords) || endsWithAny(flat, passWords[:4])):
		return passName
	case !about && endsWithAny(flat, tokenWords):
		return tokenName
	case containsAny(flat, tokenWords), !about && oneOf(last, weakWords):
		return weakName
	}
	return notSecret
}

// isQualifier reports whether a word at the end of a name says nothing of what it is:
// PASSWORD_PROD, token2, secret_base, api_key_v2.
func isQualifier(word []byte) bool {
	return isDigits(word) || len(word) == 2 && word[0] == 'v' || oneOf(word, qualifiers)
}

// split appends the words of a name in lower case, with buf as their memory: they end
// at "_", "-", and before an upper-case letter behind a lower-case one or a digit.
func split(name, buf []byte) (words [][]byte) {
	start := 0
	cut := func() {
		if len(buf) > start {
			words, start = append(words, buf[start:len(buf):len(buf)]), len(buf)
		}
	}
	for i, c := range name {
		upper := 'A' <= c && c <= 'Z'
		switch {
		case class[c]&isBase62 == 0:
			cut()
			continue
		case upper && i > 0 && (name[i-1] < 'A' || name[i-1] > 'Z'),
			upper && i > 0 && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z':
			cut()
		}
		if upper {
			c += 'a' - 'A'
		}
		buf = append(buf, c)
	}
	cut()
	return words
}

func oneOf(word []byte, list []string) bool {
	for _, w := range list {
		if string(word) == w {
			return true
		}
	}
	return false
}

func endsWithAny(flat []byte, list []string) bool {
	for _, w := range list {
		if endsWith(flat, w) {
			return true
		}
	}
	return false
}

func containsAny(flat []byte, list []string) bool {
	for _, w := range list {
		if bytes.Contains(flat, []byte(w)) {
			return true
		}
	}
	return false
}

// isConstant reports whether a name is spelled like an environment variable.
func isConstant(name []byte) bool { return bytes.Equal(name, bytes.ToUpper(name)) }
