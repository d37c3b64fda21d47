package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ambit/indexer/githist"
	"ambit/server/api"
	"ambit/vectors/record"
)

// Opener opens a workspace at root whose index is the file at the path index. Close closes it.
type Opener func(ctx context.Context, root, index string) (ws Workspace, close func() error, err error)

// Run asks about the commits, the earliest first: the tree before each is laid out below
// scratch, an empty directory, and the index moves on from tree to tree. Root names the
// workspace in the result.
func (d *Draw) Run(ctx context.Context, root, scratch string, open Opener, o Options) (out *api.Evaluation, err error) {
	start := time.Now()
	defer func() {
		if err != nil && ctx.Err() != nil { // and not that of a git that was ended
			err = context.Cause(ctx)
		}
	}()
	dir := filepath.Join(scratch, "tree")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	maxBytes := o.Watch.MaxBytes
	if maxBytes <= 0 {
		maxBytes = 1 << 20
	}
	tree, err := newPastTree(ctx, d.repo, dir, maxBytes)
	if err != nil {
		return nil, err
	}
	defer tree.close()
	if err := tree.move(ctx, d.commits[0].Parents[0]); err != nil {
		return nil, err
	}
	ws, closeWorkspace, err := open(ctx, tree.root, filepath.Join(scratch, "index.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeWorkspace()) }()
	e, err := newEvaluator(tree.root, ws, o)
	if err != nil {
		return nil, err
	}
	defer e.close()
	if err := d.askAll(ctx, e, tree); err != nil {
		return nil, err
	}
	if len(e.results) == 0 {
		return nil, fmt.Errorf("%w: no commit that was drawn changes a file that is indexed; draw more with --commits N", ErrFew)
	}
	out = e.evaluation(root, time.Since(start))
	slices.Reverse(out.Results)
	commits := d.out
	commits.Asked = len(e.results)
	if n := len(d.commits) - commits.Asked; n > 0 {
		commits.LeftOut = append(slices.Clone(commits.LeftOut), api.CommitsLeft{Reason: leftUnknown, Commits: n})
	}
	out.Commits = &commits
	return out, nil
}

// askAll moves the tree from commit to commit and asks.
func (d *Draw) askAll(ctx context.Context, e *evaluator, tree *pastTree) error {
	first := float64(d.estimate(0)) / float64(max(d.Estimate(), 1)) // the share of the first tree
	for i := range d.commits {
		c := &d.commits[i]
		doing, done, share := "indexing the earliest tree", 0.0, first
		if i > 0 {
			doing = fmt.Sprintf("commit %d of %d", i+1, len(d.commits))
			done, share = first+(1-first)*float64(i)/float64(len(d.commits)), 0
		}
		e.o.Progress(done, doing)
		if err := tree.move(ctx, c.Parents[0]); err != nil {
			return err
		}
		if err := e.follow(ctx, done, share, doing); err != nil {
			return err
		}
		q, err := d.question(ctx, e, c)
		if errors.Is(err, githist.ErrPartial) || err == nil && len(q.gold.files) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		if err := e.ask(ctx, &q); err != nil {
			return err
		}
	}
	return nil
}

// question returns the question of a commit with what it expects in the present tree.
func (d *Draw) question(ctx context.Context, e *evaluator, c *githist.Commit) (q question, err error) {
	q = question{text: messageQuestion(c.Message), commit: c.ID}
	changed, err := d.repo.Changed(ctx, c.Parents[0], c.ID)
	if err != nil {
		return q, err
	}
	expected := map[record.Path]bool{}
	for _, ch := range c.Changes {
		if path, ok := expects(ch); ok && e.corpus.files[path] != nil {
			expected[path] = true
		}
	}
	for _, path := range sorted(expected) {
		var ranges []lineRange
		for _, l := range changed[string(path)] {
			ranges = append(ranges, lineRange{l.First, l.Last, l.Insertion})
		}
		q.gold.add(path, e.corpus.files[path].content, ranges)
	}
	return q, nil
}
