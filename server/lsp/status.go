package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// statusParams is what ambit/status and ambit.status say of a folder.
type statusParams struct {
	Folder     string `json:"folder"` // URI, "" for documents without a folder
	State      string `json:"state"`
	Generation uint64 `json:"generation"` // of the index; an answer made of another may be out of date
	Files      int    `json:"files"`
	Pending    int    `json:"pending"`
	Message    string `json:"message"`
}

func statusOf(f *folder, st Status) statusParams {
	return statusParams{f.uri, st.State, st.Generation, st.Files, st.Pending, st.Message}
}

// statusResult is the answer of ambit.status: the state of all folders together, and
// each.
type statusResult struct {
	State   string         `json:"state"`
	Files   int            `json:"files"`
	Pending int            `json:"pending"`
	Message string         `json:"message"`
	Folders []folderResult `json:"folders"`
}

type folderResult struct {
	statusParams
	Name string `json:"name"`
	About
}

// urgency orders the states: the first that any folder has is that of all.
var urgency = []string{Failed, Starting, Indexing, Paused, Ready}

// statusCommand answers ambit.status. It waits for no index: one that opens is
// starting.
func (s *server) statusCommand(ctx context.Context, r *request, f *fields) (any, error) {
	folders := r.view.folders
	if r.loose != nil {
		folders = append(folders[:len(folders):len(folders)], r.loose)
	}
	result := statusResult{State: Ready, Folders: []folderResult{}}
	states := map[string]string{}
	for _, g := range folders {
		one, err := s.folderStatus(ctx, r, g)
		if err != nil {
			return nil, err
		}
		result.Folders = append(result.Folders, one)
		result.Files += one.Files
		result.Pending += one.Pending
		if _, ok := states[one.State]; !ok {
			states[one.State] = one.Message
		}
	}
	for _, state := range urgency {
		if message, ok := states[state]; ok {
			result.State, result.Message = state, message
			break
		}
	}
	return encode(result)
}

// folderStatus describes one folder.
func (s *server) folderStatus(ctx context.Context, r *request, f *folder) (folderResult, error) {
	result := folderResult{
		statusParams: statusOf(f, *f.status.Load()), Name: f.name,
		About: About{Root: f.root, Languages: map[string]int{}, LeftOut: []LeftOut{}},
	}
	select {
	case <-f.opened:
	default:
		return result, nil
	}
	if f.err != nil {
		return result, nil
	}
	report, err := answering(ctx, r, f, func(ctx context.Context, w Workspace) (*Report, error) { return w.Report(ctx) })
	if err != nil {
		return result, err
	}
	result.statusParams, result.About = statusOf(f, report.Status), report.About
	result.Generation, result.Root = report.Generation, f.root // as the client spells it
	return result, nil
}

// tell shows the user a line.
func (s *server) tell(message string) { s.message(protocol.MessageTypeInfo, message) }

// warn shows the user what has gone wrong.
func (s *server) warn(message string) { s.message(protocol.MessageTypeWarning, "ambit: "+message) }

func (s *server) message(kind protocol.MessageType, message string) {
	_ = s.conn.Notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: message}) // a client that is gone need not know
}
