package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/config"
)

// given is the content of the sources.
type given struct {
	user, workspace, client string
}

// load returns the results of Load, with "user" and "workspace" for the paths of the
// files.
func load(t testing.TB, s given) (settings config.Settings, warnings []string, problem string) {
	t.Helper()
	dir := t.TempDir()
	src := config.Sources{
		UserFile:  filepath.Join(dir, "config.toml"),
		Workspace: dir,
		Client:    []byte(s.client),
	}
	workspaceFile := filepath.Join(dir, config.WorkspaceFile)
	for path, content := range map[string]string{src.UserFile: s.user, workspaceFile: s.workspace} {
		if content == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings, problems, err := config.Load(src)
	short := strings.NewReplacer(src.UserFile, "user", workspaceFile, "workspace")
	for _, p := range problems {
		warnings = append(warnings, short.Replace(p.Error()))
	}
	if err != nil {
		problem = short.Replace(err.Error())
		if p := new(config.Problem); !errors.As(err, &p) {
			t.Errorf("error %v is no *Problem", err)
		}
	}
	return settings, warnings, problem
}

func TestALaterSourceCountsMore(t *testing.T) {
	tests := []struct {
		name string
		in   given
		want func(*config.Settings) // from the defaults
	}{
		{"nobody says anything", given{}, func(*config.Settings) {}},
		{"the user", given{user: "budget = 1000"}, func(s *config.Settings) { s.Budget = 1000 }},
		{"the client over the user", given{user: "budget = 1000", client: `{"budget":2000}`}, func(s *config.Settings) { s.Budget = 2000 }},
		{"the workspace over the user", given{user: "maxTokens = 300\noverlapTokens = 9", workspace: "maxTokens = 400"}, func(s *config.Settings) { s.MaxTokens, s.OverlapTokens = 400, 9 }},
		{"the client over the workspace", given{workspace: `contextMode = "none"`, client: `{"contextMode":"minimal"}`}, func(s *config.Settings) { s.ContextMode = "minimal" }},
		{"null is nothing", given{user: "budget = 1000", client: `{"budget":null}`}, func(s *config.Settings) { s.Budget = 1000 }},
		{"a client that sends null", given{client: "null"}, func(*config.Settings) {}},
		{"an alias of a format", given{client: `{"format":"claude"}`}, func(s *config.Settings) { s.Format = "xml" }},
		{"an alias of an encoding", given{user: `encoding = "chars/4"`}, func(s *config.Settings) { s.Encoding = "ratio" }},
		{"every type", given{client: `{"astChunking":false,"include":["a","b"],"workers":4,"cacheDir":"/c/../d","format":"gpt"}`}, func(s *config.Settings) {
			s.ASTChunking, s.Include, s.Workers, s.CacheDir, s.Format = false, []string{"a", "b"}, 4, "/d", "markdown"
		}},
		{"include is the last one said", given{user: `include = ["a"]`, workspace: `include = ["b"]`, client: `{"include":["c"]}`}, func(s *config.Settings) { s.Include = []string{"c"} }},
		{
			"exclude adds up, the workspace first", given{
				user: `exclude = ["user"]`, workspace: `exclude = ["!user", "ws"]`, client: `{"exclude":["client"]}`,
			},
			func(s *config.Settings) { s.Exclude = []string{"!user", "ws", "user", "client"} },
		},
		{"an overlap nobody asked for gives way", given{user: "maxTokens = 100"}, func(s *config.Settings) { s.MaxTokens, s.OverlapTokens = 100, 50 }},
		{"an empty file", given{user: "# nothing\n", workspace: "\n"}, func(*config.Settings) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := config.Defaults()
			tt.want(&want)
			got, warnings, problem := load(t, tt.in)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if warnings != nil || problem != "" {
				t.Errorf("got warnings %q and error %q, want none", warnings, problem)
			}
		})
	}
}

func TestAWorkspaceMaySetOnlyWhatIsSafe(t *testing.T) {
	const only = "refused: a workspace may set only format, contextMode, astChunking, maxTokens, overlapTokens, include and exclude"
	got, warnings, problem := load(t, given{workspace: `# shared
format = "xml"
endpoint = "https://example.com"
apiKey = "k"
cacheDir = "/tmp"
budget = 300
Max_Tokens = 65
workers = "many"
embedder = "builtin"
maxFileBytes = 2048
"\u001b[31m" = 1

[command]
run = "rm"
`})
	want := config.Defaults()
	want.Format = "xml"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	wantWarnings := []string{
		"workspace:3: endpoint: " + only,
		"workspace:4: apiKey: " + only,
		"workspace:5: cacheDir: " + only,
		"workspace:6: budget: " + only,
		"workspace:7: Max_Tokens: " + only + "; did you mean maxTokens?",
		"workspace:8: workers: " + only,
		"workspace:9: embedder: " + only,
		"workspace:10: maxFileBytes: " + only,
		`workspace:11: "\x1b[31m": ` + only,
		"workspace:13: command: " + only,
	}
	if diff := cmp.Diff(wantWarnings, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if problem != "" {
		t.Errorf("got error %q, want none", problem)
	}
}

func TestAnUnknownSettingIsAWarning(t *testing.T) {
	tests := []struct {
		name string
		in   given
		want string
	}{
		{"in the user's file", given{user: "\nbudgets = 1"}, "user:2: budgets: unknown setting, ignored"},
		{"in another spelling", given{user: "max_tokens = 1"}, "user:1: max_tokens: unknown setting, ignored; did you mean maxTokens?"},
		{"from the client", given{client: `{"hover":true}`}, "client settings: hover: unknown setting, ignored"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, problem := load(t, tt.in)
			if diff := cmp.Diff([]string{tt.want}, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(config.Defaults(), got); diff != "" || problem != "" {
				t.Errorf("got error %q and settings (-want +got):\n%s", problem, diff)
			}
		})
	}
}

func TestAnInvalidValueIsAnErrorThatNamesTheAllowedOnes(t *testing.T) {
	tests := []struct {
		name string
		in   given
		want string
	}{
		{"too small", given{user: "\n\nbudget = 199"}, "user:3: budget: 199 is not allowed; use a whole number from 200 to 2000000"},
		{"none", given{client: `{"budget":0}`}, "client settings: budget: 0 is not allowed; use a whole number from 200 to 2000000"},
		{"negative", given{client: `{"budget":-1}`}, "client settings: budget: -1 is not allowed; use a whole number from 200 to 2000000"},
		{"too large", given{client: `{"budget":10000000}`}, "client settings: budget: 10000000 is not allowed; use a whole number from 200 to 2000000"},
		{"far too large", given{client: `{"budget":1e999}`}, "client settings: budget: this value is not allowed; use a whole number from 200 to 2000000"},
		{"text for a number", given{user: `budget = "8000"`}, `user:1: budget: "8000" is not allowed; use a whole number from 200 to 2000000`},
		{"a fraction", given{client: `{"workers":1.5}`}, "client settings: workers: 1.5 is not allowed; use a whole number from 0 to 256"},
		{"words for a number", given{client: `{"workers":"many"}`}, `client settings: workers: "many" is not allowed; use a whole number from 0 to 256`},
		{"a number for a boolean", given{workspace: "astChunking = 1"}, "workspace:1: astChunking: 1 is not allowed; use true or false"},
		{"words for a boolean", given{client: `{"astChunking":"perhaps"}`}, `client settings: astChunking: "perhaps" is not allowed; use true or false`},
		{"an unknown format", given{workspace: `format = "html"`}, `workspace:1: format: "html" is not allowed; use one of xml, markdown, plain, human or json`},
		{"an empty format", given{client: `{"format":""}`}, `client settings: format: "" is not allowed; use one of xml, markdown, plain, human or json`},
		{"the only value there is", given{user: `embedder = "remote"`}, `user:1: embedder: "remote" is not allowed; use "builtin"`},
		{"a table", given{user: "[encoding]\nname = 1"}, "user:1: encoding: a table is not allowed; use one of o200k_base, cl100k_base or ratio"},
		{"a date", given{user: "budget = 2026-01-02"}, "user:1: budget: this value is not allowed; use a whole number from 200 to 2000000"},
		{"text for a list", given{user: `include = "*.go"`}, `user:1: include: "*.go" is not allowed; use a list of at most 1000 patterns`},
		{"a list of something else", given{user: "include = [\n 1]"}, "user:1: include: this list is not allowed; use a list of at most 1000 patterns"},
		{"an empty pattern", given{client: `{"exclude":["a",""]}`}, "client settings: exclude: this list is not allowed; use a list of at most 1000 patterns"},
		{"a relative path", given{user: `cacheDir = "cache"`}, `user:1: cacheDir: "cache" is not allowed; use an absolute path, or one that starts with ~/`},
		{"an overlap of more than half", given{user: "overlapTokens = 301\nmaxTokens = 600"}, "user:1: overlapTokens: 301 is more than half of maxTokens, 600; use 0 to 300"},
		{"the first of two", given{user: "workers = -1\nbudget = 1"}, "user:1: workers: -1 is not allowed; use a whole number from 0 to 256"},
		{"a long text is shortened", given{user: `format = "` + strings.Repeat("x", 99) + `"`}, `user:1: format: "` + strings.Repeat("x", 60) + `"… is not allowed; use one of xml, markdown, plain, human or json`},
		{"no TOML", given{user: "budget = 1000\nformat =\n"}, "user:2: not settings in TOML: expected value but found '\\n' instead"},
		{"a setting twice", given{user: "budget = 1000\nbudget = 2000\n"}, "user:2: not settings in TOML: Key 'budget' has already been defined."},
		{"no JSON", given{client: "{budget:1}"}, "client settings: not a JSON object: invalid character 'b' looking for beginning of object key string"},
		{"JSON but no object", given{client: "[1]"}, "client settings: not a JSON object: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"two values", given{client: "{} {}"}, "client settings: not a JSON object: more than one value"},
		{"a key of many parts", given{workspace: strings.Repeat("a.", 501) + "a = 1"}, "workspace: not settings in TOML: more than 500 dots in a line"},
		{"many tables in tables", given{workspace: "a = " + strings.Repeat("{a = ", 501)}, "workspace: not settings in TOML: more than 500 inline tables"},
		{"a huge file", given{workspace: strings.Repeat("#\n", 9<<10)}, "workspace: larger than 16384 bytes; shorten it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, warnings, problem := load(t, tt.in)
			if problem != tt.want {
				t.Errorf("got error  %s\nwant error %s", problem, tt.want)
			}
			if warnings != nil {
				t.Errorf("got warnings %q, want none", warnings)
			}
		})
	}
}

func TestValidSettingsCountBesideAnError(t *testing.T) {
	got, _, problem := load(t, given{user: "budget = 1\nworkers = 2", workspace: "=", client: `{"overlapTokens":400}`})
	want := config.Defaults()
	want.Workers, want.OverlapTokens = 2, 350
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(problem, "user:1: budget: ") {
		t.Errorf("got error %q, want the user's budget", problem)
	}
}

func TestWarningsOfASourceAreBounded(t *testing.T) {
	_, warnings, _ := load(t, given{workspace: manyKeys(500)})
	if len(warnings) != 20 {
		t.Errorf("got %d warnings, want 20", len(warnings))
	}
}

// manyKeys returns TOML with n keys.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	return b.String()
}

func TestAFileOfTheWorkspaceIsRegular(t *testing.T) {
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "x.toml")
	if err := os.WriteFile(elsewhere, []byte("maxTokens = 100"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, config.WorkspaceFile)); err != nil {
		t.Fatal(err)
	}
	got, _, err := config.Load(config.Sources{Workspace: dir})
	if diff := cmp.Diff(config.Defaults(), got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	want := filepath.Join(dir, config.WorkspaceFile) + ": not a regular file; replace or remove it"
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	if got, _, err := config.Load(config.Sources{UserFile: filepath.Join(dir, config.WorkspaceFile)}); err != nil || got.MaxTokens != 100 {
		t.Errorf("the user's own link: got maxTokens %d and error %v, want 100", got.MaxTokens, err)
	}
	if _, _, err := config.Load(config.Sources{UserFile: dir}); err == nil {
		t.Error("a directory as the user's file: got no error")
	}
}

func TestTheUsersFileFollowsXDG(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	for _, tt := range []struct{ xdg, want string }{
		{"", "/home/me/.config/ambit/config.toml"},
		{"relative", "/home/me/.config/ambit/config.toml"},
		{"/etc/me", "/etc/me/ambit/config.toml"},
	} {
		t.Setenv("XDG_CONFIG_HOME", tt.xdg)
		if got := config.UserFile(); got != tt.want {
			t.Errorf("XDG_CONFIG_HOME=%q: got %s, want %s", tt.xdg, got, tt.want)
		}
	}
	got, _, problem := load(t, given{user: `cacheDir = "~/cache"`})
	if got.CacheDir != "/home/me/cache" || problem != "" {
		t.Errorf("cacheDir is %q with error %q, want it in the home directory", got.CacheDir, problem)
	}
}

// Every default of Describe is a valid line of the user's file.
func TestEveryDefaultIsAllowed(t *testing.T) {
	var file strings.Builder
	for _, s := range config.Describe() {
		if s.Doc == "" || s.Allowed == "" || s.Default == "" {
			t.Errorf("%+v has an empty field", s)
		}
		if strings.Contains(s.Default, " ") || s.Default == "none" {
			continue // in words
		}
		file.WriteString(s.Name + " = " + s.Default + "\n")
	}
	got, warnings, problem := load(t, given{user: file.String()})
	if diff := cmp.Diff(config.Defaults(), got); diff != "" || warnings != nil || problem != "" {
		t.Errorf("warnings %q, error %q, settings (-want +got):\n%s", warnings, problem, diff)
	}
}

func FuzzLoadNeverPanics(f *testing.F) {
	f.Add([]byte("budget = 1000\ninclude = ['a']\n[x.y]\nz = 1"), []byte(`{"budget":1,"exclude":["a"]}`))
	f.Add([]byte("a.b.c = {d = [[1], {e = 2026-01-02}]}"), []byte(`{"a":{"b":[null,1e999]}}`))
	f.Add([]byte(strings.Repeat("a.", 400)+"a = 1"), []byte(strings.Repeat("[", 20000)))
	f.Add([]byte("a = "+strings.Repeat("[", 16000)), []byte("null"))
	f.Add([]byte("\xff\x00\ufeff"), []byte("\xff"))
	f.Fuzz(func(t *testing.T, file, client []byte) {
		in := given{user: string(file), workspace: string(file), client: string(client)}
		settings, warnings, problem := load(t, in)
		for _, message := range append(warnings, problem) {
			if strings.ContainsAny(message, "\n\r\x1b\x00") {
				t.Errorf("message %q is not on one line", message)
			}
		}
		again, warningsAgain, problemAgain := load(t, in)
		if diff := cmp.Diff(settings, again); diff != "" || problem != problemAgain || !cmp.Equal(warnings, warningsAgain) {
			t.Errorf("the same sources give other settings (-first +second):\n%s", diff)
		}
		if settings.Budget < 200 || settings.MaxTokens < 64 || settings.OverlapTokens > settings.MaxTokens/2 || settings.Embedder != "builtin" {
			t.Errorf("settings are not valid: %+v", settings)
		}
		for _, s := range []string{settings.CacheDir, settings.Encoding} {
			if strings.Contains(s, "\x00") {
				t.Errorf("%q holds a NUL", s)
			}
		}
	})
}

func TestTheContentsOfAnIndexDependOnItsSettings(t *testing.T) {
	settings := config.Defaults()
	settings.Exclude, settings.CacheDir = []string{"a", "b c"}, "/elsewhere"
	want := map[string]string{
		"contextMode": `"full"`, "astChunking": "true", "maxTokens": "700", "overlapTokens": "80", "maxFileBytes": "1048576",
		"include": "[]", "exclude": `["a", "b c"]`, "showSecrets": "[]",
	}
	if diff := cmp.Diff(want, settings.OfIndex()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
