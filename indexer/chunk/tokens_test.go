package chunk_test

import (
	"strings"
	"testing"

	"ambit/indexer/chunk"
)

// The wanted counts are those of o200k_base, by tiktoken.
func TestEstimateTokensIsNearTheEncoding(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"nothing", "", 0},
		{"a word", "hello", 1},
		{"prose", "The quick brown fox jumps over the lazy dog. It was not amused, and went home.\n", 19},
		{"Go", "func (c *Command) Execute(ctx context.Context) error {\n\tif err := c.validate(); err != nil {\n\t\treturn fmt.Errorf(\"validate %s: %w\", c.name, err)\n\t}\n\treturn nil\n}\n", 46},
		{"Python", "def load_user(session, user_id):\n    \"\"\"Return the user.\"\"\"\n    row = session.execute(SELECT_USER, {\"id\": user_id}).first()\n    return User.from_row(row)\n", 38},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := chunk.EstimateTokens(tt.text)
			if d := got - tt.want; d*d*25 > tt.want*tt.want+25 { // 20 % or one token
				t.Errorf("EstimateTokens = %d, want about %d", got, tt.want)
			}
		})
	}
}

func TestEstimateTokensAddsUpOverLines(t *testing.T) {
	line := "\treturn fmt.Errorf(\"validate %s: %w\", c.name, err)\n"
	if one, many := chunk.EstimateTokens(line), chunk.EstimateTokens(strings.Repeat(line, 1000)); many < 990*one || many > 1010*one+1000 {
		t.Errorf("a line has %d tokens, a thousand of them %d", one, many)
	}
}
