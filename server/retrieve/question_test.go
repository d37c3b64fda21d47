package retrieve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/retrieve"
)

func TestWordsAreCutAtCaseDigitsAndSigns(t *testing.T) {
	tests := []struct {
		word string
		want []string
	}{
		{"", nil},
		{"retry", []string{"retry"}},
		{"parseHTTPHeader", []string{"parse", "http", "header"}},
		{"max_body_size", []string{"max", "body", "size"}},
		{"sha256sum", []string{"sha", "256", "sum"}},
		{"__init__", []string{"init"}},
		{"größeÄndern", []string{"größe", "ändern"}},
		{"A", []string{"a"}},
		{"foo-bar.baz", []string{"foo", "bar", "baz"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, retrieve.Split(tt.word)); diff != "" {
			t.Errorf("split(%q) (-want +got):\n%s", tt.word, diff)
		}
	}
}

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for _, forms := range []string{
		"parse parses parsing parsed parser",
		"validate validation validator validates",
		"query queries",
		"cache caching cached caches",
		"run running runner runs",
		"class classes",
		"connect connection connections connected",
	} {
		words := strings.Fields(forms)
		for _, w := range words {
			if got, want := retrieve.Stem(w), retrieve.Stem(words[0]); got != want {
				t.Errorf("stem(%q) = %q, want %q as of %q", w, got, want, words[0])
			}
		}
	}
}

// TestAStemBeginsLikeItsWord checks the property that byPath relies on.
func TestAStemBeginsLikeItsWord(t *testing.T) {
	for _, w := range strings.Fields("a is key dry ties tied passes ation xation sion ing string sing users classes ies 日本 äöüs") {
		s := retrieve.Stem(w)
		n := min(3, len(s))
		if s == "" || len(s) < min(3, len(w)) || s[:n] != w[:n] {
			t.Errorf("stem(%q) = %q", w, s)
		}
	}
}

func TestScopeIsTheWidestThatAWordAsksFor(t *testing.T) {
	tests := []struct {
		question string
		want     api.Scope
	}{
		{"", api.Focused},
		{"RateLimiter", api.Focused},
		{"worker pool", api.Focused},
		{"somehow", api.Focused},
		{"HOW are tokens refilled", api.Exploratory},
		{"refill: how?", api.Exploratory},
		{"where is the cache", api.Exploratory},
		{"how is the whole cache built", api.Comprehensive},
		{"architecture", api.Comprehensive},
		{"overview, please", api.Comprehensive},
	}
	for _, tt := range tests {
		if got := retrieve.Classify(tt.question); got != tt.want {
			t.Errorf("classify(%q) = %s, want %s", tt.question, got, tt.want)
		}
	}
}

func TestTermsAreContentWordsOnce(t *testing.T) {
	tests := []struct {
		question string
		want     []string
	}{
		{"how does the parser handle parsing?", []string{"pars"}},
		{"parseHeader and HTTP headers", []string{"pars", "head", "http"}},
		{"the", nil},
		{"…!?", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, retrieve.Terms(tt.question)); diff != "" {
			t.Errorf("terms of %q (-want +got):\n%s", tt.question, diff)
		}
	}
}

func TestWordsBecomePossibleNamesInCode(t *testing.T) {
	tests := []struct {
		question string
		want     []string
	}{
		{"where is maxRetries read", []string{"maxRetries", "$maxRetries", "_maxRetries", "read", "Read"}},
		{"retry policy", []string{"RetryPolicy", "retryPolicy", "retry_policy", "retrypolicy", "RETRY_POLICY", "retry", "Retry", "policy", "Policy"}},
		{"retry the policy", []string{"retry", "Retry", "policy", "Policy"}},
		{"Router", []string{"Router", "router", "$router", "_router", "$Router", "_Router"}},
		{"ſ ſ", []string{"SS", "ſS", "ſ_ſ", "ſſ", "S_S", "ſ", "S"}}, // letters that grow and shrink with their case
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, retrieve.Names(tt.question)); diff != "" {
			t.Errorf("names in %q (-want +got):\n%s", tt.question, diff)
		}
	}
}

func TestAHugeQuestionIsReadInPart(t *testing.T) {
	for name, q := range map[string]string{
		"one word":    strings.Repeat("aB", 1<<19),
		"many words":  strings.Repeat("word ", 100_000),
		"cut letter":  strings.Repeat("ä", 1<<19),
		"not UTF-8":   strings.Repeat("\xff\xfe", 1<<19),
		"many joined": strings.Repeat("aB_", 1<<18),
	} {
		if n := len(retrieve.Names(q)); n > 1000 {
			t.Errorf("%s: %d names", name, n)
		}
		if i := slices.IndexFunc(retrieve.Names(q), func(n string) bool { return len(n) > 800 }); i >= 0 {
			t.Errorf("%s: a name of %d bytes", name, len(retrieve.Names(q)[i]))
		}
	}
}
