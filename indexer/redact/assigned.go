package redact

import "bytes"

const (
	maxValue  = 512 // longer values are data
	maxDigest = 40  // hexadecimal digits; API keys have 32 or 40
	// valueEntropy is the limit of the generic rule of gitleaks. 16 random hexadecimal
	// digits have 3.0 to 3.7, 32 have 3.6 and more, base64 of that length 4 and more.
	valueEntropy = 3.5
)

// assigned masks a run that is assigned to the name of a secret: password = "…",
// "api_key": "…", SECRET_TOKEN=….
func (m *masker) assigned(start, end int) {
	in := m.in
	if end-start > maxValue || at(in, start-1) == '*' {
		return
	}
	for at(in, end) == '=' { // padding
		end++
	}
	quote := at(in, start-1)
	if quote != '"' && quote != '\'' && quote != '`' {
		quote = 0
	}
	i := start - 1
	switch next := at(in, end); {
	case quote != 0 && next != quote:
		return // a part of a longer string
	case quote != 0:
		i--
	case next != 0 && next != '\n' && next != '\r' && next != ' ' && next != ';' && next != '&' && next != '"' && next != '\'':
		return
	}
	name := m.nameBefore(i, quote == 0)
	value := in[start:end]
	switch {
	case !saysSecret(name) || !looksRandom(value):
		return
	case quote == 0 && digitGroups(value) < 3:
		return // an identifier: PrivateKey = testRSA2048PrivateKey
	case len(value) > maxDigest && isHex(value) && !isConstant(name) && !bytes.Contains(bytes.ToLower(name), []byte("secret_key")):
		return // a test vector of cryptography, which calls its inputs secret too
	}
	m.mask(start, end)
}

// nameBefore returns the name to which the value after i is assigned, or nil. A bare
// value, without quotes, must follow a plain "=" or ":", because in code an expression
// may follow other operators.
func (m *masker) nameBefore(i int, bare bool) []byte {
	in := m.in
	i = m.skipBlanks(i)
	switch {
	case at(in, i) == '>' && at(in, i-1) == '=' && !bare: // Ruby and PHP
		i -= 2
	case at(in, i) == '=':
		if i--; at(in, i) == ':' || at(in, i) == '?' {
			i--
		} else if c := at(in, i); c == '=' || c == '!' || c == '<' || c == '>' {
			return nil // a comparison
		}
	case at(in, i) == ':':
		i--
	default:
		return nil
	}
	i = m.skipBlanks(i)
	for c := at(in, i); c == '"' || c == '\'' || c == ']' || c == '`'; c = at(in, i) {
		i--
	}
	end := i + 1
	for c := at(in, i); class[c]&isBase62 != 0 || c == '_' || c == '-'; c = at(in, i) {
		if i--; end-i > maxName {
			return nil
		}
	}
	return in[i+1 : end]
}

const (
	maxName   = 64
	maxBlanks = 32
)

func (m *masker) skipBlanks(i int) int {
	for n := 0; n < maxBlanks && (at(m.in, i) == ' ' || at(m.in, i) == '\t'); n++ {
		i--
	}
	return i
}

// secretWords are the words in names of secrets, in lower case, without "_" and "-".
var secretWords = [][]byte{
	[]byte("password"), []byte("passwd"), []byte("passphrase"), []byte("secret"), []byte("token"), []byte("apikey"),
	[]byte("accesskey"), []byte("privatekey"), []byte("authkey"), []byte("accountkey"), []byte("credential"),
}

// saysSecret reports whether a name contains a word for secrets.
func saysSecret(name []byte) bool {
	var buf [maxName]byte
	flat := buf[:0]
	for _, c := range name {
		if class[c]&isBase62 != 0 && len(flat) < maxName {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			flat = append(flat, c)
		}
	}
	for _, w := range secretWords {
		if bytes.Contains(flat, w) {
			return true
		}
	}
	return false
}

// looksRandom reports whether a value looks generated: it has enough entropy, letters and
// digits, is no UUID, and not only words and numbers.
func looksRandom(v []byte) bool {
	nDigits, nLetters, mixed := 0, 0, false
	var part uint8 // classes seen since the last separator
	for _, c := range v {
		switch k := class[c]; {
		case k&isDigit != 0:
			nDigits++
			part |= isDigit
		case k&isLetter != 0:
			nLetters++
			part |= isLetter
		default:
			part = 0
		}
		mixed = mixed || part == isDigit|isLetter
	}
	return mixed && nDigits >= 2 && nLetters >= 2 && !isUUID(v) && random(v, valueEntropy)
}

// digitGroups counts the runs of digits in v.
func digitGroups(v []byte) int {
	return len(bytes.FieldsFunc(v, func(c rune) bool { return c < '0' || c > '9' }))
}

func isHex(v []byte) bool { return len(bytes.Trim(v, "0123456789abcdefABCDEF")) == 0 }

// isConstant reports whether a name is spelled like an environment variable.
func isConstant(name []byte) bool { return bytes.Equal(name, bytes.ToUpper(name)) }

// isUUID reports whether v has the form 8-4-4-4-12.
func isUUID(v []byte) bool {
	return len(v) == 36 && v[8] == '-' && v[13] == '-' && v[18] == '-' && v[23] == '-'
}
