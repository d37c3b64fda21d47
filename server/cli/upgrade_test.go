package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ambit/server/cli"
)

func TestUpgradeAsksOnlyWhenToldTo(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, "%064x  ambit-1.3.0-linux-amd64.tar.gz\n", 1)
	}))
	defer server.Close()
	for _, tt := range []struct {
		version, line  string
		code, requests int
		stdout, stderr string
	}{
		{"1.2.0", "--from " + server.URL, 2, 0, "", "ambit does not upgrade itself; ambit upgrade --check says"},
		{"1.2.0", "--check", 1, 0, "", "name one: ambit upgrade --check --from https://HOST/PATH"},
		{"1.2.0", "--check --from " + server.URL, 0, 1, "ambit 1.3.0 is newer than this, 1.2.0; it is at " + server.URL, ""},
		{"1.3.0", "--check --from " + server.URL, 0, 1, "ambit 1.3.0 is the latest release; this is 1.3.0", ""},
	} {
		t.Run(tt.version+" "+tt.line, func(t *testing.T) {
			cli.SetRelease(t, tt.version)
			asked = 0
			var stdout, stderr strings.Builder
			code := cli.Run(t.Context(), append([]string{"upgrade"}, strings.Fields(tt.line)...), &stdout, &stderr)
			if code != tt.code || asked != tt.requests || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("got exit code %d, %d requests, output %q and standard error %q", code, asked, &stdout, &stderr)
			}
		})
	}
}

func TestUpgradePrintsJSON(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%064x  ambit-1.3.0-linux-amd64.tar.gz\n", 1)
	}))
	defer server.Close()
	cli.SetRelease(t, "1.2.0")
	var stdout, stderr strings.Builder
	cli.Run(t.Context(), []string{"upgrade", "--check", "--json", "--from", server.URL}, &stdout, &stderr)
	got := map[string]any{}
	if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
		t.Fatalf("%v: %q, %q", err, &stdout, &stderr)
	}
	for name, want := range map[string]any{"version": "1.2.0", "latest": "1.3.0", "newer": true, "from": server.URL} {
		if got[name] != want {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
}
