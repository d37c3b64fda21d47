package api

import (
	"encoding/json"

	"ambit/vectors/record"
)

// Document is a document that is open in an editor, at one version. It is immutable, so
// its address can be the key of results that are computed from it.
type Document struct {
	Path     record.Path `json:"path"`     // of an untitled document its URI, "untitled:Untitled-1"
	Language string      `json:"language"` // the client's name for the language, "typescriptreact"
	Version  int32       `json:"version"`
	Text     string      `json:"text"` // valid UTF-8
}

// TextDocument names a document. Clients name it by URI; a [Workspace] is asked by Path.
type TextDocument struct {
	URI  string      `json:"uri,omitempty" lsp:"required"`
	Path record.Path `json:"path,omitempty" lsp:"-"`
	// Outside names, in place of Path, a file of a dependency outside of the workspace: its absolute
	// path, or an entry of an archive, "/home/u/gson-sources.jar!/com/google/gson/Gson.java".
	Outside string `json:"outside,omitempty" lsp:"-"`
	// Document is the version that the position counts in; nil means the file on disk,
	// or the client's latest version.
	Document *Document `json:"document,omitempty" lsp:"-"`
}

// Position is a place in a document: zero-based, the character in the units of the
// question's position encoding.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// UnmarshalJSON reads a position, which must have two numbers that are not negative.
func (p *Position) UnmarshalJSON(data []byte) error {
	var read struct {
		Line      *int `json:"line"`
		Character *int `json:"character"`
	}
	err := json.Unmarshal(data, &read)
	if err != nil || read.Line == nil || read.Character == nil || *read.Line < 0 || *read.Character < 0 {
		return &FieldError{"position", "use an object with line and character, whole numbers from 0"}
	}
	*p = Position{*read.Line, *read.Character}
	return nil
}

// Range is half-open.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// UnmarshalJSON reads a range, which must have two ends.
func (r *Range) UnmarshalJSON(data []byte) error {
	var read struct {
		Start *Position `json:"start"`
		End   *Position `json:"end"`
	}
	err := json.Unmarshal(data, &read)
	if err != nil || read.Start == nil || read.End == nil {
		return &FieldError{"range", "use an object with start and end"}
	}
	*r = Range{*read.Start, *read.End}
	return nil
}

// PositionEncoding is the unit of [Position].Character.
type PositionEncoding string

// The position encodings of the Language Server Protocol. The zero value means UTF-16.
const (
	UTF8  PositionEncoding = "utf-8"
	UTF16 PositionEncoding = "utf-16"
	UTF32 PositionEncoding = "utf-32"
)

// Place is a position in a document.
type Place struct {
	TextDocument TextDocument `json:"textDocument" required:"true"`
	Position     Position     `json:"position" required:"true"`
	// PositionEncoding is the encoding of the position and of every range of the answer.
	PositionEncoding PositionEncoding `json:"positionEncoding,omitempty" enum:"utf-8,utf-16,utf-32" default:"utf-16" lsp:"-"`
	// Strict makes a character after the end of its line an error. Otherwise it means
	// the end of the line, as in the Language Server Protocol.
	Strict bool `json:"strict,omitempty" lsp:"-"`
}

// Question is the argument of ambit.context: a place in a document, a symbol or a line of
// a path, or words; one of them.
type Question struct {
	TextDocument     *TextDocument    `json:"textDocument,omitempty"`
	Position         *Position        `json:"position,omitempty"`
	PositionEncoding PositionEncoding `json:"positionEncoding,omitempty" enum:"utf-8,utf-16,utf-32" default:"utf-16" lsp:"-"`
	Strict           bool             `json:"strict,omitempty" lsp:"-"` // see [Place]
	Query            string           `json:"query,omitempty" max:"1048576"`
	// Symbol names a declaration in place of a position: its qualified name,
	// "Command.Execute", or the last part of it. When several declarations may be meant, the
	// answer has no sources and lists them as candidates.
	Symbol string `json:"symbol,omitempty" max:"1000"`
	// Path is the file, the directory or the pattern as in .gitignore in which Symbol is
	// looked for. Without Symbol it is the file of Line. It is relative to the workspace; a
	// path with a root and a file URI must lead into it.
	Path string `json:"path,omitempty" max:"4096"`
	// Line is a line of the declaration that Symbol names. Without Symbol the question is
	// about the line of Path, the first one when Line is absent.
	Line int `json:"line,omitempty" min:"1" max:"1000000000"`
	// Diff is a unified diff, as git writes it, in place of a position or words: the answer has
	// what it changes, and what uses, tests, mentions or changes with that.
	Diff string `json:"diff,omitempty" max:"4194304"`
	// WorkingTree asks for the diff of the working tree against HEAD in place of Diff.
	WorkingTree bool `json:"workingTree,omitempty"`
	// Agent says that a language model has chosen what the question names. The server then
	// refuses every document that is not a file of the workspace which is indexed: ignored
	// files, files with secrets, symbolic links, untitled documents, and files elsewhere that
	// are open in the editor.
	Agent bool `json:"agent,omitempty"`

	// Budget is the largest number of tokens of the text, markup included. Without it the
	// setting "budget" counts, or "documentsBudget" for a question about documents only.
	Budget int `json:"budget,omitempty" min:"200" max:"2000000"`
	// DocumentsBudget replaces Budget when all candidates are documents.
	DocumentsBudget int `json:"documentsBudget,omitempty" min:"200" max:"2000000"`
	// Format is the format of the text. Without it the setting "format" counts.
	Format Format `json:"format,omitempty" enum:"xml,markdown,plain,human,human-color,json" alias:"claude=xml,gpt=markdown,generic=plain" default:"plain"`
	// Template is a Go text/template that writes the text in place of Format. Without it the
	// setting "template" counts.
	Template string `json:"template,omitempty" max:"65536"`
	// Encoding is the vocabulary in which tokens are counted. Without it the setting
	// "encoding" counts.
	Encoding string `json:"encoding,omitempty" enum:"o200k_base,cl100k_base,ratio" alias:"chars/4=ratio" default:"o200k_base"`
	// ContextMode selects the details beside the code of a source: none, its name and
	// place, or also its relevance, change frequency, dependents and the dependency arrows.
	ContextMode ContextMode `json:"contextMode,omitempty" enum:"none,minimal,full" default:"full"`
	// Scope is the width of the question. Without it the words of the question decide.
	Scope   Scope    `json:"scope,omitempty" enum:"focused,exploratory,comprehensive"`
	Include []string `json:"include,omitempty" max:"1000"` // patterns, as in .gitignore, of the files to answer from
	Exclude []string `json:"exclude,omitempty" max:"1000"` // patterns of the files not to answer from
	// Pin are ids of sources that get room before all others.
	Pin []record.ChunkID `json:"pin,omitempty" max:"1000"`
	// Drop are ids of sources that are not shown. Drop outranks Pin.
	Drop []record.ChunkID `json:"drop,omitempty" max:"1000"`
	// Fill uses the whole budget. Otherwise sources that are not worth their tokens are
	// listed under omitted.
	Fill bool `json:"fill,omitempty"`
	// Folder is the URI of the workspace folder to ask; only for a question in words.
	Folder string `json:"folder,omitempty"`
}

// OverviewQuestion returns the question what the project is, or an area of it, in words.
func OverviewQuestion(area string) Question {
	if area == "" {
		return Question{Query: "Give me an overview of this project", Scope: Comprehensive}
	}
	return Question{Query: "Give me an overview of " + area + " in this project", Scope: Comprehensive}
}

// Place returns the place that the question is about; ok is false for a question in words.
func (q *Question) Place() (p Place, ok bool) {
	if q.TextDocument == nil || q.Position == nil {
		return Place{}, false
	}
	return Place{TextDocument: *q.TextDocument, Position: *q.Position, PositionEncoding: q.PositionEncoding, Strict: q.Strict}, true
}

// Format is the format of the text of an answer.
type Format string

// The formats. The zero value means Plain.
const (
	Plain      Format = "plain"
	XML        Format = "xml"
	Markdown   Format = "markdown"
	Human      Format = "human"
	HumanColor Format = "human-color" // Human with colors for a terminal
	JSON       Format = "json"        // the answer itself is JSON; its text is plain
)

// ContextMode selects the details of a source beside its code.
type ContextMode string

// The context modes. The zero value means ContextFull.
const (
	ContextNone    ContextMode = "none"
	ContextMinimal ContextMode = "minimal"
	ContextFull    ContextMode = "full"
)

// Scope is the width of a question.
type Scope string

// The scopes.
const (
	Focused       Scope = "focused"       // about one symbol
	Exploratory   Scope = "exploratory"   // about how, why or where
	Comprehensive Scope = "comprehensive" // an overview
)

// The limits of a question that gives none.
const (
	DefaultSearchLimit  = 10
	DefaultRelatedLimit = 20
)

// SearchQuestion is the argument of ambit.search. An empty filter keeps everything.
type SearchQuestion struct {
	Query string `json:"query" required:"true" max:"1048576"`
	Limit int    `json:"limit,omitempty" min:"1" max:"1000" default:"10"`
	// Path is a file, a directory or a pattern as in .gitignore, of each folder. The language
	// server also takes an absolute path and, of several folders, one that begins with a
	// folder's name: it searches that folder alone.
	Path             string           `json:"path,omitempty"`
	Language         string           `json:"language,omitempty"`                                                                                                                                                                                                       // its name in ambit.status; the case does not matter
	Kind             record.Kind      `json:"kind,omitempty" enum:"function,method,class,struct,interface,enum,type,module,field,variable,constant,macro,impl,test,section,document,file,text,model,controller,mailer,job,service,component,mixin,action,graphql,view"` // of a unit; from model to graphql, what a framework takes its class for
	Layer            string           `json:"layer,omitempty"`                                                                                                                                                                                                          // of documents: one of the layers in ambit.status
	Tags             []string         `json:"tags,omitempty"`                                                                                                                                                                                                           // of documents; all of them must be there
	PositionEncoding PositionEncoding `json:"positionEncoding,omitempty" enum:"utf-8,utf-16,utf-32" default:"utf-16" lsp:"-"`
	Folder           string           `json:"folder,omitempty"` // URI; without it all workspace folders are searched
	// TextDocument names a document of the workspace folder to search, when Folder is absent.
	TextDocument *TextDocument `json:"textDocument,omitempty"`
	Agent        bool          `json:"agent,omitempty"` // a language model asks, see [Question]
	// Snippet is the number of lines of each match to return, those that match best.
	Snippet int `json:"snippet,omitempty" min:"1" max:"40"`
	// Deps searches the declarations of the direct dependencies in place of the workspace, by name
	// and by words. Path, Layer and Tags say nothing of them.
	Deps bool `json:"deps,omitempty"`
}

// RelatedQuestion is the argument of ambit.related.
type RelatedQuestion struct {
	Place
	Limit int `json:"limit,omitempty" min:"1" max:"1000" default:"20"`
}

// ExplainQuestion is the argument of ambit.explain: a source of the answer to Question.
// The language server takes the client's latest question when Question is empty.
type ExplainQuestion struct {
	Question
	ID     record.ChunkID `json:"id,omitzero"`      // of a source of an answer
	Source *SourceName    `json:"source,omitempty"` // an entry of the answer's sources, "path:line" or an identifier
}

// ReadQuestion asks for the whole text of a unit: by the id of an earlier answer, by name as
// in [Question], or the unit at a line of a path.
type ReadQuestion struct {
	ID     record.ChunkID `json:"id,omitzero"`
	Symbol string         `json:"symbol,omitempty" max:"1000"`
	Path   string         `json:"path,omitempty" max:"4096"`
	Line   int            `json:"line,omitempty" min:"1" max:"1000000000"`
	// From is the first line to read, of a unit that an earlier answer did not have to its
	// end. Absent it is the first line of the unit.
	From int `json:"from,omitempty" min:"1" max:"1000000000"`
	// Budget is the largest number of tokens of the text.
	Budget   int    `json:"budget,omitempty" min:"200" max:"2000000" default:"8000"`
	Encoding string `json:"encoding,omitempty" enum:"o200k_base,cl100k_base,ratio" alias:"chars/4=ratio" default:"o200k_base"`
	Agent    bool   `json:"agent,omitempty"` // see [Question]
}

// ImpactQuestion asks what a change of a declaration touches. The declaration is named as in
// [ReadQuestion].
type ImpactQuestion struct {
	ID     record.ChunkID `json:"id,omitzero"`
	Symbol string         `json:"symbol,omitempty" max:"1000"`
	Path   string         `json:"path,omitempty" max:"4096"`
	Line   int            `json:"line,omitempty" min:"1" max:"1000000000"`
	Limit  int            `json:"limit,omitempty" min:"1" max:"1000" default:"20"` // of each list
	Agent  bool           `json:"agent,omitempty"`                                 // see [Question]
}

// DefaultReadBudget is the budget of a [ReadQuestion] that gives none.
const DefaultReadBudget = 8000

// HoverQuestion asks for a description of the symbol at a place.
type HoverQuestion struct{ Place }

// ChunksQuestion is the argument of ambit.chunks.
type ChunksQuestion struct {
	TextDocument     TextDocument     `json:"textDocument" required:"true"`
	PositionEncoding PositionEncoding `json:"positionEncoding,omitempty" enum:"utf-8,utf-16,utf-32" default:"utf-16" lsp:"-"`
}

// SourceTextQuestion asks for the text of a source of a dependency.
type SourceTextQuestion struct {
	// Name is the absolute path of the file. Of one in an archive, as those of Java are, it is the path
	// of the archive, "!/" and the name of the entry.
	Name string `json:"name"`
}

// ChunkStatsQuestion asks for the counts of the chunks of many files.
type ChunkStatsQuestion struct {
	Path record.Path `json:"path,omitempty"` // a directory or a file; "" means the whole workspace
}

// StatusQuestion is the argument of ambit.status.
type StatusQuestion struct {
	// Scan also scans the tree, counts the files that have changed since they were
	// indexed, and lists what rules ignore. It waits while files are being indexed.
	Scan bool `json:"scan,omitempty"`
	// Audit also lists the secrets that are masked.
	Audit bool `json:"audit,omitempty"`
	// Deps also says where the sources of dependencies are.
	Deps bool `json:"deps,omitempty"`
}

// ReindexQuestion is the argument of ambit.reindex.
type ReindexQuestion struct {
	Path   string `json:"path,omitempty"`   // a file or a directory; "" means the whole workspace
	Folder string `json:"folder,omitempty"` // URI; without it all workspace folders
	// TextDocument names a document of the workspace folder, when Folder is absent.
	TextDocument *TextDocument `json:"textDocument,omitempty"`
}

// PauseQuestion is the argument of ambit.pause and ambit.resume.
type PauseQuestion struct {
	Folder string `json:"folder,omitempty"` // URI; without it all workspace folders
	// TextDocument names a document of the workspace folder, when Folder is absent.
	TextDocument *TextDocument `json:"textDocument,omitempty"`
}

// InitializeOptions are the fields of the client's initializationOptions that are not
// settings.
type InitializeOptions struct {
	// Hover false turns hovers off. It may also be among the settings.
	Hover bool `json:"hover,omitempty" default:"true"`
	// StatusNotifications asks for the notification ambit/status.
	StatusNotifications bool `json:"statusNotifications,omitempty" default:"false"`
	// ClientCommands are the commands behind code actions that the client carries out
	// itself: ambit.copyContext, to use the clipboard, and ambit.showRelated.
	ClientCommands []string `json:"clientCommands,omitempty"`
}
