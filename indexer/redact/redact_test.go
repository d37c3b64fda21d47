package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/redact"
)

// random is text without a meaning; tokens are put together in the tests, so that
// secret scanners do not report this file as a leak.
const (
	random62  = "q7Xc2LmZ9vKtR4sWb8NyHd3PfGj6TeVa1UiYo5MxAhCkBnDz0ErFlJpQwSgIuO7tXb2Kv9"
	randomHex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	random32  = "QX7LMZ2VKTR4SWBN"
)

// hide replaces each part between ‹ and › with stars and drops the marks.
func hide(marked string) (text, masked string, n int) {
	for {
		before, rest, ok := strings.Cut(marked, "‹")
		text, masked = text+before, masked+before
		if !ok {
			return text, masked, n
		}
		secret, after, _ := strings.Cut(rest, "›")
		text, masked, n = text+secret, masked+strings.Repeat("*", len(secret)), n+1
		marked = after
	}
}

func TestMaskHidesSecretsOnly(t *testing.T) {
	tests := []struct{ name, marked string }{
		{"plain text stays", "func main() { fmt.Println(\"hello\") }\n"},
		{"AWS access key id", "id: ‹AKIA" + random32 + "›\n"},
		{"the AWS id of the documentation stays", "AKIAIOSFODNN7EXAMPLE"},
		{"GitHub token", "x = ‹ghp_" + random62[:36] + "›;"},
		{"GitHub token in a URL path", "https://x/‹ghs_" + random62[:36] + "›/y"},
		{"GitHub fine-grained token", "‹github_pat_" + random62[:22] + "_" + random62[:59] + "›"},
		{"a GitHub placeholder stays", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{"a GitHub token that is too short stays", "ghp_" + random62[:20]},
		{"GitLab token", "‹glpat-" + random62[:20] + "›"},
		{"Slack token", "'‹xoxb-" + "123456789012-1234567890123-" + random62[:24] + "›'"},
		{"Google API key", "key=‹AIza" + random62[:35] + "›&x"},
		{"Stripe key", "‹sk_live_" + random62[:24] + "›"},
		{"a publishable Stripe key stays", "pk_live_" + random62[:24]},
		{"OpenAI key", "‹sk-proj-" + random62[:60] + "›"},
		{"older OpenAI key", "‹sk-" + random62[:48] + "›"},
		{"Anthropic key", "‹sk-ant-" + "api03-" + random62 + random62[:23] + "›"},
		{"a class name that starts as a key stays", ".sk-folding-cube-with-a-very-long-class-name { }"},
		{"npm token", "//registry/:_authToken=‹npm_" + random62[:36] + "›"},
		{"PyPI token", "‹pypi-" + "AgEIcHlwaS5vcmc" + random62 + "›"},
		{"Twilio API key", "‹SK" + randomHex[:32] + "›"},
		{"SendGrid key", "‹SG." + random62[:22] + "." + random62[:43] + "›"},
		{"JSON web token", "Bearer ‹eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + random62[:43] + "›"},
		{"Azure storage key", "AccountName=a;AccountKey=‹" + random62 + random62[:15] + "+A==›;Endpoint=x"},
		{"Azure client secret", "v: ‹abc8Q~" + random62[:31] + "›"},
		{"Vault token", "hvs.‹" + random62[:24] + "›"},
		{"password in a URL", "postgres://app:‹s3cr7Ahunter›@db.internal/x"},
		{"a password that is a variable stays", "postgres://app:${DB_PASSWORD}@db.internal/x"},
		{"a password in an example stays", "https://user:password123@example.com"},
		{"an address without a password stays", "https://app@db.internal, a@b.c"},
		{"a port before an at sign stays", "see http://host:8080/@scope/pkg"},
		{"assigned password", "password = \"‹" + random62[:20] + "›\""},
		{"JSON member", "{\"api_key\": \"‹" + random62[:32] + "›\"}"},
		{"Ruby hash", ":secret_token => '‹" + random62[:32] + "›'"},
		{"Go assignment", "apiToken := `‹" + random62[:24] + "›`"},
		{"environment file", "JWT_SECRET=‹" + randomHex + "›\n"},
		{"environment file with base64 padding", "export API_KEY=‹" + random62[:30] + "==›\n"},
		{"Rails secret key base", "secret_key_base: ‹" + randomHex + randomHex + "›\n"},
		{"a comparison stays", "if token == \"" + random62[:24] + "\" {"},
		{"an expression stays", "token = parseNextToken2From3Reader(x)"},
		{"an identifier stays", "PrivateKey = testRSA2048PrivateKey\n"},
		{"words stay", "secret_name = \"my-app-prod-database-credentials-2024-01\""},
		{"a UUID stays", "token = \"123e4567-e89b-12d3-a456-426614174000\""},
		{"a test vector stays", "SharedSecret: \"" + randomHex + "\""},
		{"a git commit stays", "uses: actions/checkout@" + randomHex[:40]},
		{"a hash stays", "sha256 = \"" + randomHex + "\""},
		{"an integrity hash stays", "\"integrity\": \"sha512-" + random62 + "==\""},
		{"a data URL stays", "url(data:image/png;base64," + random62 + random62 + ")"},
		{"two on a line", "‹ghp_" + random62[:36] + "›,‹ghp_" + random62[1:37] + "›"},
		{"at the very end", strings.Repeat("x ", 40) + "‹ghp_" + random62[:36] + "›"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, want, wantN := hide(tt.marked)
			got, found := redact.Mask("file.txt", []byte(text))
			if diff := cmp.Diff(want, string(got)); diff != "" || len(found) != wantN {
				t.Errorf("Mask(%q) found %d, want %d (-want +got):\n%s", text, len(found), wantN, diff)
			}
		})
	}
}

func TestMaskHidesTheBodyOfAPrivateKey(t *testing.T) {
	begin, end := "-----BEGIN EC PRIVATE "+"KEY-----", "-----END EC PRIVATE "+"KEY-----"
	tests := []struct{ name, in, want string }{
		{
			"in a file",
			"a\n" + begin + "\n" + random62[:64] + "\n" + random62[:20] + "==\n" + end + "\nb\n",
			"a\n" + begin + "\n" + strings.Repeat("*", 64) + "\n" + strings.Repeat("*", 22) + "\n" + end + "\nb\n",
		},
		{
			"in a string literal, whose escapes and quotes stay",
			"k := \"" + begin + `\n` + random62[:64] + `\n" + "` + random62[:9] + `\n` + end + "\"\n",
			"k := \"" + begin + `\n` + strings.Repeat("*", 64) + `\n" * "` + strings.Repeat("*", 9) + `\n` + end + "\"\n",
		},
		{
			"cut off",
			begin + "\n" + random62[:64] + "\n" + random62[:64],
			begin + "\n" + strings.Repeat("*", 64) + "\n" + strings.Repeat("*", 64),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := redact.Mask("key.go", []byte(tt.in))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || len(found) != 1 {
				t.Errorf("Mask found %d, want 1 (-want +got):\n%s", len(found), diff)
			}
		})
	}
	for _, in := range []string{
		"if strings.Contains(s, \"" + begin + "\") || strings.Contains(s, \"" + end + "\") {",
		strings.ReplaceAll(begin+"\n"+random62+"\n"+end, "PRIVATE", "PUBLIC"),
	} {
		if got, found := redact.Mask("key.go", []byte(in)); len(found) != 0 {
			t.Errorf("Mask(%q) = %q, %v; want it as it is", in, got, found)
		}
	}
}

func TestMaskReturnsCleanContentItself(t *testing.T) {
	in := []byte("nothing to hide\n")
	if got, _ := redact.Mask("a.yaml", in); &got[0] != &in[0] {
		t.Error("Mask copied clean content")
	}
	in = []byte("ghp_" + random62[:36])
	before := bytes.Clone(in)
	if redact.Mask("a.yaml", in); !bytes.Equal(in, before) {
		t.Error("Mask wrote to its input")
	}
}

func TestMaskIsLinearInHostileText(t *testing.T) {
	for _, piece := range []string{"sk-", "glpat-", "-----BEGIN PRIVATE " + "KEY-----", "eyJ" + "hbGci.", "://a:b@", "token=", "/", "A", "PRIVATE KEY", "SG."} {
		in := bytes.Repeat([]byte(piece), 1<<20/len(piece))
		if got, _ := redact.Mask("a.yaml", in); len(got) != len(in) {
			t.Errorf("Mask of %q repeated has %d bytes, want %d", piece, len(got), len(in))
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{
		"", "AKIA" + random32, "x://a:b7dGhs@c/", "token=\"" + random62[:30] + "\"", "SG." + random62[:22] + "." + random62[:43],
		"-----BEGIN PRIVATE " + "KEY-----\n" + random62[:64] + "\n-----END", "eyJ" + "hbGciOiJI.eyJzdWIiOiIxMjM0NTY3." + random62[:43], "password=" + random62,
		"ghp_" + random62[:36] + "@://", "abc8Q~" + random62[:31], strings.Repeat("-", 100) + "\x00\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		got, found := redact.Mask("a.yaml", in)
		if !bytes.Equal(in, before) {
			t.Fatal("Mask wrote to its input")
		}
		if len(got) != len(in) || (len(found) == 0) != bytes.Equal(got, in) {
			t.Fatalf("Mask(%q) = %q, %v", in, got, found)
		}
		for i := range got {
			if got[i] != in[i] && (got[i] != '*' || in[i] == '\n' || in[i] == '\r') {
				t.Fatalf("byte %d was %q and is %q", i, in[i], got[i])
			}
		}
		if again, more := redact.Mask("a.yaml", got); !bytes.Equal(again, got) {
			t.Fatalf("masking again hides %v more:\n%q\n%q\n%q", more, in, got, again)
		}
	})
}

// BenchmarkMask compares Mask of Go-like text without secrets to the cheapest possible
// pass.
func BenchmarkMask(b *testing.B) {
	text := bytes.Repeat([]byte("func (c *Command) ExecuteContext(ctx context.Context) error {\n\tif c.ctx == nil { // see https://example.com/spf13/cobra\n\t\tc.ctx = ctx\n\t}\n\treturn c.helpFunc(c, []string{\"completion\"})\n}\n\n"), 5000)
	b.Run("mask", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, found := redact.Mask("a.go", text); len(found) != 0 {
				b.Fatal("found a secret")
			}
		}
	})
	b.Run("IndexByte", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			bytes.IndexByte(text, 0)
		}
	})
}
