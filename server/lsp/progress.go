package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.lsp.dev/protocol"

	"ambit/server/api"
)

// progressInterval is the time between two reports of progress or counts: short enough
// to look alive, long enough to cost nothing.
const progressInterval = 100 * time.Millisecond

// minBarFiles is the least number of files for which indexing shows a progress, so that a
// save shows none.
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

// progressParams returns the parameters of $/progress.
func progressParams(token protocol.ProgressToken, value any) *protocol.ProgressParams {
	raw, _ := protocol.Marshal(value) // of a generated type
	return &protocol.ProgressParams{Token: token, Value: protocol.LSPAny(raw)}
}

// progress sends the begin or the end of a progress.
func (s *server) progress(token protocol.ProgressToken, value any) {
	s.notify(protocol.MethodProgress, progressParams(token, value))
}

// tryProgress sends a report, unless the client lags behind.
func (s *server) tryProgress(token protocol.ProgressToken, report *protocol.WorkDoneProgressReport) {
	s.conn.TryNotify(protocol.MethodProgress, progressParams(token, report))
}

// newReport returns a report; a percentage below 0 means unknown.
func newReport(message string, percentage int) *protocol.WorkDoneProgressReport {
	report := &protocol.WorkDoneProgressReport{Kind: "report", Message: &message}
	if percentage >= 0 {
		report.Percentage = new(uint32(min(percentage, 100)))
	}
	return report
}

// workDoneProgressCancel cancels the request of a progress, or pauses the index of a
// progress until ambit.resume.
func (s *server) workDoneProgressCancel(params json.RawMessage) error {
	var p struct{ Token json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	token := progressToken(p.Token)
	if token == nil {
		return nil
	}
	for _, f := range s.view.all() {
		if bar := f.bar.Load(); bar != nil && protocol.String(*bar) == token {
			if w := f.ready(); w != nil {
				w.Pause()
			}
			return nil
		}
	}
	s.mu.Lock() // not during hasToken: finish takes this mutex under the request's
	running := slices.Collect(maps.Values(s.requests))
	s.mu.Unlock()
	for _, r := range running {
		if r.hasToken(token) {
			r.finish(nil, protocol.ErrRequestCancelled)
		}
	}
	return nil
}

// observe stores the state that the workspace reports. It never blocks.
func (f *folder) observe(st api.State) {
	st.Folder = f.uri
	f.state.Store(&st)
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// follow sends the states of a folder's index to the client until the folder is closed:
// as ambit/status to a client that asked for it, else as a message about a problem, and
// as a progress while files are indexed. The first state is always "starting", even if a
// later state is known, so that the client sees each opening of a folder.
func (s *server) follow(f *folder) {
	last := api.State{Folder: f.uri, State: api.StateStarting}
	s.sendState(last)
	shown := "" // the last message to the user of a client that does not ask for states
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	for {
		st := *f.state.Load()
		if st != last {
			s.sendState(st)
		}
		if st.Generation != last.Generation {
			s.changed()
		}
		last = st
		if !s.settings.options.StatusNotifications && st.State != api.StatePaused && st.Message != "" && st.Message != shown {
			s.warn(st.Message)
			shown = st.Message
		}
		s.showBar(f, st)
		pause.Reset(progressInterval)
		if !f.await(last.State, pause.C) {
			s.endBar(f, "")
			return
		}
	}
}

// await waits for a state that differs from the last one sent. It returns at once for
// another name, and after the pause for other counts. It returns false when the folder
// is closed.
func (f *folder) await(name api.StateName, pause <-chan time.Time) bool {
	changed, rested := false, false
	for !changed || !rested && f.state.Load().State == name {
		select {
		case <-f.changed:
			changed = true
		case <-pause:
			rested = true
		case <-f.ctx.Done():
			return false
		}
	}
	return f.ctx.Err() == nil
}

// showBar begins, moves or ends the progress of a folder's index.
func (s *server) showBar(f *folder, st api.State) {
	bar := f.bar.Load()
	switch {
	case st.State != api.StateIndexing:
		s.endBar(f, st.Message)
	case bar != nil:
		s.tryProgress(protocol.String(*bar), newReport(filesOf(st.Done, st.Total)))
	case st.Total >= minBarFiles && s.client.progress:
		s.beginBar(f, st)
	}
}

// beginBar asks the client for a progress and begins it, unless the client refuses.
func (s *server) beginBar(f *folder, st api.State) {
	token := fmt.Sprintf("ambit.index.%d", s.nextToken.Add(1))
	ctx, cancel := context.WithTimeout(f.ctx, clientTimeout)
	defer cancel()
	params := &protocol.WorkDoneProgressCreateParams{Token: protocol.String(token)}
	if s.conn.Call(ctx, protocol.MethodWindowWorkDoneProgressCreate, params, nil) != nil {
		return
	}
	f.bar.Store(&token)
	message, percentage := filesOf(st.Done, st.Total)
	s.progress(protocol.String(token), &protocol.WorkDoneProgressBegin{
		Kind: "begin", Title: "ambit: indexing", Cancellable: new(true), Message: &message, Percentage: new(uint32(min(percentage, 100))),
	})
}

// endBar ends the progress of a folder's index, if there is one.
func (s *server) endBar(f *folder, message string) {
	bar := f.bar.Swap(nil)
	if bar == nil {
		return
	}
	end := &protocol.WorkDoneProgressEnd{Kind: "end"}
	if message != "" {
		end.Message = &message
	}
	s.progress(protocol.String(*bar), end)
}

// filesOf returns the progress of an index, in words and per cent.
func filesOf(done, total int) (message string, percentage int) {
	if total <= 0 {
		return "scanning", 0
	}
	return fmt.Sprintf("%d of %d files", done, total), 100 * done / total
}

// sendState sends the state of an index to a client that asked for it.
func (s *server) sendState(st api.State) {
	if !s.settings.options.StatusNotifications {
		return
	}
	if raw, err := api.Encode(&st); err == nil {
		s.notify("ambit/status", raw)
	}
}

// notify sends a notification, unless the connection has ended.
func (s *server) notify(method string, params any) { _ = s.conn.Notify(method, params) }

// inform shows the user a line.
func (s *server) inform(message string) { s.message(protocol.MessageTypeInfo, message) }

// warn shows the user a problem.
func (s *server) warn(message string) { s.message(protocol.MessageTypeWarning, "ambit: "+message) }

func (s *server) message(kind protocol.MessageType, message string) {
	s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: message})
}
