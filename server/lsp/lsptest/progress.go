package lsptest

import "encoding/json"

// progress follows the work done progress of a session: each begins once, then moves,
// then ends, and that of a request ends before its answer.
type progress struct {
	begun map[string]bool   // tokens of the progress that has begun and not ended
	asked map[string]string // the tokens of the client's requests, by id
}

// check returns the problem of the next message, "" for none.
func (p *progress) check(fromServer bool, e *envelope) string {
	var params struct {
		Token         json.RawMessage
		WorkDoneToken json.RawMessage
		Value         struct {
			Kind       string
			Percentage *float64
		}
	}
	_ = json.Unmarshal(e.Params, &params) // the shape is checked elsewhere
	token := string(params.Token)
	switch {
	case !fromServer && e.Method != nil && len(e.ID) > 0 && params.WorkDoneToken != nil:
		p.asked[string(e.ID)] = string(params.WorkDoneToken)
	case fromServer && e.Method == nil:
		if p.begun[p.asked[string(e.ID)]] {
			return "an answer before the end of its progress"
		}
		delete(p.asked, string(e.ID))
	case !fromServer || e.Method == nil || *e.Method != "$/progress":
	case params.Value.Percentage != nil && (*params.Value.Percentage < 0 || *params.Value.Percentage > 100):
		return "not a percentage"
	case params.Value.Kind == "begin" == p.begun[token]:
		return "out of order"
	default:
		p.begun[token] = params.Value.Kind != "end"
	}
	return ""
}
