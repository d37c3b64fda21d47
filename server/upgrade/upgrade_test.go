package upgrade_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ambit/server/upgrade"
)

// sums is the SHA256SUMS of a release.
const sums = `0000000000000000000000000000000000000000000000000000000000000001  NOTES.md
0000000000000000000000000000000000000000000000000000000000000002  ambit-1.3.0-rc.1-linux-amd64.cdx.json
0000000000000000000000000000000000000000000000000000000000000003  ambit-1.3.0-rc.1-linux-amd64.tar.gz
`

func TestTheLatestReleaseIsThatOfItsSums(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/latest/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, sums) })
	mux.HandleFunc("/page/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html></html>") })
	mux.HandleFunc("/moved/SHA256SUMS", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/latest/SHA256SUMS", http.StatusFound)
	})
	mux.HandleFunc("/astray/SHA256SUMS", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.com/SHA256SUMS", http.StatusFound)
	})
	mux.HandleFunc("/around/SHA256SUMS", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/around/SHA256SUMS", http.StatusFound)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	tests := []struct{ name, address, want, problem string }{
		{"a release", server.URL + "/latest", "1.3.0-rc.1", ""},
		{"a slash at the end", server.URL + "/latest/", "1.3.0-rc.1", ""},
		{"a redirection", server.URL + "/moved", "1.3.0-rc.1", ""},
		{"a redirection without encryption", server.URL + "/astray", "", "must begin with https://"},
		{"a redirection to itself", server.URL + "/around", "", "more than ten times"},
		{"no release", server.URL + "/none", "", "404 Not Found; check the address"},
		{"something else", server.URL + "/page", "", "names no archive of ambit; check the address"},
		{"no network", gone.URL, "", "check the network and the address"},
		{"no encryption", "http://example.com", "", "must begin with https://"},
		{"no address", "latest", "", "must begin with https://"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := upgrade.Latest(t.Context(), tt.address)
			if got != tt.want || (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("got %q and %v, want %q and an error with %q", got, err, tt.want, tt.problem)
			}
		})
	}
}

func TestACancelledQuestionEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	if _, err := upgrade.Latest(ctx, server.URL); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestNewerComparesVersions(t *testing.T) {
	tests := []struct {
		release, version string
		want             bool
	}{
		{"1.3.0", "1.2.9", true},
		{"1.10.0", "1.9.0", true},
		{"1.3.0", "1.3.0-rc.1", true},
		{"1.3.0", "1.3.0", false},
		{"1.3.0-rc.1", "1.3.0", false},
		{"1.3.0", "(devel)", false},
		{"1.3.0", "", false},
	}
	for _, tt := range tests {
		if got := upgrade.Newer(tt.release, tt.version); got != tt.want {
			t.Errorf("Newer(%q, %q): got %v, want %v", tt.release, tt.version, got, tt.want)
		}
	}
}
