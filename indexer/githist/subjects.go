package githist

import (
	"strings"

	"ambit/indexer/redact"
	"ambit/vectors/record"
)

// maskSubjects masks the secrets in the subjects of commits.
func maskSubjects(subjects []record.Subject) {
	var all strings.Builder
	for _, s := range subjects {
		all.WriteString(s.Text + "\n")
	}
	masked, found := redact.Mask("subjects.txt", []byte(all.String()))
	if len(found) == 0 {
		return
	}
	lines := strings.Split(string(masked), "\n")
	for i := range subjects {
		if subjects[i].Text = ""; len(lines) == len(subjects)+1 { // else a secret of several lines is masked
			subjects[i].Text = lines[i]
		}
	}
}
