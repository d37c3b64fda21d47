package api

import "ambit/vectors/record"

// Answer is the result of ambit.context.
type Answer struct {
	Text         string       `json:"text"`
	Format       Format       `json:"format"`
	Tokens       int          `json:"tokens"` // of Text, exact
	Budget       int          `json:"budget"`
	Encoding     string       `json:"encoding"`
	Scope        Scope        `json:"scope"`
	Symbol       *Symbol      `json:"symbol,omitempty"`   // under the cursor
	Overview     *Overview    `json:"overview,omitempty"` // of a question about the whole project or an area of it
	Sections     []Section    `json:"sections"`           // in order of appearance
	Markup       int          `json:"markup"`             // tokens of the rest of Text: headings, dependencies, what is around; with those of the sections they are Tokens
	Sources      []Source     `json:"sources"`            // in order of appearance
	Dependencies []Dependency `json:"dependencies"`       // among the sources
	Omitted      []Omission   `json:"omitted"`            // by rank
	// Candidates are the declarations that the symbol of the question may mean, the likeliest
	// first. When there are any, the answer has no sources.
	Candidates []Link    `json:"candidates,omitempty"`
	Freshness  Freshness `json:"freshness"`
}

// Symbol is the symbol under the cursor.
type Symbol struct {
	Name       string      `json:"name"` // the last component of Identifier
	Identifier string      `json:"identifier"`
	Kind       record.Kind `json:"kind"`
	Path       record.Path `json:"path"`
	StartLine  int         `json:"start_line"`
	EndLine    int         `json:"end_line"`
}

// Overview is a picture of a project. Each list has the most telling first.
type Overview struct {
	Name         string          `json:"name,omitempty"`
	About        string          `json:"about,omitempty"` // what its documents say of it
	Languages    []LanguageShare `json:"languages"`
	Frameworks   []string        `json:"frameworks"`
	Dependencies []string        `json:"dependencies"` // direct ones, as the manifests name them
	Entries      []EntryPoint    `json:"entries"`
	Parts        []ProjectPart   `json:"parts"` // each followed by its parts
	MoreEntries  int             `json:"more_entries,omitempty"`
	MoreParts    int             `json:"more_parts,omitempty"`
}

// LanguageShare is a language with its share of a project.
type LanguageShare struct {
	Language string  `json:"language"`
	Files    int     `json:"files"`
	Share    float64 `json:"share"` // of the bytes of the code, from 0 to 1; 0 for documents and data
}

// EntryPoint is where a project is entered from outside.
type EntryPoint struct {
	Name string      `json:"name"`
	Kind string      `json:"kind"`           // "program", "library" or "routes"
	Path record.Path `json:"path,omitempty"` // absent when the workspace has no such file
}

// ProjectPart is a directory or a file of a project.
type ProjectPart struct {
	Path  string   `json:"path"`            // a directory ends in "/"
	Level int      `json:"level"`           // from 0; a part of a part has one more
	Files int      `json:"files"`           // of a directory, those below included
	About string   `json:"about,omitempty"` // what its documents say of it
	Units []string `json:"units,omitempty"` // without such a sentence: its most used units
	Asked bool     `json:"asked,omitempty"` // it is of the area in question
	Rank  int      `json:"rank"`            // among all parts, from 0: how much it tells of the project
}

// Section is one part of the answer.
type Section struct {
	Name   string `json:"name"`   // "primary", "supporting", "structural" or "framework"
	Tokens int    `json:"tokens"` // of the section, markup included; those of its sources are the same sum
	Budget int    `json:"budget"` // tokens that were available to the section, at least Tokens
}

// Source is a unit as it appears in the answer.
type Source struct {
	ID              record.ChunkID   `json:"id"`
	Identifier      string           `json:"identifier"`
	Kind            record.Kind      `json:"kind"`
	Language        string           `json:"language"`
	Path            record.Path      `json:"path"`
	Package         string           `json:"package,omitempty"` // with its version, "cobra@v1.10.2", of a declaration outside of the workspace; Path begins with its place in the package
	URI             string           `json:"uri"`
	Range           Range            `json:"range"` // of the whole unit
	StartLine       int              `json:"start_line"`
	EndLine         int              `json:"end_line"`
	Ranges          [][2]int         `json:"ranges"`               // first and last line of each run of lines that is shown
	TextLines       *[2]int          `json:"text_lines,omitempty"` // first and last line in the answer's text, heading and markup included
	Section         string           `json:"section"`
	Role            string           `json:"role"`      // its relation to the question, "used by"
	Reason          string           `json:"reason"`    // its relation to the question in plain words, "called by"
	Relevance       float64          `json:"relevance"` // the probability that the source is right, as measured; from 0 to 1, two decimals
	ChangeFrequency record.Frequency `json:"change_frequency"`
	Dependents      int              `json:"dependents"`          // files that use its name
	Tokens          int              `json:"tokens"`              // heading and markup included
	Truncated       *Truncation      `json:"truncated,omitempty"` // absent when the whole unit is shown
	Why             []Signal         `json:"why"`
}

// Truncation describes the missing part of a source.
type Truncation struct {
	LinesOmitted int      `json:"lines_omitted"`
	Kinds        []string `json:"kinds"` // of the lines, counted: "doc", "12 associations", "3 method bodies", …
	TotalLines   int      `json:"total_lines"`
	TotalTokens  int      `json:"total_tokens"`
}

// Signal is one named term of a score.
type Signal struct {
	Name  string  `json:"signal"`
	Score float64 `json:"score"` // four decimals
}

// Dependency is an arrow between two identifiers.
type Dependency struct {
	From string          `json:"from"`
	To   string          `json:"to"`
	Kind record.EdgeKind `json:"kind"`
}

// Omission is a candidate that is not shown, or a pinned or dropped id that was not found.
type Omission struct {
	ID         record.ChunkID `json:"id"`
	Identifier string         `json:"identifier"`
	Path       record.Path    `json:"path"`
	Tokens     int            `json:"tokens"` // of the whole unit; 0 when it could not be read
	Reason     string         `json:"reason"`
}

// Freshness is the state of the index from which an answer comes.
type Freshness struct {
	Generation uint64    `json:"generation"` // of the index; it grows by one with each batch of changes
	Pending    int       `json:"pending"`    // changed files that the answer does not have yet
	State      StateName `json:"state"`
}

// Matches is the result of ambit.search and ambit.related.
type Matches struct {
	Results   []Match   `json:"results"`
	Freshness Freshness `json:"freshness"` // over several folders: the sums, and the most urgent state
}

// Match is a unit, or a part of one, that matches a question.
type Match struct {
	ID          record.ChunkID `json:"id"`
	Path        record.Path    `json:"path"`
	Package     string         `json:"package,omitempty"` // with its version, "cobra@v1.10.2", of a declaration of a dependency
	URI         string         `json:"uri"`
	Range       Range          `json:"range"`
	StartLine   int            `json:"start_line"`
	EndLine     int            `json:"end_line"`
	Also        [][2]int       `json:"also,omitempty"` // first and last line of each place where a section goes on whose lines are scattered
	Identifier  string         `json:"identifier"`
	UnitSection string         `json:"unit_section,omitempty"` // of a unit that was split, or what text between units is: "imports", "parse + 3"
	Kind        record.Kind    `json:"kind"`
	Language    string         `json:"language"`
	Role        string         `json:"role,omitempty"` // its relation to the place; absent in a search
	Reason      string         `json:"reason"`         // why it is there in plain words: "named", "same words"
	Score       float64        `json:"score"`
	Why         []Signal       `json:"why"`
	Snippet     *Snippet       `json:"snippet,omitempty"` // if the question asks for one
}

// Snippet is a run of whole lines of a match.
type Snippet struct {
	StartLine int    `json:"start_line"`
	Text      string `json:"text"`
}

// SourceText is the text of a source of a dependency, with its secrets masked.
type SourceText struct {
	Text string `json:"text"`
}

// UnitText is the text of a unit.
type UnitText struct {
	Link
	ID        record.ChunkID `json:"id"`
	Language  string         `json:"language"`
	StartLine int            `json:"start_line"` // of the unit
	EndLine   int            `json:"end_line"`
	FirstLine int            `json:"first_line"` // of Text
	Text      string         `json:"text"`
	Tokens    int            `json:"tokens"`              // of Text
	NextLine  int            `json:"next_line,omitempty"` // where Text goes on; absent when it has the end of the unit
	// Candidates are the declarations that the symbol may mean, as in [Answer]. When there
	// are any, there is no text.
	Candidates []Link    `json:"candidates,omitempty"`
	Freshness  Freshness `json:"freshness"`
}

// Impact is what a change of a declaration touches. Each list has the most relevant first.
type Impact struct {
	Unit        Link       `json:"unit"`
	UsedBy      []Affected `json:"used_by"`
	Tests       []Affected `json:"tests"`
	Overrides   []Affected `json:"overrides"`    // what it overrides or implements, and what overrides or implements it
	ChangesWith []Affected `json:"changes_with"` // files that the same commits changed
	Documents   []Affected `json:"documents"`    // that name it
	Dependents  int        `json:"dependents"`   // files that use its name
	Candidates  []Link     `json:"candidates,omitempty"`
	Freshness   Freshness  `json:"freshness"`
}

// Affected is a unit that a change touches.
type Affected struct {
	Link
	Relevance float64 `json:"relevance"`       // the probability that the source is right, as measured; from 0 to 1, two decimals
	Lines     []int   `json:"lines,omitempty"` // that use or name the declaration, the first few
}

// Explanation is the result of ambit.explain. Why has the terms of every channel.
type Explanation struct {
	Match
	Rank    int    `json:"rank"`              // from 1
	Section string `json:"section,omitempty"` // absent when the source is not shown
	Omitted string `json:"omitted,omitempty"` // the reason when the source is not shown
}

// Chunks is the result of ambit.chunks.
type Chunks struct {
	Path     record.Path `json:"path"`
	URI      string      `json:"uri"`
	Language string      `json:"language"`
	Chunks   []Chunk     `json:"chunks"`
}

// Chunk is a piece of a file as it is indexed.
type Chunk struct {
	ID         record.ChunkID `json:"id"`
	Identifier string         `json:"identifier"`
	Kind       record.Kind    `json:"kind"`
	Section    string         `json:"section,omitempty"` // of a unit that was split
	Scope      string         `json:"scope,omitempty"`   // the units around it
	Signature  string         `json:"signature,omitempty"`
	Summary    bool           `json:"summary,omitempty"` // of the whole file, beside the other chunks
	StartLine  int            `json:"start_line"`
	EndLine    int            `json:"end_line"`
	Range      Range          `json:"range"`
	Start      int            `json:"start"` // bytes, half-open
	End        int            `json:"end"`
	Also       []Part         `json:"also,omitempty"` // where a section goes on whose lines are scattered; Content has them too
	Tokens     int            `json:"tokens"`         // an estimate
	Hash       record.Hash    `json:"hash"`           // SHA-256 of the content
	Defines    []string       `json:"defines"`
	Imports    []string       `json:"imports"`
	Siblings   []string       `json:"siblings"`
	Document   *DocumentChunk `json:"document,omitempty"` // of a document
	Prefix     string         `json:"prefix"`             // embedded before the content
	Suffix     string         `json:"suffix,omitempty"`   // embedded after the content
	Content    string         `json:"content"`
}

// Part is a part of a file.
type Part struct {
	StartLine int   `json:"start_line"`
	EndLine   int   `json:"end_line"`
	Range     Range `json:"range"`
	Start     int   `json:"start"` // bytes, half-open
	End       int   `json:"end"`
}

// ChunkSizes are the limits between the classes of [ChunkCounts].Sizes, in tokens. They
// are the limits by which package chunk cuts and merges.
var ChunkSizes = []int{30, 60, 200, 300, 600, 800}

// ChunkStats counts the chunks of files: the output of ambit chunks --stats --json.
type ChunkStats struct {
	Path       record.Path            `json:"path"`        // of the question
	SizeLimits []int                  `json:"size_limits"` // see [ChunkSizes]
	Total      ChunkCounts            `json:"total"`
	Languages  map[string]ChunkCounts `json:"languages"`
	Examples   []ChunkExample         `json:"examples"` // the first of each fault, by path
}

// ChunkCounts counts chunks. A summary, which quotes its file or unit a second time, counts
// in Summaries and EmbeddedBytes only.
type ChunkCounts struct {
	Files         int     `json:"files"`
	Bytes         int64   `json:"bytes"` // of the files
	Chunks        int     `json:"chunks"`
	Tokens        int     `json:"tokens"`   // of the chunks, an estimate
	Sizes         []int   `json:"sizes"`    // chunks below each size limit, and those above the last
	Wordless      int     `json:"wordless"` // without a letter or digit
	Closing       int     `json:"closing"`  // begin with closing punctuation
	Small         int     `json:"small"`    // below the first size limit, and not a whole file
	Merged        int     `json:"merged"`   // hold declarations, but no single unit: small neighbors
	Summaries     int     `json:"summaries"`
	EmbeddedBytes int64   `json:"embedded_bytes"` // of the texts that are embedded
	Growth        float64 `json:"growth"`         // of the embedded text over the files, in percent
}

// ChunkExample is a chunk with a fault.
type ChunkExample struct {
	Fault     string      `json:"fault"` // "wordless", "closing" or "small"
	Path      record.Path `json:"path"`
	StartLine int         `json:"start_line"`
	EndLine   int         `json:"end_line"`
	Tokens    int         `json:"tokens"`
}

// DocumentChunk is what a chunk of a document knows of the document and of its section.
type DocumentChunk struct {
	Title     string   `json:"title"`
	Headings  []string `json:"headings"`             // from the top heading to the one of the section
	Level     int      `json:"level"`                // of that heading, from 1 to 6; 0 before the first
	Tags      []string `json:"tags"`                 // of the front matter
	Layer     string   `json:"layer"`                // of the front matter, or the first directory of the path
	UpdatedAt string   `json:"updated_at,omitempty"` // as in the front matter
	CodeRefs  []string `json:"code_refs"`            // places that the section names, "path:lines"
	Links     []string `json:"links"`                // files that the section links to, "path#anchor"
	Index     int      `json:"index"`                // among the chunks of the document, from 0
	Total     int      `json:"total"`                // chunks of the document
}

// Hover is a short description of a symbol.
type Hover struct {
	Range           Range            `json:"range"` // of the name
	Unit            Link             `json:"unit"`
	ChangeFrequency record.Frequency `json:"change_frequency"`
	Dependents      int              `json:"dependents"` // files that use its name
	Related         []Link           `json:"related"`    // the most relevant first
	Tests           []Link           `json:"tests"`
	Documents       []Link           `json:"documents"`
}

// Link is a unit with its place.
type Link struct {
	Identifier string      `json:"identifier"`
	Kind       record.Kind `json:"kind"`
	Path       record.Path `json:"path"`
	URI        string      `json:"uri"`
	Line       int         `json:"line"`
	Role       string      `json:"role,omitempty"` // its relation to the symbol; absent for the symbol itself
}

// Shown is the result of ambit.copyContext and ambit.showRelated: the text of the shown
// document.
type Shown struct {
	Text string `json:"text"`
}
