package api

import "ambit/vectors/record"

// StateName is the name of the state of an index.
type StateName string

// The states.
const (
	StateStarting StateName = "starting"
	StateIndexing StateName = "indexing"
	StateReady    StateName = "ready"
	StatePaused   StateName = "paused"
	StateFailed   StateName = "error" // the workspace cannot be read, or the index cannot be written; answers come from the index as it is
)

// Urgency lists the states from the most to the least urgent: several folders together
// have the most urgent state that any of them has.
var Urgency = []StateName{StateFailed, StateStarting, StateIndexing, StatePaused, StateReady}

// State is the progress of an index. It is the parameter of the notification ambit/status.
type State struct {
	Folder     string    `json:"folder"` // URI; "" for documents that belong to no folder
	State      StateName `json:"state"`
	Generation uint64    `json:"generation"` // an answer of another generation may be out of date
	Files      int       `json:"files"`      // indexed
	Pending    int       `json:"pending"`    // files that wait to be indexed
	Done       int       `json:"done,omitempty"`
	Total      int       `json:"total,omitempty"` // files of the work in progress; absent when unknown
	Message    string    `json:"message"`         // one line for the user, or ""
}

// Status is the index of one workspace: an entry of the result of ambit.status, and the
// output of ambit status --json.
type Status struct {
	State
	Name       string         `json:"name,omitempty"` // of the folder, as the client calls it
	Root       string         `json:"root"`
	Head       string         `json:"head,omitempty"` // the commit whose history was read
	History    History        `json:"history"`
	Index      string         `json:"index"` // path of the index file
	IndexBytes int64          `json:"index_bytes"`
	OwnerPID   int            `json:"owner_pid,omitempty"` // the process that has the index open
	Clients    int            `json:"clients"`             // processes that are attached to it
	Model      string         `json:"model"`
	Chunks     int            `json:"chunks"`
	Bytes      int64          `json:"bytes"`     // of the indexed files
	Masked     int            `json:"masked"`    // secrets that were masked
	Languages  map[string]int `json:"languages"` // indexed files of each language
	Layers     map[string]int `json:"layers"`    // indexed documents of each layer
	LeftOut    []LeftOut      `json:"left_out"`  // by path
	// what rules keep from being listed at all, most first; if the question asks for a scan
	Ignored []Ignored `json:"ignored,omitempty"`
	// by path: indexed files of which a part is read as text although their language has a grammar
	Partial []LeftOut `json:"partial,omitempty"`
	// by path and line, if the question asks for an audit; as the files are on the disk
	Secrets []Secret `json:"secrets,omitempty"`
	// what the workspace imports, if the question asks for it
	Ecosystems []Ecosystem `json:"ecosystems,omitempty"`
	// bytes on disk of what is parsed of dependencies, for all workspaces, if the question asks for it
	DependencyCache int64  `json:"dependency_cache,omitempty"`
	Memory          Memory `json:"memory"`
}

// Ecosystem is where the sources of the direct dependencies of one language are.
type Ecosystem struct {
	Name    string    `json:"name"`              // "Go"
	Std     *Package  `json:"std,omitempty"`     // the standard library; absent when it is missing
	Found   []Package `json:"found"`             // by name
	Missing []Package `json:"missing"`           // without sources on this machine, by name
	Remedy  string    `json:"remedy"`            // the command that brings what is missing
	Refused []Refusal `json:"refused,omitempty"` // by name
}

// Package is a dependency.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Dir     string `json:"dir,omitempty"` // absolute; absent when it is missing
}

// Refusal is a directory of a manifest that is not read.
type Refusal struct {
	What   string `json:"what"` // as the manifest says it
	Reason string `json:"reason"`
}

// History is what of the history of git the index has.
type History struct {
	Commits int    `json:"commits"`           // that were counted
	Cut     string `json:"cut,omitempty"`     // which were not, and why
	Reading bool   `json:"reading,omitempty"` // a newer history is being read
}

// LeftOut is a file that is not indexed, or only in part.
type LeftOut struct {
	Path   record.Path `json:"path"`
	Reason string      `json:"reason"`
}

// Ignored is what one rule keeps out of a workspace.
type Ignored struct {
	Rule    string      `json:"rule"`        // ".gitignore:3: *.log", or the reason in words
	Files   int         `json:"files"`       // ignored one by one
	Dirs    int         `json:"directories"` // ignored whole; the files in them are not counted
	Example record.Path `json:"example"`     // the first file or directory; a directory ends in "/"
}

// Secret is a secret that is masked. Its text is nowhere in an answer.
type Secret struct {
	Path record.Path `json:"path"`
	Line int         `json:"line"` // from 1
	Rule string      `json:"rule"` // the name of the rule that found it
}

// Memory counts the results that were reused since the index was made.
type Memory struct {
	Embedded      int    `json:"embedded"`              // chunks whose vectors were computed
	Kept          int    `json:"kept"`                  // chunks whose vectors were remembered
	Recalled      int    `json:"recalled"`              // files that were neither parsed nor embedded, because an earlier revision was kept
	Revisions     int    `json:"revisions"`             // earlier revisions of files that are kept
	RevisionBytes int64  `json:"revision_bytes"`        // size of these revisions in the index
	ClonedFrom    string `json:"cloned_from,omitempty"` // the index of which this one began as a copy
}

// StatusAnswer is the result of ambit.status: all folders together, and each.
type StatusAnswer struct {
	State   StateName `json:"state"`
	Files   int       `json:"files"`
	Pending int       `json:"pending"`
	Message string    `json:"message"`
	Folders []Status  `json:"folders"`
}

// Progress is the progress of an indexing run.
type Progress struct {
	Phase      string      `json:"phase"` // "scanning", "indexing", "saving" or "history"
	Done       int         `json:"done"`  // files
	Total      int         `json:"total"`
	Bytes      int64       `json:"bytes"` // of the files that are done
	TotalBytes int64       `json:"total_bytes"`
	Path       record.Path `json:"path,omitempty"` // of the file that was just done
}

// Report counts the work of an indexing run.
type Report struct {
	Indexed  int   `json:"indexed"`  // files stored with their chunks
	LeftOut  int   `json:"left_out"` // files stored without chunks
	Touched  int   `json:"touched"`  // files with the same bytes under another time
	Removed  int   `json:"removed"`
	Embedded int   `json:"embedded"` // chunks whose vector was computed
	Kept     int   `json:"kept"`     // chunks that kept the vector of the same text
	Enriched int   `json:"enriched"` // files written again because they quote others that have changed
	Recalled int   `json:"recalled"` // files of Indexed whose earlier revision was kept
	Bytes    int64 `json:"bytes"`    // of the indexed files
}

// Reindexed is the result of ambit.reindex.
type Reindexed struct {
	Files int `json:"files"`
}
