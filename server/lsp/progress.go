package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.lsp.dev/protocol"
)

// progressInterval is how often progress and status are told: often enough to look
// alive, seldom enough to cost nothing.
const progressInterval = 100 * time.Millisecond

// minBarFiles is from how many files on indexing is worth a progress: a save is not.
const minBarFiles = 20

// progressToken reads a token; nil when there is none.
func progressToken(raw json.RawMessage) protocol.ProgressToken {
	var number int32
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &number) == nil:
		return protocol.Integer(number)
	case json.Unmarshal(raw, &text) == nil:
		return protocol.String(text)
	}
	return nil
}

// progress tells the client of something that goes on.
func (s *server) progress(token protocol.ProgressToken, value any, chatter bool) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		return
	}
	params := &protocol.ProgressParams{Token: token, Value: protocol.LSPAny(raw)}
	if chatter {
		s.conn.TryNotify(protocol.MethodProgress, params)
		return
	}
	_ = s.conn.Notify(protocol.MethodProgress, params) // a client that is gone need not know
}

// newReport returns a report; a percentage below 0 is not known.
func newReport(message string, percentage int) *protocol.WorkDoneProgressReport {
	report := &protocol.WorkDoneProgressReport{Kind: "report", Message: &message}
	if percentage >= 0 {
		p := uint32(min(percentage, 100))
		report.Percentage = &p
	}
	return report
}

// workDoneProgressCancel ends what a progress is of: a request, or indexing, which is
// paused until ambit.resume.
func (s *server) workDoneProgressCancel(params json.RawMessage) error {
	var p struct{ Token json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	token := progressToken(p.Token)
	if name, ok := token.(protocol.String); ok && s.tokens[string(name)] != nil {
		if w := s.tokens[string(name)].ready(); w != nil {
			w.Pause()
		}
		return nil
	}
	if token == nil {
		return nil
	}
	// A request that finishes holds its own mutex when it takes the server's.
	s.mu.Lock()
	running := slices.Collect(maps.Values(s.requests))
	s.mu.Unlock()
	for _, r := range running {
		if r.hasToken(token) {
			r.finish(nil, protocol.ErrRequestCancelled)
		}
	}
	return nil
}

// observe takes the status of a folder from its workspace. It never blocks.
func (f *folder) observe(st Status) {
	f.status.Store(&st)
	select {
	case f.moved <- struct{}{}:
	default:
	}
}

// follow tells the client how a folder's index is, until it is closed: by ambit/status
// when it asked for it, else by a message when something is wrong, and by a progress
// while files are indexed. That the folder is starting is told even when it has started
// already: of states that follow each other quickly only this one is never left out, so
// each opening of a folder is told once.
func (s *server) follow(f *folder) {
	told := Status{State: Starting}
	s.notifyStatus(f, told)
	shown := "" // to the user of a client that does not ask for the status
	var bar *bar
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	for {
		st := *f.status.Load()
		if st != told {
			s.notifyStatus(f, st)
		}
		if st.Generation != told.Generation {
			s.moved()
		}
		told = st
		if !s.settings.status && st.State != Paused && st.Message != "" && st.Message != shown {
			s.warn(st.Message)
			shown = st.Message
		}
		bar = s.show(f, bar, st)
		pause.Reset(progressInterval)
		if !f.await(told.State, pause.C) {
			bar.end(s, "")
			return
		}
	}
}

// await waits for another status than the one that was told: for another state at once,
// for other counts until the pause is over. It returns false when the folder is closed.
func (f *folder) await(state string, pause <-chan time.Time) bool {
	moved, rested := false, false
	for !moved || !rested && f.status.Load().State == state {
		select {
		case <-f.moved:
			moved = true
		case <-pause:
			rested = true
		case <-f.ctx.Done():
			return false
		}
	}
	return f.ctx.Err() == nil
}

// bar is a progress that the server began.
type bar struct {
	token string
}

// show begins, moves or ends the progress of a folder, and returns it, nil when there
// is none.
func (s *server) show(f *folder, b *bar, st Status) *bar {
	switch {
	case st.State != Indexing:
		b.end(s, st.Message)
		return nil
	case b == nil && st.Total < minBarFiles:
		return nil
	case b == nil:
		return s.beginBar(f, st)
	}
	s.progress(protocol.String(b.token), newReport(filesOf(st)), true)
	return b
}

// beginBar asks the client for a progress and begins it. It returns nil when the
// client has none.
func (s *server) beginBar(f *folder, st Status) *bar {
	if !s.client.progress {
		return nil
	}
	named := make(chan string, 1)
	s.post(func() {
		s.nextToken++
		token := fmt.Sprintf("ambit.index.%d", s.nextToken)
		s.tokens[token] = f
		named <- token
	})
	var b *bar
	select {
	case token := <-named:
		b = &bar{token}
	case <-f.ctx.Done():
		return nil
	}
	ctx, cancel := context.WithTimeout(f.ctx, configurationTimeout)
	defer cancel()
	params := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(b.token)}
	if err := s.conn.Call(ctx, protocol.MethodWindowWorkDoneProgressCreate, params, nil); err != nil {
		s.forget(b.token)
		return nil
	}
	yes, zero := true, uint32(0)
	message, percentage := filesOf(st)
	if percentage > 0 {
		zero = uint32(min(percentage, 100))
	}
	s.progress(protocol.String(b.token), &protocol.WorkDoneProgressBegin{
		Kind: "begin", Title: "ambit: indexing", Cancellable: &yes, Message: &message, Percentage: &zero,
	}, false)
	return b
}

// end ends a progress, if there is one.
func (b *bar) end(s *server, message string) {
	if b == nil {
		return
	}
	end := &protocol.WorkDoneProgressEnd{Kind: "end"}
	if message != "" {
		end.Message = &message
	}
	s.progress(protocol.String(b.token), end, false)
	s.forget(b.token)
}

// forget lets a token go.
func (s *server) forget(token string) {
	s.post(func() { delete(s.tokens, token) })
}

// filesOf says how far an index is, in words and percent.
func filesOf(st Status) (message string, percentage int) {
	if st.Total <= 0 {
		return "scanning", 0
	}
	return fmt.Sprintf("%d of %d files", st.Done, st.Total), 100 * st.Done / st.Total
}

// notifyStatus tells a client that asked for it how an index is.
func (s *server) notifyStatus(f *folder, st Status) {
	if !s.settings.status {
		return
	}
	if raw, err := encode(statusOf(f, st)); err == nil {
		_ = s.conn.Notify("ambit/status", raw) // a client that is gone need not know
	}
}
