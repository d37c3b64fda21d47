package redact

import "math"

// alphabet is the bytes that may follow the prefix of a shape.
type alphabet uint8

const (
	base62  alphabet = iota // letters and digits
	word                    // and "_"
	url64                   // and "-"
	hexa                    // lower-case hexadecimal
	base32                  // A–Z and 2–7
	letters                 // upper and lower case
)

// shape is a token of one provider: a prefix and a number of characters.
type shape struct {
	prefix   string
	alphabet alphabet
	min, max int     // characters behind the prefix
	entropy  float64 // bits a character, at least; placeholders ("xxxx…") have less
}

// match returns the length of the token at the start of run, which ends where the
// token characters end, or 0.
func (s *shape) match(run []byte) int {
	if !hasPrefix(run, s.prefix) {
		return 0
	}
	body := run[len(s.prefix):]
	n := 0
	for n < len(body) && n <= s.max && s.alphabet.has(body[n]) {
		n++
	}
	switch {
	case n < s.min, n > s.max, n < len(body) && class[body[n]]&isBase62 != 0:
		return 0
	case !random(body[:n], s.entropy), endsWith(body[:n], "EXAMPLE"), endsWith(body[:n], "EXAMPLEKEY"):
		return 0
	}
	return len(s.prefix) + n
}

func (a alphabet) has(c byte) bool {
	switch a {
	case word:
		return class[c]&isBase62 != 0 || c == '_'
	case url64:
		return class[c]&isBase62 != 0 || c == '_' || c == '-'
	case hexa:
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
	case base32:
		return 'A' <= c && c <= 'Z' || '2' <= c && c <= '7'
	case letters:
		return class[c]&isLetter != 0
	}
	return class[c]&isBase62 != 0
}

// shapes are the known tokens by their first byte. The lengths are those of the
// providers' documentation where it gives them, else those of the rules of gitleaks
// (https://github.com/gitleaks/gitleaks, config/gitleaks.toml) and of GitHub's
// secret scanning patterns (https://docs.github.com/code-security).
var shapes = byFirst([]shape{
	// AWS access key ids (IAM User Guide, "Unique identifiers").
	{"AKIA", base32, 16, 16, 2.5}, {"ASIA", base32, 16, 16, 2.5}, {"ABIA", base32, 16, 16, 2.5}, {"ACCA", base32, 16, 16, 2.5},
	// GitHub (https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/).
	{"ghp_", base62, 36, 251, 3}, {"gho_", base62, 36, 251, 3}, {"ghu_", base62, 36, 251, 3}, {"ghs_", base62, 36, 251, 3}, {"ghr_", base62, 36, 251, 3},
	{"github_pat_", word, 82, 243, 3},
	// GitLab (docs.gitlab.com/security/tokens, "Token prefixes").
	{"glpat-", url64, 20, 300, 3}, {"gldt-", url64, 20, 300, 3}, {"glrt-", url64, 20, 300, 3}, {"glptt-", url64, 40, 300, 3}, {"glcbt-", url64, 20, 300, 3},
	{"glft-", url64, 20, 300, 3}, {"glsoat-", url64, 20, 300, 3}, {"glagent-", url64, 50, 300, 3}, {"GR1348941", url64, 20, 20, 3},
	// Slack (docs.slack.dev/authentication/tokens).
	{"xoxb-", url64, 20, 300, 2.5}, {"xoxp-", url64, 20, 300, 2.5}, {"xoxa-", url64, 20, 300, 2.5}, {"xoxr-", url64, 20, 300, 2.5}, {"xoxs-", url64, 20, 300, 2.5},
	{"xoxe-", url64, 20, 300, 2.5}, {"xoxc-", url64, 20, 300, 2.5}, {"xoxd-", url64, 20, 300, 2.5}, {"xapp-", url64, 40, 300, 2.5},
	// Google API keys and OAuth client secrets.
	{"AIza", url64, 35, 35, 3}, {"GOCSPX-", url64, 28, 28, 3},
	// Stripe (docs.stripe.com/keys); publishable keys are public.
	{"sk_live_", base62, 16, 247, 3}, {"sk_test_", base62, 16, 247, 3}, {"rk_live_", base62, 16, 247, 3}, {"rk_test_", base62, 16, 247, 3}, {"whsec_", base62, 32, 64, 3},
	// OpenAI, Anthropic and those that copied their form.
	{"sk-ant-", url64, 80, 200, 3.5}, {"sk-proj-", url64, 40, 300, 3.5}, {"sk-svcacct-", url64, 40, 300, 3.5}, {"sk-admin-", url64, 40, 300, 3.5},
	{"sk-or-v1-", hexa, 64, 64, 3}, {"sk-", base62, 32, 64, 3.5},
	// Package registries: npm, PyPI (its tokens are macaroons that start with the host), RubyGems, crates.io, NuGet.
	{"npm_", base62, 36, 36, 3}, {"pypi-AgEIcHlwaS5vcmc", url64, 50, 500, 3}, {"pypi-AgENdGVzdC5weXBpLm9yZw", url64, 50, 500, 3},
	{"rubygems_", hexa, 48, 48, 3}, {"cio", base62, 32, 32, 3.5}, {"oy2", base62, 43, 43, 3.5},
	// Twilio API keys, Mailgun, SendinBlue.
	{"SK", hexa, 32, 32, 3}, {"key-", hexa, 32, 32, 3}, {"xkeysib-", hexa, 64, 64, 3},
	// Others with a prefix of their own.
	{"hf_", letters, 34, 34, 3.5}, {"dop_v1_", hexa, 64, 64, 3}, {"doo_v1_", hexa, 64, 64, 3}, {"dapi", hexa, 32, 32, 3},
	{"shpat_", hexa, 32, 32, 3}, {"shpss_", hexa, 32, 32, 3}, {"shppa_", hexa, 32, 32, 3}, {"lin_api_", base62, 40, 40, 3}, {"glsa_", word, 41, 41, 3},
	{"NRAK-", base62, 27, 27, 3}, {"PMAK-", url64, 59, 59, 3}, {"AGE-SECRET-KEY-1", base62, 58, 58, 3}, {"sntrys_", word, 60, 300, 3}, {"dckr_pat_", url64, 27, 27, 3},
})

func byFirst(all []shape) (t [256][]shape) {
	for _, s := range all {
		t[s.prefix[0]] = append(t[s.prefix[0]], s)
	}
	return t
}

// random reports whether the Shannon entropy of s is at least bits a character.
// A random token of n characters has a little less than log2 n; words and
// placeholders stay below 3.
func random(s []byte, bits float64) bool {
	var count [256]int
	for _, c := range s {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum >= bits
}
