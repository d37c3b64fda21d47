package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"strings"
	"sync"

	"ambit/server/api"
	"ambit/vectors/record"
)

// maxAnswers bounds the answers that "since" can name.
const maxAnswers = 256

// answers remembers what earlier answers showed. The zero value is ready for use.
type answers struct {
	mu    sync.Mutex // guards all fields below
	shown map[string]shown
	order []string // of the handles, the oldest first
}

// shown is the sum of the text of each source of an answer and of those before it.
type shown map[record.ChunkID]record.Hash

// find returns what the answer with a handle showed, nil when it is forgotten.
func (a *answers) find(handle string) shown {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shown[handle]
}

// keep remembers what an answer shows, and what the one before it did, and returns a
// handle.
func (a *answers) keep(answer *api.Answer, before string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := shown{}
	maps.Copy(all, a.shown[before])
	h := sha256.New()
	h.Write([]byte(before))
	for i := range answer.Sources {
		sum := textOf(answer, &answer.Sources[i])
		all[answer.Sources[i].ID] = sum
		h.Write(answer.Sources[i].ID[:])
		h.Write(sum[:])
	}
	handle := hex.EncodeToString(h.Sum(nil)[:4])
	if a.shown == nil {
		a.shown = map[string]shown{}
	}
	if _, known := a.shown[handle]; !known {
		a.order = append(a.order, handle)
	}
	a.shown[handle] = all
	if len(a.order) > maxAnswers {
		delete(a.shown, a.order[0])
		a.order = a.order[1:]
	}
	return handle
}

// known returns the sources of an answer that were shown as they are now.
func (s shown) known(answer *api.Answer) (ids []record.ChunkID) {
	for i := range answer.Sources {
		if sum, ok := s[answer.Sources[i].ID]; ok && sum == textOf(answer, &answer.Sources[i]) {
			ids = append(ids, answer.Sources[i].ID)
		}
	}
	return ids
}

// relevance matches what the heading of a source says of the question, not of the source.
var relevance = regexp.MustCompile(`relevance[="* :]*[0-9.]+`)

// textOf returns the sum of the lines of a source in the text of an answer.
func textOf(answer *api.Answer, source *api.Source) record.Hash {
	if source.TextLines == nil {
		return record.Hash{}
	}
	lines := strings.Split(answer.Text, "\n")
	first, last := max(source.TextLines[0]-1, 0), min(source.TextLines[1], len(lines))
	text := strings.Join(lines[min(first, last):last], "\n")
	return sha256.Sum256([]byte(relevance.ReplaceAllString(text, "")))
}
