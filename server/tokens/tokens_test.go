package tokens_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/google/go-cmp/cmp"
	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"github.com/pkoukk/tiktoken-go-loader/assets"
	"pgregory.net/rapid"

	"ambit/server/tokens"
)

// exact are the encodings that tiktoken-go has as well.
var exact = []string{tokens.O200k, tokens.CL100k}

// oracles holds tiktoken-go's encoder for each of exact.
var oracles = sync.OnceValue(func() map[string]*tiktoken.Tiktoken {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	m := map[string]*tiktoken.Tiktoken{}
	for _, name := range exact {
		encoder, err := tiktoken.GetEncoding(name)
		if err != nil {
			panic(err)
		}
		m[name] = encoder
	}
	return m
})

// patterns holds the regexps of exact as tiktoken-go spells them.
var patterns = map[string]*regexp2.Regexp{
	tokens.O200k: regexp2.MustCompile(strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, `\s*[\r\n]+`, `\s+(?!\S)`, `\s+`,
	}, "|"), regexp2.None),
	tokens.CL100k: regexp2.MustCompile(`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}`+
		`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`, regexp2.None),
}

func newCounter(t testing.TB, encoding string) *tokens.Counter {
	t.Helper()
	c, err := tokens.New(encoding)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// maxPieces is the text in bytes up to which check looks at the pieces as well.
const maxPieces = 512

// check compares the counts of text in both encodings with tiktoken-go's, and the
// pieces of a short text with the regexps'.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, label, text string) {
	t.Helper()
	for _, name := range exact {
		c, err := tokens.New(name)
		if err != nil {
			t.Errorf("New(%q): %v", name, err)
			continue
		}
		want := len(oracles()[name].EncodeOrdinary(text))
		if got := c.Count(text); got != want {
			t.Errorf("%s: Count in %s is %d, tiktoken-go has %d\n%.200q", label, name, got, want, text)
		}
		cache := c.Cache()
		defer cache.Release()
		for _, half := range []string{text[len(text)/2:], text[:len(text)/2]} {
			cache.Count(half) // its lines are known when the whole text is counted
		}
		if got := cache.Count(text); got != want {
			t.Errorf("%s: Count of a cache in %s is %d, tiktoken-go has %d\n%.200q", label, name, got, want, text)
		}
		if len(text) > maxPieces {
			continue
		}
		var pieces []string
		for m, _ := patterns[name].FindStringMatch(text); m != nil; m, _ = patterns[name].FindNextMatch(m) {
			pieces = append(pieces, m.String())
		}
		if diff := cmp.Diff(pieces, tokens.Pieces(c, text)); diff != "" {
			t.Errorf("%s: pieces of %q in %s (-want +got):\n%s", label, text, name, diff)
		}
	}
}

func TestCountsOfChosenTextsEqualTiktoken(t *testing.T) {
	tests := []struct{ name, text string }{
		{"nothing", ""},
		{"a byte", "x"},
		{"a special token is ordinary text", "<|endoftext|><|endofprompt|>"},
		{"contractions in any case", "I'll we'RE they'Ve don't I'M he'D it'S 'tis 'sup 'x"},
		{"a long s is no contraction", "it'ſ we'ſ 'ſ K'K"},
		{"capitals before small letters", "HTTPServer XMLHttpRequest ABCdef ABC aBC"},
		{"capitals around letters without case", "AB中CD 中AB中 AB中cd Aʰ Bʰʰ ʰA ʰa"},
		{"a mark before a word in capitals", "\u0301ABC \u0301abc \u0301's \u0301\u0301A !\u0301A \u0301"},
		{"marks after symbols", "!!\u0301a !!\u0301\u0301 -\u0301- \u20e3#\u20e3"},
		{"titlecase letters", "Dǅungla ǅUNGLA ǅ"},
		{"numbers by threes", "1234567 १२३४ ⅷⅷⅷⅷ ½½½½ 1中2"},
		{"symbols before line ends", "};\r\n\r\n/// x\n//\r/\n"},
		{"a space before symbols", " {}  {} \t{}"},
		{"white space before a word", "  a \t b\u00a0c\u2003\u2003d\u0085e"},
		{"white space around line ends", " \n \t\r\n  \n\n x  \n"},
		{"white space at the end", "a   "},
		{"white space only", " \t  \u3000 "},
		{"the ends of the class table", "\U0001ffff\U00020000\U0002a6df\U000e0100\U000e01ef\U00100000\U0010ffff"},
		{"an emoji sequence", "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪"},
		{"bytes that are not UTF-8", "a\xffb\xc3(\xe2\x82\xf0\x9f\x98 \xed\xa0\x80\xc0\x80"},
		{"a replacement character", "\ufffd\ufffd\xff"},
		{"NULs", "\x00\x00a\x00 \x00\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(t, tt.name, tt.text) })
	}
}

func TestCountsOfLongRunsEqualTiktoken(t *testing.T) {
	for _, unit := range []string{"a", "Ab", "abcxyz", " ", "\n", " \n", "\t", "=", "-*", "中", "中文字", "é", "\u0301", "\xff", "0", "qzj"} {
		for _, n := range []int{31, 32, 33, 63, 64, 65, 66, 127, 129, 700} {
			check(t, strconv.Itoa(n)+" times "+unit, "x "+strings.Repeat(unit, n)+" y")
		}
	}
}

func TestCountsOfGeneratedTextsEqualTiktoken(t *testing.T) {
	const perCheck = 220 // by 100 checks: 22,000 texts
	texts := rapid.SliceOfN(generatedText(), perCheck, perCheck)
	rapid.Check(t, func(t *rapid.T) {
		for _, text := range texts.Draw(t, "texts") {
			check(t, "generated", text)
		}
	})
}

// generatedText mixes the classes of the patterns with text that is not valid UTF-8.
func generatedText() *rapid.Generator[string] {
	one := func(tables ...*unicode.RangeTable) *rapid.Generator[string] {
		return rapid.Map(rapid.RuneFrom(nil, tables...), func(r rune) string { return string(r) })
	}
	word := rapid.SampledFrom(strings.Fields(`func parseHTTPHeader return err nil the authentication
		<|endoftext|> i't Übergrößenträger καλημέρα ПРИВЕТ שלום नमस्ते 你好世界 こんにちは 한국어 ไทย _ == := //// --- "%s" 0x1F 3.14159 1000000`))
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(
		word,
		rapid.SampledFrom([]string{" ", "  ", "\t", "\n", "\r\n", "\n\n", " \n", "\r", "\u00a0", "\u2003", "\u0085", "\v"}),
		rapid.SampledFrom([]string{"'s", "'T", "'re", "'VE", "'m", "'Ll", "'d", "'", "'l", "'r", "\u2019s"}),
		rapid.SampledFrom([]string{"\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\xaf", "\x00"}),
		rapid.SampledFrom([]string{"👩‍👩‍👧", "👍🏽", "🇩🇪", "🏳️‍🌈", "\u0301", "\u20e3", "\U000e0100"}),
		one(unicode.Lu, unicode.Lt), one(unicode.Ll), one(unicode.Lm, unicode.Lo), one(unicode.M), one(unicode.N),
		one(unicode.P, unicode.S), one(unicode.White_Space, unicode.C),
		rapid.StringMatching(`[A-Z]{0,3}[a-z]{0,6}[0-9]{0,5}`),
		rapid.String(),
	), 0, 10), func(parts []string) string { return strings.Join(parts, "") })
}

// Every range of the character classes is tried at both of its ends and one past
// them, in each place where a pattern looks at the class.
func TestCountsAroundTheEdgesOfEveryClassEqualTiktoken(t *testing.T) {
	edges := map[rune]bool{}
	for _, table := range []*unicode.RangeTable{unicode.Lu, unicode.Lt, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M, unicode.N, unicode.White_Space} {
		for _, r := range table.R16 {
			edges[rune(r.Lo)-1], edges[rune(r.Lo)], edges[rune(r.Hi)], edges[rune(r.Hi)+1] = true, true, true, true
		}
		for _, r := range table.R32 {
			edges[rune(r.Lo)-1], edges[rune(r.Lo)], edges[rune(r.Hi)], edges[rune(r.Hi)+1] = true, true, true, true
		}
	}
	for r := range edges {
		if c := string(r); utf8.ValidRune(r) {
			check(t, strconv.QuoteRuneToASCII(r), "A"+c+"B !"+c+"C '"+c+" "+c+"d"+c+"E  "+c+c+"'s\n"+c+"\n1"+c+"2"+c)
		}
	}
}

func TestCountsOfThisRepositoryEqualTiktoken(t *testing.T) {
	if testing.Short() {
		t.Skip("counts every file of the repository with tiktoken-go")
	}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		check(t, path, string(content[:min(len(content), 64<<10)]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// standardLibrary lists Go files of the Go installation, none when it has no source.
func standardLibrary(t testing.TB) []string {
	t.Helper()
	//lint:ignore SA1019 a test runs on the machine that built it, or finds no files
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCountsOfTheStandardLibraryEqualTiktoken(t *testing.T) {
	files := standardLibrary(t)
	for i := 0; i < len(files); i += max(len(files)/200, 1) {
		content, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		check(t, filepath.Base(files[i]), string(content[:min(len(content), 16<<10)]))
	}
}

func TestEveryTokenOfTheVocabulariesHasItsRank(t *testing.T) {
	for _, name := range exact {
		c := newCounter(t, name)
		data, err := assets.Assets.ReadFile(name + ".tiktoken")
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			encoded, want, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			token, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				t.Fatal(err)
			}
			if got := tokens.Rank(c, string(token)); strconv.Itoa(got) != want {
				t.Fatalf("%s: rank of %q is %d, want %s", name, token, got, want)
			}
			if longer := string(token) + "\x00\x01"; tokens.Rank(c, longer) != -1 {
				t.Fatalf("%s: %q has a rank", name, longer)
			}
		}
	}
}

func TestACounterIsSafeForConcurrentUse(t *testing.T) {
	c := newCounter(t, "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := c.Count("hello world"); got != 2 {
				t.Errorf("Count is %d, want 2", got)
			}
		})
	}
	wg.Wait()
}

func TestNewKnowsItsEncodings(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", tokens.O200k},
		{"o200k_base", tokens.O200k},
		{"cl100k_base", tokens.CL100k},
		{"ratio", tokens.Ratio},
	}
	for _, tt := range tests {
		if got := newCounter(t, tt.in).Encoding(); got != tt.want {
			t.Errorf("New(%q) is a counter for %s, want %s", tt.in, got, tt.want)
		}
	}
	_, err := tokens.New("p50k")
	want := `unknown encoding "p50k": use one of o200k_base, cl100k_base, ratio`
	if err == nil || err.Error() != want {
		t.Errorf("New of an unknown name: got error %v, want %s", err, want)
	}
}

func TestARatioDividesCharactersAndRoundsUp(t *testing.T) {
	for text, want := range map[string]int{"": 0, "naïv": 1, "naïve 中文x": 3, "\xff\xfe\xff\xfe\xff": 2} {
		if got := newCounter(t, tokens.Ratio).Count(text); got != want {
			t.Errorf("Count(%q) is %d, want %d", text, got, want)
		}
	}
}

func FuzzCountEqualsTiktoken(f *testing.F) {
	for _, seed := range []string{"", "HTTPServer's 1234 \n\n x", "{\n//a\n\t//b\n\u00a0\nc\n\n\n d\r\n", "AB中CD\u0301EF", "a\xff\xfeb", " \r\n\t ", "!!/\n/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 4<<10)] // tiktoken-go is quadratic
		check(t, "fuzz", text)
	})
}
