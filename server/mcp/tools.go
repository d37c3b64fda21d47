package mcp

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ambit/server/api"
	"ambit/vectors/record"
)

// The arguments of the tools. The descriptions are for a model and are sent with every
// request, so they are short; what two arguments share is said once.
type (
	subject struct {
		Symbol string `json:"symbol,omitempty" jsonschema:"a declaration by name: Cart.total, or total"`
		Path   string `json:"path,omitempty" jsonschema:"file of the line, or file or directory of the symbol; relative to the workspace"`
		Line   int    `json:"line,omitempty" jsonschema:"from 1"`
	}
	contextArgs struct {
		subject
		Query     string `json:"query,omitempty" jsonschema:"a question, or a whole issue, stack trace or log, in place of symbol and path"`
		Budget    int    `json:"budget,omitempty" jsonschema:"most tokens of the answer, 8000 by default"`
		Format    string `json:"format,omitempty" jsonschema:"xml, markdown or plain (default)"`
		Since     string `json:"since,omitempty" jsonschema:"handle at the end of an earlier answer: show only what it did not"`
		Workspace string `json:"workspace,omitempty" jsonschema:"directory, if not the working directory"`
	}
	searchArgs struct {
		Query     string `json:"query" jsonschema:"a name, or what the code does"`
		Path      string `json:"path,omitempty" jsonschema:"file, directory or pattern to search in"`
		Language  string `json:"language,omitempty"`
		Kind      string `json:"kind,omitempty" jsonschema:"function, class, section, test, model, controller, …"`
		Limit     int    `json:"limit,omitempty" jsonschema:"10 by default"`
		Deps      bool   `json:"deps,omitempty" jsonschema:"search the declarations of direct dependencies instead"`
		Workspace string `json:"workspace,omitempty"`
	}
	readArgs struct {
		subject
		ID        string `json:"id,omitempty" jsonschema:"of a unit, from search"`
		From      int    `json:"from,omitempty" jsonschema:"line to go on from"`
		Budget    int    `json:"budget,omitempty"`
		Workspace string `json:"workspace,omitempty"`
	}
	impactArgs struct {
		subject
		ID        string `json:"id,omitempty"`
		Limit     int    `json:"limit,omitempty" jsonschema:"of each list, 20 by default"`
		Workspace string `json:"workspace,omitempty"`
	}
	overviewArgs struct {
		Area      string `json:"area,omitempty" jsonschema:"a part of the project, in words"`
		Budget    int    `json:"budget,omitempty"`
		Workspace string `json:"workspace,omitempty"`
	}
)

// addTools adds the tools to the server.
func (s *Server) addTools() {
	add(s, "context", "Context of code",
		"The code and documents that belong with a symbol, a place or a question: definitions, what it uses, what uses it, tests, documents, what changes with it, "+
			"best first and within a token budget, with paths and lines. Use it before editing or explaining code, in place of many greps and reads. "+
			"A name that several declarations have is answered with the list of them.",
		func(a *contextArgs) string { return a.Workspace }, s.context)
	add(s, "search", "Search code and documents",
		"Places that match words by meaning and by name, best first, each with its best lines. For an exact string use grep.",
		func(a *searchArgs) string { return a.Workspace }, search)
	add(s, "read", "Read a unit", "The whole text of a function, class or section, where context shows it reduced.",
		func(a *readArgs) string { return a.Workspace }, read)
	add(s, "impact", "Impact of a change", "What a change of a declaration touches: its users with their lines, tests, overrides, documents, and files that change with it.",
		func(a *impactArgs) string { return a.Workspace }, impact)
	add(s, "overview", "Overview of the project", "What the project is: languages, frameworks, entry points, its parts and what they are for.",
		func(a *overviewArgs) string { return a.Workspace }, overview)
}

// add adds a tool that only reads. Its text ends in the state of the index.
func add[A any](s *Server, name, title, description string, workspace func(*A) string,
	answer func(ctx context.Context, w api.Workspace, a *A) (text string, fresh api.Freshness, err error)) {
	no := false
	tool := &mcp.Tool{Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}}
	mcp.AddTool(s.mcp, tool, func(ctx context.Context, _ *mcp.CallToolRequest, a A) (*mcp.CallToolResult, any, error) {
		w, err := s.workspaces.find(ctx, workspace(&a))
		if err != nil {
			return nil, nil, err
		}
		text, fresh, err := answer(ctx, w, &a)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text + freshness(fresh)}}}, nil, nil
	})
}

// freshness is the last line of an answer.
func freshness(f api.Freshness) string {
	if f.Pending == 0 && f.State == api.StateReady {
		return "[index: up to date]\n"
	}
	return fmt.Sprintf("[index: %s, %d changed files are not in this answer yet]\n", f.State, f.Pending)
}

// context answers a call of the tool of that name.
func (s *Server) context(ctx context.Context, w api.Workspace, a *contextArgs) (string, api.Freshness, error) {
	q := api.Question{Query: strings.TrimSpace(a.Query), Symbol: a.Symbol, Path: a.Path, Line: a.Line, Budget: a.Budget, Format: api.Format(a.Format), Agent: true}
	switch named := a.Symbol != "" || a.Path != ""; {
	case named && q.Query != "":
		return "", api.Freshness{}, &api.FieldError{Field: "query", Reason: "give a query, or a symbol or path, not both"}
	case !named && q.Query == "":
		return "", api.Freshness{}, &api.FieldError{Field: "symbol", Reason: "give a symbol, or a path with a line, or a query"}
	}
	answer, err := ask(ctx, w, &q)
	if err != nil {
		return "", api.Freshness{}, err
	}
	if a.Since != "" {
		earlier := s.answers.find(a.Since)
		if earlier == nil {
			return "", api.Freshness{}, &api.FieldError{Field: "since", Reason: "there is no earlier answer " + a.Since + " any more; ask without it"}
		}
		if q.Drop = earlier.known(answer); len(q.Drop) > 0 {
			if answer, err = ask(ctx, w, &q); err != nil {
				return "", api.Freshness{}, err
			}
		}
	}
	if len(answer.Candidates) > 0 {
		return answer.Text, answer.Freshness, nil
	}
	return fmt.Sprintf("%s[handle: %s]\n", endLine(answer.Text), s.answers.keep(answer, a.Since)), answer.Freshness, nil
}

// ask checks a question and asks it within the limit of clients.
func ask(ctx context.Context, w api.Workspace, q *api.Question) (*api.Answer, error) {
	if err := api.Check(q); err != nil {
		return nil, err
	}
	if q.Budget == 0 {
		q.DocumentsBudget = MaxTokens
	}
	return w.Context(ctx, *q)
}

// endLine returns text with a line end.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// snippetLines is the number of lines that a search shows of a match.
const snippetLines = 6

// search answers a call of the tool of that name.
func search(ctx context.Context, w api.Workspace, a *searchArgs) (string, api.Freshness, error) {
	q := api.SearchQuestion{Query: strings.TrimSpace(a.Query), Path: a.Path, Language: strings.ToLower(a.Language), Kind: record.Kind(strings.ToLower(a.Kind)),
		Limit: cmp.Or(a.Limit, api.DefaultSearchLimit), Snippet: snippetLines, Agent: true, Deps: a.Deps}
	if err := api.Check(&q); err != nil {
		return "", api.Freshness{}, err
	}
	found, err := w.Search(ctx, q)
	if err != nil {
		return "", api.Freshness{}, err
	}
	var t strings.Builder
	for _, m := range found.Results {
		fmt.Fprintf(&t, "%s:%d-%d %s %s %.2f", m.Path, m.StartLine, m.EndLine, m.Kind, m.Identifier, m.Score)
		if !a.Deps { // read has units of the workspace
			fmt.Fprintf(&t, " id=%s", m.ID)
		}
		t.WriteString("\n")
		if m.Snippet != nil {
			t.WriteString(endLine(m.Snippet.Text) + "\n")
		}
	}
	if len(found.Results) == 0 {
		reason, err := nothing(ctx, w, &q)
		return reason, found.Freshness, err
	}
	return t.String(), found.Freshness, nil
}

// nothing says why a search found nothing.
func nothing(ctx context.Context, w api.Workspace, q *api.SearchQuestion) (string, error) {
	if q.Deps {
		return "No declaration of a direct dependency has these words, or its sources are not on this machine: ambit status --deps lists them.\n", nil
	}
	if q.Language != "" {
		st, err := w.Status(ctx, api.StatusQuestion{})
		if err != nil {
			return "", err
		}
		if st.Languages[q.Language] == 0 {
			known := slices.Sorted(maps.Keys(st.Languages))
			return "", &api.FieldError{Field: "language", Reason: "no file of the workspace is " + q.Language + "; it has " + strings.Join(known, ", ")}
		}
	}
	if q.Path != "" || q.Kind != "" || q.Language != "" {
		return "Nothing matches with this path, language and kind; search again without them.\n", nil
	}
	return "Nothing matches; use other words.\n", nil
}

// read answers a call of the tool of that name.
func read(ctx context.Context, w api.Workspace, a *readArgs) (string, api.Freshness, error) {
	q := api.ReadQuestion{Symbol: a.Symbol, Path: a.Path, Line: a.Line, From: a.From, Budget: cmp.Or(a.Budget, api.DefaultReadBudget), Agent: true}
	var err error
	if q.ID, err = idOf(a.ID); err != nil {
		return "", api.Freshness{}, err
	}
	if err := api.Check(&q); err != nil {
		return "", api.Freshness{}, err
	}
	u, err := w.Read(ctx, q)
	if err != nil {
		return "", api.Freshness{}, err
	}
	if len(u.Candidates) > 0 {
		return api.CandidateText(a.Symbol, a.Path, u.Candidates, 0), u.Freshness, nil
	}
	head := fmt.Sprintf("%s:%d-%d %s %s\n", u.Path, u.StartLine, u.EndLine, u.Kind, u.Identifier)
	if u.FirstLine > u.StartLine {
		head = fmt.Sprintf("%s:%d-%d of %d-%d %s %s\n", u.Path, u.FirstLine, u.EndLine, u.StartLine, u.EndLine, u.Kind, u.Identifier)
	}
	more := ""
	if u.NextLine > 0 {
		more = fmt.Sprintf("[goes on: read with from=%d]\n", u.NextLine)
	}
	return head + endLine(u.Text) + more, u.Freshness, nil
}

// idOf reads the id of a unit; "" is the zero id.
func idOf(text string) (id record.ChunkID, err error) {
	if text == "" {
		return id, nil
	}
	if id, err = record.ParseChunkID(text); err != nil {
		return id, &api.FieldError{Field: "id", Reason: "use the id of a result of search, or symbol and path"}
	}
	return id, nil
}

// impact answers a call of the tool of that name.
func impact(ctx context.Context, w api.Workspace, a *impactArgs) (string, api.Freshness, error) {
	q := api.ImpactQuestion{Symbol: a.Symbol, Path: a.Path, Line: a.Line, Limit: a.Limit, Agent: true}
	var err error
	if q.ID, err = idOf(a.ID); err != nil {
		return "", api.Freshness{}, err
	}
	if err := api.Check(&q); err != nil {
		return "", api.Freshness{}, err
	}
	i, err := w.Impact(ctx, q)
	if err != nil {
		return "", api.Freshness{}, err
	}
	if len(i.Candidates) > 0 {
		return api.CandidateText(a.Symbol, a.Path, i.Candidates, 0), i.Freshness, nil
	}
	return i.Text(), i.Freshness, nil
}

// overview answers a call of the tool of that name.
func overview(ctx context.Context, w api.Workspace, a *overviewArgs) (string, api.Freshness, error) {
	q := api.OverviewQuestion(strings.TrimSpace(a.Area))
	q.Budget, q.Agent = cmp.Or(a.Budget, overviewBudget), true
	answer, err := ask(ctx, w, &q)
	if err != nil {
		return "", api.Freshness{}, err
	}
	return endLine(answer.Text), answer.Freshness, nil
}

// overviewBudget is the budget of an overview.
const overviewBudget = 4000
