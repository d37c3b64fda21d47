package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ambit/indexer/watch"
	"ambit/server/answer"
	"ambit/server/api"
	"ambit/server/scheduler"
	"ambit/server/snapshot"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// hoverPatience bounds the time that a hover waits for earlier changes by other programs.
const hoverPatience = 20 * time.Millisecond

// client is one client of a session, with documents of its own.
type client struct {
	*Session
	documents *snapshot.Documents
}

// NewClient returns a client of the session. Closing it leaves the session open.
func (s *Session) NewClient() api.Workspace { return &client{s, s.source.Documents()} }

// Close implements [api.Workspace].
func (c *client) Close() error {
	c.shared.leave(c)
	c.scheduler.Leave(c)
	return nil
}

// ask calls f with a snapshot that includes every change made before the call. The
// document, unless nil, is the document of the question. ask returns the freshness of
// the snapshot.
func ask[T any](ctx context.Context, c *client, about *api.TextDocument, f func(*snapshot.Snapshot, api.Freshness) (T, error)) (T, error) {
	return askWith(ctx, c, c.documents, c.scheduler.Dirty(ctx), about, f)
}

// askAs is like ask. An agent sees the open documents of all clients.
func askAs[T any](ctx context.Context, c *client, agent bool, about *api.TextDocument, f func(*snapshot.Snapshot, api.Freshness) (T, error)) (T, error) {
	documents := c.documents
	if agent {
		documents = c.shared.documents
	}
	return askWith(ctx, c, documents, c.scheduler.Dirty(ctx), about, f)
}

// askWith is like ask, with the documents and for a known set of dirty files. It adds the file of the question
// to them.
func askWith[T any](ctx context.Context, c *client, documents *snapshot.Documents, dirty scheduler.Dirty, about *api.TextDocument, f func(*snapshot.Snapshot, api.Freshness) (T, error)) (answer T, err error) {
	defer c.limiter.Enter()()
	known := c.isDamaged()
	defer func() {
		if c.isDamaged() { // f may have found the damage, and may have panicked
			if r := recover(); r != nil || !known {
				err = store.ErrCorrupt
			}
		}
		err = explain(ctx, err)
	}()
	paths, asked := dirty.Paths, (*api.Document)(nil)
	if about != nil {
		paths, asked = append([]record.Path{about.Path}, paths...), about.Document
	}
	s, err := c.source.Snapshot(ctx, documents, asked, paths)
	if err != nil {
		return answer, err
	}
	defer s.Release()
	return f(s, c.scheduler.Freshness(s.Generation(), dirty, dirty.Pending+s.Unread()))
}

// inside returns a document of the workspace, nil for one outside of it.
func inside(d *api.TextDocument) *api.TextDocument {
	if d == nil || d.Outside != "" {
		return nil
	}
	return d
}

// Context implements [api.Answers].
func (c *client) Context(ctx context.Context, q api.Question) (*api.Answer, error) {
	if err := c.diff(ctx, &q); err != nil {
		return nil, err
	}
	return askAs(ctx, c, q.Agent, inside(q.TextDocument), func(s *snapshot.Snapshot, fresh api.Freshness) (*api.Answer, error) {
		return c.answers.Context(ctx, s, q, fresh)
	})
}

// Search implements [api.Answers].
func (c *client) Search(ctx context.Context, q api.SearchQuestion) (*api.Matches, error) {
	if found := c.kept(ctx, &q); found != nil {
		return found, nil
	}
	return askAs(ctx, c, q.Agent, nil, func(s *snapshot.Snapshot, fresh api.Freshness) (*api.Matches, error) {
		return c.answers.Search(ctx, s, q, fresh)
	})
}

// Related implements [api.Answers].
func (c *client) Related(ctx context.Context, q api.RelatedQuestion) (*api.Matches, error) {
	return ask(ctx, c, &q.TextDocument, func(s *snapshot.Snapshot, fresh api.Freshness) (*api.Matches, error) {
		return c.answers.Related(ctx, s, q, fresh)
	})
}

// Explain implements [api.Answers].
func (c *client) Explain(ctx context.Context, q api.ExplainQuestion) (*api.Explanation, error) {
	if err := c.diff(ctx, &q.Question); err != nil {
		return nil, err
	}
	return ask(ctx, c, inside(q.TextDocument), func(s *snapshot.Snapshot, _ api.Freshness) (*api.Explanation, error) {
		return c.answers.Explain(ctx, s, q)
	})
}

// Read implements [api.Answers].
func (c *client) Read(ctx context.Context, q api.ReadQuestion) (*api.UnitText, error) {
	return askAs(ctx, c, q.Agent, nil, func(s *snapshot.Snapshot, fresh api.Freshness) (*api.UnitText, error) {
		return c.answers.Read(ctx, s, q, fresh)
	})
}

// SourceText implements [api.Answers].
func (c *client) SourceText(ctx context.Context, q api.SourceTextQuestion) (*api.SourceText, error) {
	return ask(ctx, c, nil, func(s *snapshot.Snapshot, _ api.Freshness) (*api.SourceText, error) {
		return c.answers.SourceText(s, q)
	})
}

// Impact implements [api.Answers].
func (c *client) Impact(ctx context.Context, q api.ImpactQuestion) (*api.Impact, error) {
	return askAs(ctx, c, q.Agent, nil, func(s *snapshot.Snapshot, fresh api.Freshness) (*api.Impact, error) {
		return c.answers.Impact(ctx, s, q, fresh)
	})
}

// Hover implements [api.Answers].
func (c *client) Hover(ctx context.Context, q api.HoverQuestion) (*api.Hover, error) {
	soon, cancel := context.WithTimeout(ctx, hoverPatience)
	defer cancel()
	return askWith(ctx, c, c.documents, c.scheduler.Dirty(soon), &q.TextDocument, func(s *snapshot.Snapshot, _ api.Freshness) (*api.Hover, error) {
		return c.answers.Hover(ctx, s, q)
	})
}

// Chunks implements [api.Answers].
func (c *client) Chunks(ctx context.Context, q api.ChunksQuestion) (*api.Chunks, error) {
	return ask(ctx, c, &q.TextDocument, func(s *snapshot.Snapshot, _ api.Freshness) (*api.Chunks, error) {
		return c.answers.Chunks(ctx, s, q)
	})
}

// ChunkStats implements [api.Answers].
func (c *client) ChunkStats(ctx context.Context, q api.ChunkStatsQuestion) (*api.ChunkStats, error) {
	return ask(ctx, c, nil, func(s *snapshot.Snapshot, _ api.Freshness) (*api.ChunkStats, error) {
		return answer.ChunkStats(ctx, s, q)
	})
}

// Status implements [api.Answers]. It does not wait unless the question asks for a scan.
func (c *client) Status(ctx context.Context, q api.StatusQuestion) (*api.Status, error) {
	st, err := askWith(ctx, c, c.documents, scheduler.Dirty{}, nil, func(s *snapshot.Snapshot, _ api.Freshness) (*api.Status, error) {
		st, err := answer.Status(ctx, s)
		if err == nil && q.Audit {
			st.Secrets, err = c.audit(ctx, s)
		}
		return st, err
	})
	if err != nil {
		return nil, err
	}
	if q.Deps && c.deps != nil {
		st.Ecosystems = c.ecosystems()
		if c.shelf != nil {
			st.DependencyCache = c.shelf.Bytes()
		}
	}
	st.History.Reading = c.history.Reading() != nil
	st.State, st.Root, st.Index = c.scheduler.State(), c.root, c.db.Path()
	if q.Scan {
		if st.Pending, err = c.scheduler.Pending(ctx); err != nil {
			return nil, explain(ctx, err)
		}
		ignored, err := watch.ScanIgnored(ctx, c.filter)
		if err != nil {
			return nil, explain(ctx, err)
		}
		for _, x := range ignored {
			st.Ignored = append(st.Ignored, api.Ignored{Rule: x.Rule, Files: x.Files, Dirs: x.Dirs, Example: record.Path(x.Example)})
		}
	}
	return st, nil
}

// audit lists the secrets that are masked in the indexed files.
func (c *client) audit(ctx context.Context, s *snapshot.Snapshot) ([]api.Secret, error) {
	var all []api.Secret
	for _, f := range s.Indexed() {
		if f.Masked() == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		secrets, err := c.pipe.Secrets(f.Path())
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed since
		}
		if err != nil {
			return nil, fmt.Errorf("read %s for the audit: %w", f.Path(), err)
		}
		for _, secret := range secrets {
			all = append(all, api.Secret{Path: f.Path(), Line: secret.Line, Rule: secret.Rule})
		}
	}
	return all, nil
}

// SetDocument implements [api.Documents].
func (c *client) SetDocument(d *api.Document) {
	c.documents.Set(d)
	c.shared.set(c, d)
}

// CloseDocument implements [api.Documents].
func (c *client) CloseDocument(path record.Path) {
	c.documents.Close(path)
	c.shared.close(c, path)
}

// Changed implements [api.Documents].
func (c *client) Changed(paths []record.Path) { c.scheduler.Changed(paths) }

// Run implements [api.Indexing].
func (c *client) Run(ctx context.Context, observe func(api.State)) error {
	return explain(ctx, c.scheduler.Run(ctx, observe))
}

// Index implements [api.Indexing].
func (c *client) Index(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	report, err := c.scheduler.Index(ctx, progress)
	return report, explain(ctx, err)
}

// CatchUp implements [api.Indexing].
func (c *client) CatchUp(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	report, err := c.scheduler.CatchUp(ctx, progress)
	return report, explain(ctx, err)
}

// Reindex implements [api.Indexing].
func (c *client) Reindex(ctx context.Context, q api.ReindexQuestion, progress func(api.Progress)) (api.Reindexed, error) {
	n, err := c.scheduler.Reindex(ctx, q.Path, progress)
	return api.Reindexed{Files: n}, explain(ctx, err)
}

// Pause implements [api.Indexing].
func (c *client) Pause() { c.scheduler.Pause(c) }

// Resume implements [api.Indexing].
func (c *client) Resume() { c.scheduler.Resume() }
