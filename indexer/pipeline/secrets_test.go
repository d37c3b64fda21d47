package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/pipeline"
	"ambit/vectors/record"
)

// Nothing of a secret is in what the pipeline stores or embeds, and the list of secrets
// gives their lines.
func TestSecretsAreNeitherStoredNorEmbedded(t *testing.T) {
	const secret = "q7Xc2LmZ9v!Kd83ndPq0z"
	w := newWorkspace(t, map[string]string{
		"app.py":     "def connect():\n    password = \"" + secret + "\"\n    return open(password)\n",
		"shown.py":   "def connect():\n    password = \"" + secret + "\"\n    return open(password)\n",
		"values.yml": "redis:\n  password: " + secret + " # of the cache\n  api_token: k8Rw2nVq7TzXe5LmY3Jd\n",
	})
	w.o.ShowSecrets = func(path string) bool { return path == "shown.py" }
	w.catchUp()
	for path, want := range map[string]int{"app.py": 1, "shown.py": 0, "values.yml": 2} {
		r := w.files[record.Path(path)]
		if got := r.File.Masked; got != want {
			t.Errorf("%s has %d masked secrets, want %d", path, got, want)
		}
		if text := fmt.Sprintf("%s %+v", r.Content, r.Chunks) + fmt.Sprintf("%+v", r.Graph); strings.Contains(text, secret) != (want == 0) {
			t.Errorf("the record of %s has the secret: %t, want %t", path, want > 0, want == 0)
		}
	}
	for _, text := range w.embedded {
		if strings.Contains(text, secret) && !strings.Contains(text, "shown.py") {
			t.Errorf("embedded the secret: %q", text)
		}
	}
	got, err := w.pipeline().Secrets("values.yml")
	want := []pipeline.Secret{{Line: 2, Rule: "assigned-secret"}, {Line: 3, Rule: "assigned-secret"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Secrets: %v (-want +got):\n%s", err, diff)
	}
}
