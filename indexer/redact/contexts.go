package redact

import (
	"bytes"
	"strings"
)

// The rules of this package. The others are named by gitleaks.
const (
	ruleAssigned   = "assigned-secret"
	ruleHeader     = "authorization-header"
	ruleCommand    = "command-line-password"
	ruleURL        = "url-password"
	ruleSignature  = "shared-access-signature"
	ruleWebhook    = "webhook"
	ruleSentry     = "sentry-dsn"
	ruleTelegram   = "telegram-token"
	ruleFirebase   = "firebase-server-key"
	ruleMailchimp  = "mailchimp-key"
	ruleKubernetes = "kubernetes-secret"
	ruleNpm        = "npm-auth-token"
	rulePrivateKey = "private-key"
	ruleJWT        = "json-web-token"
	ruleDotted     = "dotted-token"
	ruleToken      = "provider-token"
)

// contexts are the texts, in lower case, that stand beside a secret that has neither a
// shape of its own nor a name.
var contexts = map[string]finder{
	"bearer ":                      (*masker).bearer,
	"token ":                       (*masker).bearer,
	"basic ":                       (*masker).basic,
	"curl ":                        (*masker).curl,
	"sshpass ":                     (*masker).login,
	"docker login ":                (*masker).login,
	":apa91b":                      (*masker).firebase,
	"sig=":                         (*masker).signature,
	"hooks.slack.com/":             (*masker).webhook,
	"discord.com/api/webhooks/":    (*masker).webhook,
	"discordapp.com/api/webhooks/": (*masker).webhook,
	":aa":                          (*masker).telegram,
	"-us":                          (*masker).mailchimp,
	"kind:":                        (*masker).kubernetes,
	"_authtoken":                   (*masker).npm,
	"private-lines:":               (*masker).putty,
}

// bearer masks the token behind "Bearer " or "token " (RFC 6750, section 2.1).
func (m *masker) bearer(_, end int) {
	n := runLen(m.in, end)
	for at(m.in, end+n) == '.' {
		n += 1 + runLen(m.in, end+n+1)
	}
	if v := m.in[end : end+n]; n >= minRun && hasDigit(v) && !isPlaceholder(v) && looksGenerated(v) {
		m.mask(end, end+n, ruleHeader)
	}
}

// basic masks the credentials behind "Basic " (RFC 7617, section 2).
func (m *masker) basic(_, end int) {
	stop := end + runLen(m.in, end)
	for at(m.in, stop) == '=' {
		stop++
	}
	if stop-end >= minSecret && isBasicAuth(m.in[end:stop]) {
		m.mask(end, stop, ruleHeader)
	}
}

// pairFlags and passwordFlags are the flags of commands behind which user:password or a
// password stand.
var (
	pairFlags     = []string{"-u ", "-u\"", "-u'", "--user ", "--user=", "--proxy-user "}
	passwordFlags = []string{"-p ", "-p'", "-p\""}
)

// curl masks the password of -u user:password in the command.
func (m *masker) curl(_, end int) {
	for _, flag := range pairFlags {
		v := m.flagValue(end, flag)
		if colon := bytes.IndexByte(m.in[v.start:v.end], ':'); colon >= 0 {
			m.argument(span{v.start + colon + 1, v.end})
		}
	}
}

// login masks the password of -p password in a command that takes it so.
func (m *masker) login(_, end int) {
	for _, flag := range passwordFlags {
		m.argument(m.flagValue(end, flag))
	}
}

// argument masks a password on a command line.
func (m *masker) argument(s span) {
	if v := m.in[s.start:s.end]; len(v) >= minPassword && !isPlaceholder(v) && !isReference(v) && !bytes.Contains(v, []byte("****")) {
		m.mask(s.start, s.end, ruleCommand)
	}
}

// flagValue returns the value behind a flag of the command that goes on at i, nothing
// where it has none.
func (m *masker) flagValue(i int, flag string) span {
	command := m.in[i:min(len(m.in), i+maxValue)]
	n := bytes.Index(command, []byte(flag))
	if n < 0 || n > 0 && command[n-1] != ' ' || bytes.ContainsRune(bytes.ReplaceAll(command[:n], []byte("\\\n"), nil), '\n') {
		return span{}
	}
	i += n + len(flag)
	if endsWith(m.in[:i], "'") || endsWith(m.in[:i], "\"") {
		i--
	}
	if c := at(m.in, i); c == '"' || c == '\'' {
		v, _, _ := m.quoted(i)
		return v
	}
	return m.unquoted(i, atDelimiter)
}

// signature masks the signature of a shared access signature of Azure, which is base64
// in a URL (Azure Storage, "Create a service SAS").
func (m *masker) signature(start, end int) {
	if c := at(m.in, start-1); c != '&' && c != '?' && c != ';' {
		return
	}
	stop := end
	for stop < len(m.in) && (class[m.in[stop]]&isToken != 0 || m.in[stop] == '%' || m.in[stop] == '=') {
		stop++
	}
	if v := m.in[end:stop]; len(v) >= 40 && random(v, valueEntropy) {
		m.mask(end, stop, ruleSignature)
	}
}

// webhook masks the last part of a URL that is itself the secret.
func (m *masker) webhook(_, end int) {
	stop := end
	for stop < len(m.in) && (class[m.in[stop]]&isToken != 0) {
		stop++
	}
	last := end + bytes.LastIndexByte(m.in[end:stop], '/') + 1
	if v := m.in[last:stop]; last > end && len(v) >= minRun && !isPlaceholder(v) && random(v, 3) {
		m.mask(last, stop, ruleWebhook)
	}
}

// telegram masks the token of a bot: its number, ":AA" and 33 characters.
func (m *masker) telegram(start, end int) {
	first := start
	for first > 0 && start-first < 11 && class[m.in[first-1]]&isDigit != 0 {
		first--
	}
	stop := start + 1
	for stop < len(m.in) && class[m.in[stop]]&isURL64 != 0 {
		stop++
	}
	if start-first >= 8 && start-first <= 10 && stop-start == 36 && random(m.in[end:stop], valueEntropy) {
		m.mask(first, stop, ruleTelegram)
	}
}

// firebase masks the server key of Firebase Cloud Messaging.
func (m *masker) firebase(start, end int) {
	first := start
	for first > 0 && start-first <= 12 && class[m.in[first-1]]&isURL64 != 0 {
		first--
	}
	if n := runLen(m.in, end); n >= 100 && start-first >= 11 {
		m.mask(first, end+n, ruleFirebase)
	}
}

// mailchimp masks 32 hexadecimal digits in front of the name of a data center.
func (m *masker) mailchimp(start, end int) {
	first := start
	for first > 0 && start-first <= 32 && class[m.in[first-1]]&isHexa != 0 {
		first--
	}
	stop := end
	for stop < len(m.in) && class[m.in[stop]]&isDigit != 0 {
		stop++
	}
	if start-first == 32 && stop > end && stop-end <= 2 && random(m.in[first:start], 3) {
		m.mask(first, stop, ruleMailchimp)
	}
}

// npm masks what is assigned to _authToken in an .npmrc file, also a UUID, which tokens
// were until 2021.
func (m *masker) npm(_, end int) {
	if at(m.in, end) != '=' {
		return
	}
	v := m.unquoted(end+1, atDelimiter)
	if s := m.in[v.start:v.end]; len(s) >= minRun && hasDigit(s) && !isReference(s) && !isPlaceholder(s) {
		m.mask(v.start, v.end, ruleNpm)
	}
}

// kubernetes masks the values of a Secret: the maps data and stringData.
func (m *masker) kubernetes(_, end int) {
	i := m.skip(end)
	if !m.yaml || !foldPrefix(m.in[i:], "secret") || class[at(m.in, i+len("secret"))]&isWord != 0 {
		return
	}
	first, last := 0, len(m.in)
	if n := bytes.LastIndex(m.in[:end], []byte("\n---")); n >= 0 {
		first = n + 1
	}
	if n := bytes.Index(m.in[end:], []byte("\n---")); n >= 0 {
		last = end + n
	}
	inside, offset := false, first
	for line := range bytes.Lines(m.in[first:last]) {
		text := bytes.TrimSpace(line)
		switch indented := len(line) > 0 && line[0] == ' '; {
		case !indented:
			inside = string(text) == "data:" || string(text) == "stringData:"
		case inside:
			if name, v, ok := bytes.Cut(line, []byte(":")); ok && !strings.Contains(string(name), "#") {
				v = bytes.Trim(v, " \t\r\n\"'")
				from := offset + len(name) + 1 + bytes.Index(line[len(name)+1:], v)
				if len(v) >= 4 && !isReference(v) && !bytes.Contains(v, []byte("**")) && (!isPlaceholder(v) || isBase64Text(v)) {
					m.mask(from, from+len(v), ruleKubernetes)
				}
			}
		}
		offset += len(line)
	}
}

// putty masks the private part of a key of PuTTY: the lines that "Private-Lines" counts.
func (m *masker) putty(_, end int) {
	_, rest, _ := bytes.Cut(m.in[end:], []byte("\n"))
	start := len(m.in) - len(rest)
	body := rest[:keyExtent(rest)]
	if nl := bytes.Index(body, []byte("Private-MAC")); nl >= 0 {
		body = body[:nl]
	}
	m.maskBase64(start, body)
}
