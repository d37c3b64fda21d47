package answer

import (
	"cmp"
	"context"
	"slices"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
)

// Impact returns what a change of a declaration touches.
func (a *Answerer) Impact(ctx context.Context, s *snapshot.Snapshot, q api.ImpactQuestion, fresh api.Freshness) (*api.Impact, error) {
	about := &api.Question{Symbol: q.Symbol, Path: q.Path, Line: q.Line, Agent: q.Agent, PositionEncoding: api.UTF8}
	u, candidates, err := a.unit(ctx, s, q.ID, about)
	if err != nil {
		return nil, err
	}
	impact := &api.Impact{Candidates: a.links(candidates), Freshness: fresh}
	if u == nil {
		return impact, nil
	}
	if err := s.Check(u.path); err != nil {
		return nil, err
	}
	r, err := retrieve.At(ctx, s.Index(a.o.Embed), retrieve.Cursor{Path: u.path, Offset: u.offset, Keep: kept(s, about), Brief: true})
	if err != nil {
		return nil, err
	}
	impact.Unit = api.Link{Identifier: u.identifier, Kind: u.kind, Path: u.path, Line: u.nameLine}
	limit := cmp.Or(q.Limit, api.DefaultRelatedLimit)
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Unit.Path == u.path && c.Unit.Identifier == u.identifier {
			impact.Dependents, impact.Unit.URI = c.Dependents, a.link(c).URI
			continue
		}
		if list := impacted(impact, c); list != nil && len(*list) < limit {
			*list = append(*list, api.Affected{Link: a.link(c), Relevance: retrieve.Round(c.Probability, 2), Lines: c.Focus})
		}
	}
	return impact, nil
}

// impacted returns the list of an impact that a candidate belongs in, nil for none: what the
// declaration uses does not change with it.
func impacted(impact *api.Impact, c *retrieve.Candidate) *[]api.Affected {
	overrides := slices.ContainsFunc(c.Why, func(s api.Signal) bool {
		return s.Name == "overrides" || s.Name == "overridden" || s.Name == "implements"
	})
	switch {
	case overrides:
		return &impact.Overrides
	case c.Role == retrieve.RoleUsedBy:
		return &impact.UsedBy
	case c.Role == retrieve.RoleTest:
		return &impact.Tests
	case c.Role == retrieve.RoleDoc:
		return &impact.Documents
	case c.Role == retrieve.RoleCoChange:
		return &impact.ChangesWith
	}
	return nil
}
