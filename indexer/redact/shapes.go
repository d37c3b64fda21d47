package redact

import "math"

// shape is a token of one provider: a prefix and a number of characters.
type shape struct {
	prefix   string
	alphabet uint16  // the class of the characters behind the prefix
	min, max int     // how many
	entropy  float64 // least bits per character; placeholders ("xxxx…") have less
}

// match returns the length of the token at the start of run, which ends where the
// token characters end, or 0.
func (s *shape) match(run []byte) int {
	if !hasPrefix(run, s.prefix) {
		return 0
	}
	body := run[len(s.prefix):]
	n := 0
	for n < len(body) && n <= s.max && class[body[n]]&s.alphabet != 0 {
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

// shapes are the known tokens by their first byte. The lengths are those of the
// providers' documentation where it gives them, else those of the rules of gitleaks
// (https://github.com/gitleaks/gitleaks, config/gitleaks.toml) and of GitHub's
// secret scanning patterns (https://docs.github.com/code-security).
var shapes = byFirst([]shape{
	// AWS access key ids (IAM User Guide, "Unique identifiers").
	{"AKIA", isBase32, 16, 16, 2.5}, {"ASIA", isBase32, 16, 16, 2.5}, {"ABIA", isBase32, 16, 16, 2.5}, {"ACCA", isBase32, 16, 16, 2.5},
	// GitHub (https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/).
	{"ghp_", isBase62, 36, 251, 3}, {"gho_", isBase62, 36, 251, 3}, {"ghu_", isBase62, 36, 251, 3}, {"ghs_", isBase62, 36, 251, 3}, {"ghr_", isBase62, 36, 251, 3},
	{"github_pat_", isWord, 82, 243, 3},
	// GitLab (docs.gitlab.com/security/tokens, "Token prefixes").
	{"glpat-", isURL64, 20, 300, 3}, {"gldt-", isURL64, 20, 300, 3}, {"glrt-", isURL64, 20, 300, 3}, {"glptt-", isURL64, 40, 300, 3}, {"glcbt-", isURL64, 20, 300, 3},
	{"glft-", isURL64, 20, 300, 3}, {"glsoat-", isURL64, 20, 300, 3}, {"glagent-", isURL64, 50, 300, 3}, {"GR1348941", isURL64, 20, 20, 3},
	// Slack (docs.slack.dev/authentication/tokens).
	{"xoxb-", isURL64, 20, 300, 2.5}, {"xoxp-", isURL64, 20, 300, 2.5}, {"xoxa-", isURL64, 20, 300, 2.5}, {"xoxr-", isURL64, 20, 300, 2.5}, {"xoxs-", isURL64, 20, 300, 2.5},
	{"xoxe-", isURL64, 20, 300, 2.5}, {"xoxc-", isURL64, 20, 300, 2.5}, {"xoxd-", isURL64, 20, 300, 2.5}, {"xapp-", isURL64, 40, 300, 2.5},
	// Google API keys and OAuth client secrets.
	{"AIza", isURL64, 35, 35, 3}, {"GOCSPX-", isURL64, 28, 28, 3},
	// Stripe (docs.stripe.com/keys); publishable keys are public.
	{"sk_live_", isBase62, 16, 247, 3}, {"sk_test_", isBase62, 16, 247, 3}, {"rk_live_", isBase62, 16, 247, 3}, {"rk_test_", isBase62, 16, 247, 3}, {"whsec_", isBase62, 32, 64, 3},
	// OpenAI, Anthropic and providers with the same form.
	{"sk-ant-", isURL64, 80, 200, 3.5}, {"sk-proj-", isURL64, 40, 300, 3.5}, {"sk-svcacct-", isURL64, 40, 300, 3.5}, {"sk-admin-", isURL64, 40, 300, 3.5},
	{"sk-or-v1-", isHexa, 64, 64, 3}, {"sk-", isBase62, 32, 64, 3.5},
	// Package registries: npm, PyPI (its tokens are macaroons that start with the host), RubyGems, crates.io, NuGet.
	{"npm_", isBase62, 36, 36, 3}, {"pypi-AgEIcHlwaS5vcmc", isURL64, 50, 500, 3}, {"pypi-AgENdGVzdC5weXBpLm9yZw", isURL64, 50, 500, 3},
	{"rubygems_", isHexa, 48, 48, 3}, {"cio", isBase62, 32, 32, 3.5}, {"oy2", isBase62, 43, 43, 3.5},
	// Twilio API keys, Mailgun, SendinBlue.
	{"SK", isHexa, 32, 32, 3}, {"key-", isHexa, 32, 32, 3}, {"xkeysib-", isHexa, 64, 64, 3},
	// Others with a prefix of their own.
	{"hf_", isLetter, 34, 34, 3.5}, {"dop_v1_", isHexa, 64, 64, 3}, {"doo_v1_", isHexa, 64, 64, 3}, {"dapi", isHexa, 32, 32, 3},
	{"shpat_", isHexa, 32, 32, 3}, {"shpss_", isHexa, 32, 32, 3}, {"shppa_", isHexa, 32, 32, 3}, {"lin_api_", isBase62, 40, 40, 3}, {"glsa_", isWord, 41, 41, 3},
	{"NRAK-", isBase62, 27, 27, 3}, {"PMAK-", isURL64, 59, 59, 3}, {"AGE-SECRET-KEY-1", isBase62, 58, 58, 3}, {"sntrys_", isWord, 60, 300, 3}, {"figd_", isURL64, 40, 40, 3.5}, {"dckr_pat_", isURL64, 27, 27, 3},
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
