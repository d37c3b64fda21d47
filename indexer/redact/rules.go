package redact

import (
	"bytes"
	"regexp"
	"sync"
)

//go:generate go run ./gitleaks

// providerRule is a rule of gitleaks.
type providerRule struct {
	id       string
	keywords []string // in lower case; the rule looks where one of them is
	expr     string   // its first group that is not empty is the secret, else the whole match
	least    int      // length of the shortest match, in bytes
	anchored bool     // expr matches at the keyword; else in the run of token characters around it
	entropy  float64  // least bits per character of the secret; 0 for none given
	group    int      // the group that is the secret; 0 for the first that is not empty
	samples  string   // matches secrets that are published samples; "" for none
}

// lazyRule is a rule whose expressions are compiled when its keyword is first seen.
type lazyRule struct {
	*providerRule
	once   sync.Once
	re     *regexp.Regexp
	sample *regexp.Regexp // nil for none
}

func (r *lazyRule) compile() {
	r.once.Do(func() {
		r.re = regexp.MustCompile(r.expr)
		if r.samples != "" {
			r.sample = regexp.MustCompile(r.samples)
		}
	})
}

const (
	maxBefore   = 128 // token characters before a keyword
	maxToken    = 640 // and after it
	maxAssigned = 320 // from a provider's name to the end of what is assigned
	// leastEntropy holds for rules that give none. Words and placeholders have less.
	leastEntropy = 2.5
)

// find masks the secrets at a keyword that the rule finds there.
func (r *lazyRule) find(m *masker, start, end int) {
	if start < m.searched[r.providerRule] {
		return // in a run that the rule has searched
	}
	lo, hi := start, min(start+maxAssigned, len(m.in))
	if !r.anchored {
		lo, hi = m.around(start, end)
	}
	if hi-lo < r.least {
		return
	}
	if !r.anchored {
		if m.searched == nil {
			m.searched = map[*providerRule]int{}
		}
		m.searched[r.providerRule] = hi
	}
	r.compile()
	for {
		loc := r.re.FindSubmatchIndex(m.in[lo:hi])
		if loc == nil {
			return
		}
		if secret := r.secret(loc); r.accepts(m.in[lo+secret.start : lo+secret.end]) {
			m.mask(lo+secret.start, lo+secret.end, r.id)
		}
		if lo += max(loc[1], 1); r.anchored {
			return
		}
	}
}

// secret returns where the secret is in a match.
func (r *lazyRule) secret(loc []int) span {
	if r.group > 0 {
		return span{loc[2*r.group], loc[2*r.group+1]}
	}
	for g := 2; g < len(loc); g += 2 {
		if loc[g+1] > loc[g] {
			return span{loc[g], loc[g+1]}
		}
	}
	return span{loc[0], loc[1]}
}

// accepts reports whether what the expression found is no word and no sample.
func (r *lazyRule) accepts(secret []byte) bool {
	least := r.entropy
	if least == 0 {
		least = leastEntropy
	}
	switch {
	case !random(secret, least), containsAny(bytes.ToLower(secret), []string{"example", "xxxx", "****", "...."}):
		return false
	case r.anchored && !hasDigit(secret):
		return false // an identifier
	}
	return r.sample == nil || !r.sample.Match(secret)
}

// around returns the run of characters of tokens and URLs that holds in[start:end), with
// the characters before and after it.
func (m *masker) around(start, end int) (lo, hi int) {
	for lo = start; lo > 0 && start-lo < maxBefore && class[m.in[lo-1]]&isRun != 0; lo-- {
	}
	for hi = end; hi < len(m.in) && hi-end < maxToken && class[m.in[hi]]&isRun != 0; hi++ {
	}
	return max(lo-1, 0), min(hi+1, len(m.in))
}
