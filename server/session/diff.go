package session

import (
	"context"
	"errors"
	"fmt"

	"ambit/indexer/githist"
	"ambit/server/api"
)

// diff puts the diff of the working tree into a question that asks for it.
func (c *client) diff(ctx context.Context, q *api.Question) error {
	if !q.WorkingTree || q.Diff != "" {
		return nil
	}
	text, err := githist.WorkingDiff(ctx, c.root)
	switch {
	case errors.Is(err, githist.ErrNoRepository):
		return fmt.Errorf("%w: %s is in no git repository; pass a diff instead", api.ErrQuestion, c.root)
	case err != nil:
		return fmt.Errorf("%w: no diff of the working tree: %w", api.ErrQuestion, err)
	case text == "":
		return fmt.Errorf("%w: the working tree has no changes against HEAD; files that git does not track do not count, git add -N makes them", api.ErrQuestion)
	}
	q.Diff = text
	return nil
}
