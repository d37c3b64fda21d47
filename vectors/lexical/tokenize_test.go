package lexical_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/lexical"
)

func TestTokens(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"camel with an acronym", "parseHTTPHeader", "parsehttpheader parse http header"},
		{"snake meets camel", "parse_http_header", "parsehttpheader parse http header"},
		{"upper snake", "MAX_BODY_SIZE", "maxbodysize max body size"},
		{"the plural of an acronym is one part", "userIDs URLs", "userids user ids urls"},
		{"digits are parts", "sha256 utf8Decode", "sha256 sha 256 utf8decode utf decode"},
		{"literals are whole and short", "8080 0xff 3.14 0xdeadbeefcafe 12345678901", "8080 0xff 14"},
		{"single letters go", "i x T a.b _ __ xIndex", "xindex index"},
		{"kebab and dots separate", "max-width os.Path", "max width os path"},
		{"letters of every script", "größeÄndern Ελλάδα 表示", "größeändern größe ändern ελλάδα 表示"},
		{"a script without blanks gives bigrams", "API返回数据，并写入 表 index文件2号", "api 返回 回数 数据 并写 写入 表 index 文件 号"},
		{"kana and Hangul", "タイムアウト 설정파일", "タイ イム ムア アウ ウト 설정 정파 파일"},
		{"a run of very many parts is kept whole only", strings.Repeat("aB", 17), strings.Repeat("ab", 17)},
		{"a very long run is cut", strings.Repeat("a", 1000) + " end", strings.Repeat("a", 61) + " end"},
		{"invalid UTF-8 and NUL separate", "one\xfftwo\x00three", "one two three"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(lexical.Tokens(tt.text), " ")); diff != "" {
				t.Errorf("Tokens(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestWordsOfOneStemAreOneTerm(t *testing.T) {
	for _, words := range []string{
		"parse parses parsed parsing",
		"query queries",
		"cookie cookies",
		"retry retries retried retrying",
		"class classes",
		"hash hashes hashed hashing",
		"run runs running",
		"call calls called calling",
		"code codes coded coding",
		"use uses used using",
		"status statuses",
		"alias aliases",
		"validate validates validator validators validation",
		"connect connects connected connection connections",
		"completion completions",
		"need needs",
	} {
		terms := lexical.Terms(words)
		for _, term := range terms {
			if term != terms[0] {
				t.Errorf("Terms(%q) = %q, want one term", words, terms)
				break
			}
		}
	}
}

func TestWordsThatMustNotMeetStayApart(t *testing.T) {
	for _, words := range []string{"file fill", "route router", "head header", "string str", "thing the", "us use", "test text", "embed emb"} {
		if terms := lexical.Terms(words); terms[0] == terms[1] {
			t.Errorf("Terms(%q) = %q, want two terms", words, terms)
		}
	}
}

func TestQueryTermsAreDistinctAndBounded(t *testing.T) {
	if diff := cmp.Diff([]string{"parsefile", "pars", "file"}, lexical.QueryTerms("parseFile, parsing files")); diff != "" {
		t.Errorf("QueryTerms (-want +got):\n%s", diff)
	}
	var many strings.Builder
	for i := range 26 * 26 {
		many.WriteString("w" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + " ")
	}
	if n := len(lexical.QueryTerms(many.String())); n != 128 {
		t.Errorf("%d terms of a pasted text, want 128", n)
	}
}

func FuzzTokensAreShortLowerAndStable(f *testing.F) {
	for _, s := range []string{"parseHTTPHeader", "a_b__C9", "größe\xff", "IDs", strings.Repeat("ÄbC1", 40), "0x1F 3rd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := lexical.Tokens(text)
		if len(tokens) != len(lexical.Terms(text)) {
			t.Fatalf("%d tokens, %d terms", len(tokens), len(lexical.Terms(text)))
		}
		for _, tok := range tokens {
			if len(tok) < 2 || len(tok) > 64 {
				t.Fatalf("token %q of %d bytes", tok, len(tok))
			}
			if again := lexical.Tokens(tok); len(again) > 0 && again[0] != tok && len(tok) <= 32 {
				t.Fatalf("Tokens(%q) starts with %q", tok, again[0])
			}
		}
	})
}
