---@meta
-- Generated from server/api by "go generate ./server/api"; do not edit.
-- The answers of the server, as the server sends them. Lines are 1-based and
-- inclusive, paths relative to the workspace with "/"; ranges are those of the Language
-- Server Protocol, in the encoding that `offset_encoding` names.

---The result of |ambit.context()|.
---@class ambit.ContextResult
---@field text string
---@field format "plain"|"xml"|"markdown"|"human"|"human-color"|"json"
---@field tokens integer of Text, exact
---@field budget integer
---@field encoding string
---@field scope "focused"|"exploratory"|"comprehensive"
---@field symbol ambit.Symbol? under the cursor
---@field overview ambit.Overview? of a question about the whole project or an area of it
---@field sections ambit.Section[] in order of appearance
---@field markup integer tokens of the rest of Text: headings, dependencies, what is around; with those of the sections they are Tokens
---@field sources ambit.Source[] in order of appearance
---@field dependencies ambit.Dependency[] among the sources
---@field omitted ambit.Omission[] by rank
---@field candidates ambit.Link[]? The declarations that the symbol of the question may mean, the likeliest first. When there are any, the answer has no sources.
---@field freshness ambit.Freshness
---@field offset_encoding string of the ranges; the plugin adds it

---The symbol under the cursor.
---@class ambit.Symbol
---@field name string the last component of Identifier
---@field identifier string
---@field kind string
---@field path string
---@field start_line integer
---@field end_line integer

---A picture of a project. Each list has the most telling first.
---@class ambit.Overview
---@field name string?
---@field about string? what its documents say of it
---@field languages ambit.LanguageShare[]
---@field frameworks string[]
---@field dependencies string[] direct ones, as the manifests name them
---@field entries ambit.EntryPoint[]
---@field parts ambit.ProjectPart[] each followed by its parts
---@field more_entries integer?
---@field more_parts integer?

---A language with its share of a project.
---@class ambit.LanguageShare
---@field language string
---@field files integer
---@field share number of the bytes of the code, from 0 to 1; 0 for documents and data

---Where a project is entered from outside.
---@class ambit.EntryPoint
---@field name string
---@field kind string "program", "library" or "routes"
---@field path string? absent when the workspace has no such file

---A directory or a file of a project.
---@class ambit.ProjectPart
---@field path string a directory ends in "/"
---@field level integer from 0; a part of a part has one more
---@field files integer of a directory, those below included
---@field about string? what its documents say of it
---@field units string[]? without such a sentence: its most used units
---@field asked boolean? it is of the area in question
---@field rank integer among all parts, from 0: how much it tells of the project

---One part of the answer.
---@class ambit.Section
---@field name string "primary", "supporting", "structural" or "framework"
---@field tokens integer of the section, markup included; those of its sources are the same sum
---@field budget integer tokens that were available to the section, at least Tokens

---A unit as it appears in the answer.
---@class ambit.Source
---@field id string
---@field identifier string
---@field kind string
---@field language string
---@field path string
---@field package string? with its version, "cobra@v1.10.2", of a declaration outside of the workspace; Path begins with its place in the package
---@field uri string
---@field range lsp.Range of the whole unit
---@field start_line integer
---@field end_line integer
---@field ranges integer[][] first and last line of each run of lines that is shown
---@field text_lines integer[]? first and last line in the answer's text, heading and markup included
---@field section string
---@field role string its relation to the question, "used by"
---@field reason string its relation to the question in plain words, "called by"
---@field relevance number the probability that the source is right, as measured; from 0 to 1, two decimals
---@field change_frequency string
---@field dependents integer files that use its name
---@field tokens integer heading and markup included
---@field truncated ambit.Truncation? absent when the whole unit is shown
---@field why ambit.Signal[]

---Describes the missing part of a source.
---@class ambit.Truncation
---@field lines_omitted integer
---@field kinds string[] of the lines, counted: "doc", "12 associations", "3 method bodies", …
---@field total_lines integer
---@field total_tokens integer

---One named term of a score.
---@class ambit.Signal
---@field signal string
---@field score number four decimals

---An arrow between two identifiers.
---@class ambit.Dependency
---@field from string
---@field to string
---@field kind string

---A candidate that is not shown, or a pinned or dropped id that was not found.
---@class ambit.Omission
---@field id string
---@field identifier string
---@field path string
---@field tokens integer of the whole unit; 0 when it could not be read
---@field reason string

---A unit with its place.
---@class ambit.Link
---@field identifier string
---@field kind string
---@field path string
---@field uri string
---@field line integer
---@field role string? its relation to the symbol; absent for the symbol itself

---The state of the index from which an answer comes.
---@class ambit.Freshness
---@field generation integer of the index; it grows by one with each batch of changes
---@field pending integer changed files that the answer does not have yet
---@field state "starting"|"indexing"|"ready"|"paused"|"error"

---The result of |ambit.search()| and |ambit.related()|.
---@class ambit.SearchResult
---@field results ambit.Match[]
---@field freshness ambit.Freshness over several folders: the sums, and the most urgent state
---@field offset_encoding string of the ranges; the plugin adds it

---A unit, or a part of one, that matches a question.
---@class ambit.Match
---@field id string
---@field path string
---@field package string? with its version, "cobra@v1.10.2", of a declaration of a dependency
---@field uri string
---@field range lsp.Range
---@field start_line integer
---@field end_line integer
---@field also integer[][]? first and last line of each place where a section goes on whose lines are scattered
---@field identifier string
---@field unit_section string? of a unit that was split, or what text between units is: "imports", "parse + 3"
---@field kind string
---@field language string
---@field role string? its relation to the place; absent in a search
---@field reason string why it is there in plain words: "named", "same words"
---@field score number
---@field why ambit.Signal[]
---@field snippet ambit.Snippet? if the question asks for one

---A run of whole lines of a match.
---@class ambit.Snippet
---@field start_line integer
---@field text string

---The result of |ambit.explain()|.
---@class ambit.Explanation: ambit.Match
---@field rank integer from 1
---@field section string? absent when the source is not shown
---@field omitted string? the reason when the source is not shown

---The result of |ambit.chunks()|.
---@class ambit.ChunksResult
---@field path string
---@field uri string
---@field language string
---@field chunks ambit.Chunk[]
---@field offset_encoding string of the ranges; the plugin adds it

---A piece of a file as it is indexed.
---@class ambit.Chunk
---@field id string
---@field identifier string
---@field kind string
---@field section string? of a unit that was split
---@field scope string? the units around it
---@field signature string?
---@field summary boolean? of the whole file, beside the other chunks
---@field start_line integer
---@field end_line integer
---@field range lsp.Range
---@field start integer bytes, half-open
---@field end integer
---@field also ambit.Part[]? where a section goes on whose lines are scattered; Content has them too
---@field tokens integer an estimate
---@field hash string SHA-256 of the content
---@field defines string[]
---@field imports string[]
---@field siblings string[]
---@field document ambit.DocumentChunk? of a document
---@field prefix string embedded before the content
---@field suffix string? embedded after the content
---@field content string

---A part of a file.
---@class ambit.Part
---@field start_line integer
---@field end_line integer
---@field range lsp.Range
---@field start integer bytes, half-open
---@field end integer

---What a chunk of a document knows of the document and of its section.
---@class ambit.DocumentChunk
---@field title string
---@field headings string[] from the top heading to the one of the section
---@field level integer of that heading, from 1 to 6; 0 before the first
---@field tags string[] of the front matter
---@field layer string of the front matter, or the first directory of the path
---@field updated_at string? as in the front matter
---@field code_refs string[] places that the section names, "path:lines"
---@field links string[] files that the section links to, "path#anchor"
---@field index integer among the chunks of the document, from 0
---@field total integer chunks of the document

---The result of |ambit.status()|.
---@class ambit.StatusResult
---@field state "starting"|"indexing"|"ready"|"paused"|"error"
---@field files integer
---@field pending integer
---@field message string
---@field folders ambit.FolderStatus[]

---The index of one workspace: an entry of the result of ambit.status, and the output of
---ambit status --json.
---@class ambit.FolderStatus: ambit.Status
---@field name string? of the folder, as the client calls it
---@field root string
---@field head string? the commit whose history was read
---@field history ambit.History
---@field index string path of the index file
---@field index_bytes integer
---@field owner_pid integer? the process that has the index open
---@field clients integer processes that are attached to it
---@field model string
---@field chunks integer
---@field bytes integer of the indexed files
---@field masked integer secrets that were masked
---@field languages table<string, integer> indexed files of each language
---@field layers table<string, integer> indexed documents of each layer
---@field left_out ambit.LeftOut[] by path
---@field ignored ambit.Ignored[]? what rules keep from being listed at all, most first; if the question asks for a scan
---@field partial ambit.LeftOut[]? by path: indexed files of which a part is read as text although their language has a grammar
---@field secrets ambit.Secret[]? by path and line, if the question asks for an audit; as the files are on the disk
---@field ecosystems ambit.Ecosystem[]? what the workspace imports, if the question asks for it
---@field dependency_cache integer? bytes on disk of what is parsed of dependencies, for all workspaces, if the question asks for it
---@field memory ambit.Memory

---The progress of an index.
---@class ambit.Status
---@field folder string URI; "" for documents that belong to no folder
---@field state "starting"|"indexing"|"ready"|"paused"|"error"
---@field generation integer an answer of another generation may be out of date
---@field files integer indexed
---@field pending integer files that wait to be indexed
---@field done integer?
---@field total integer? files of the work in progress; absent when unknown
---@field message string one line for the user, or ""

---What of the history of git the index has.
---@class ambit.History
---@field commits integer that were counted
---@field cut string? which were not, and why
---@field reading boolean? a newer history is being read

---A file that is not indexed, or only in part.
---@class ambit.LeftOut
---@field path string
---@field reason string

---What one rule keeps out of a workspace.
---@class ambit.Ignored
---@field rule string ".gitignore:3: *.log", or the reason in words
---@field files integer ignored one by one
---@field directories integer ignored whole; the files in them are not counted
---@field example string the first file or directory; a directory ends in "/"

---A secret that is masked. Its text is nowhere in an answer.
---@class ambit.Secret
---@field path string
---@field line integer from 1
---@field rule string the name of the rule that found it

---Where the sources of the direct dependencies of one language are.
---@class ambit.Ecosystem
---@field name string "Go"
---@field std ambit.Package? the standard library; absent when it is missing
---@field found ambit.Package[] by name
---@field missing ambit.Package[] without sources on this machine, by name
---@field remedy string the command that brings what is missing
---@field refused ambit.Refusal[]? by name

---A dependency.
---@class ambit.Package
---@field name string
---@field version string?
---@field dir string? absolute; absent when it is missing

---A directory of a manifest that is not read.
---@class ambit.Refusal
---@field what string as the manifest says it
---@field reason string

---Counts the results that were reused since the index was made.
---@class ambit.Memory
---@field embedded integer chunks whose vectors were computed
---@field kept integer chunks whose vectors were remembered
---@field recalled integer files that were neither parsed nor embedded, because an earlier revision was kept
---@field revisions integer earlier revisions of files that are kept
---@field revision_bytes integer size of these revisions in the index
---@field cloned_from string? the index of which this one began as a copy

---The result of |ambit.reindex()|.
---@class ambit.ReindexResult
---@field files integer

---The result of ambit.copyContext and ambit.showRelated: the text of the shown document.
---@class ambit.Shown
---@field text string
