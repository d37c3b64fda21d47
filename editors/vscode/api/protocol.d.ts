// Generated from server/api by "go generate ./server/api"; do not edit.

/**
 * The ambit.* commands and notifications of the server.
 *
 * Lines are 1-based and inclusive. Positions and ranges are those of the Language Server
 * Protocol: zero-based, half-open, in UTF-16 units. Paths are relative to their folder,
 * with "/".
 */

/**
 * The argument of ambit.context: a place in a document, a symbol or a line of a path, or
 * words; one of them.
 */
export interface ContextParams {
  textDocument?: TextDocument;
  position?: Position;
  /** at most 1048576 bytes */
  query?: string;
  /**
   * Names a declaration in place of a position: its qualified name, "Command.Execute", or the
   * last part of it. When several declarations may be meant, the answer has no sources and
   * lists them as candidates; at most 1000 bytes.
   */
  symbol?: string;
  /**
   * The file, the directory or the pattern as in .gitignore in which Symbol is looked for.
   * Without Symbol it is the file of Line. It is relative to the workspace; a path with a root
   * and a file URI must lead into it; at most 4096 bytes.
   */
  path?: string;
  /**
   * A line of the declaration that Symbol names. Without Symbol the question is about the line
   * of Path, the first one when Line is absent; from 1 to 1000000000.
   */
  line?: number;
  /**
   * A unified diff, as git writes it, in place of a position or words: the answer has what it
   * changes, and what uses, tests, mentions or changes with that; at most 4194304 bytes.
   */
  diff?: string;
  /** Asks for the diff of the working tree against HEAD in place of Diff. */
  workingTree?: boolean;
  /**
   * Says that a language model has chosen what the question names. The server then refuses
   * every document that is not a file of the workspace which is indexed: ignored files, files
   * with secrets, symbolic links, untitled documents, and files elsewhere that are open in the
   * editor.
   */
  agent?: boolean;
  /**
   * The largest number of tokens of the text, markup included. Without it the setting "budget"
   * counts, or "documentsBudget" for a question about documents only; from 200 to 2000000.
   */
  budget?: number;
  /** Replaces Budget when all candidates are documents; from 200 to 2000000. */
  documentsBudget?: number;
  /**
   * The format of the text. Without it the setting "format" counts; one of xml, markdown,
   * plain, human, human-color, json (claude for xml, gpt for markdown, generic for plain);
   * default plain.
   */
  format?: Format;
  /**
   * A Go text/template that writes the text in place of Format. Without it the setting
   * "template" counts; at most 65536 bytes.
   */
  template?: string;
  /**
   * The vocabulary in which tokens are counted. Without it the setting "encoding" counts; one
   * of o200k_base, cl100k_base, ratio (chars/4 for ratio); default o200k_base.
   */
  encoding?: string;
  /**
   * Selects the details beside the code of a source: none, its name and place, or also its
   * relevance, change frequency, dependents and the dependency arrows; one of none, minimal,
   * full; default full.
   */
  contextMode?: ContextMode;
  /**
   * The width of the question. Without it the words of the question decide; one of focused,
   * exploratory, comprehensive.
   */
  scope?: Scope;
  /** patterns, as in .gitignore, of the files to answer from; at most 1000 of them */
  include?: string[];
  /** patterns of the files not to answer from; at most 1000 of them */
  exclude?: string[];
  /** Ids of sources that get room before all others; at most 1000 of them. */
  pin?: string[];
  /** Ids of sources that are not shown. Drop outranks Pin; at most 1000 of them. */
  drop?: string[];
  /**
   * Uses the whole budget. Otherwise sources that are not worth their tokens are listed under
   * omitted.
   */
  fill?: boolean;
  /** The URI of the workspace folder to ask; only for a question in words. */
  folder?: string;
}

/** Names a document. Clients name it by URI; a Workspace is asked by Path. */
export interface TextDocument {
  uri: string;
}

/**
 * A place in a document: zero-based, the character in the units of the question's position
 * encoding.
 */
export interface Position {
  line: number;
  character: number;
}

/** The format of the text of an answer. */
export type Format = "plain" | "xml" | "markdown" | "human" | "human-color" | "json";

/** Selects the details of a source beside its code. */
export type ContextMode = "none" | "minimal" | "full";

/** The width of a question. */
export type Scope = "focused" | "exploratory" | "comprehensive";

/** The result of ambit.context. */
export interface ContextAnswer {
  text: string;
  format: Format;
  /** of Text, exact */
  tokens: number;
  budget: number;
  encoding: string;
  scope: Scope;
  /** under the cursor */
  symbol?: ContextSymbol;
  /** of a question about the whole project or an area of it */
  overview?: Overview;
  /** in order of appearance */
  sections: Section[];
  /**
   * tokens of the rest of Text: headings, dependencies, what is around; with those of the
   * sections they are Tokens
   */
  markup: number;
  /** in order of appearance */
  sources: Source[];
  /** among the sources */
  dependencies: Dependency[];
  /** by rank */
  omitted: Omission[];
  /**
   * The declarations that the symbol of the question may mean, the likeliest first. When there
   * are any, the answer has no sources.
   */
  candidates?: Link[];
  freshness: Freshness;
}

/** The symbol under the cursor. */
export interface ContextSymbol {
  /** the last component of Identifier */
  name: string;
  identifier: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
}

/** A picture of a project. Each list has the most telling first. */
export interface Overview {
  name?: string;
  /** what its documents say of it */
  about?: string;
  languages: LanguageShare[];
  frameworks: string[];
  /** direct ones, as the manifests name them */
  dependencies: string[];
  entries: EntryPoint[];
  /** each followed by its parts */
  parts: ProjectPart[];
  more_entries?: number;
  more_parts?: number;
}

/** A language with its share of a project. */
export interface LanguageShare {
  language: string;
  files: number;
  /** of the bytes of the code, from 0 to 1; 0 for documents and data */
  share: number;
}

/** Where a project is entered from outside. */
export interface EntryPoint {
  name: string;
  /** "program", "library" or "routes" */
  kind: string;
  /** absent when the workspace has no such file */
  path?: string;
}

/** A directory or a file of a project. */
export interface ProjectPart {
  /** a directory ends in "/" */
  path: string;
  /** from 0; a part of a part has one more */
  level: number;
  /** of a directory, those below included */
  files: number;
  /** what its documents say of it */
  about?: string;
  /** without such a sentence: its most used units */
  units?: string[];
  /** it is of the area in question */
  asked?: boolean;
  /** among all parts, from 0: how much it tells of the project */
  rank: number;
}

/** One part of the answer. */
export interface Section {
  /** "primary", "supporting", "structural" or "framework" */
  name: string;
  /** of the section, markup included; those of its sources are the same sum */
  tokens: number;
  /** tokens that were available to the section, at least Tokens */
  budget: number;
}

/** A unit as it appears in the answer. */
export interface Source {
  id: string;
  identifier: string;
  kind: string;
  language: string;
  path: string;
  /**
   * with its version, "cobra@v1.10.2", of a declaration outside of the workspace; Path begins
   * with its place in the package
   */
  package?: string;
  uri: string;
  /** of the whole unit */
  range: Range;
  start_line: number;
  end_line: number;
  /** first and last line of each run of lines that is shown */
  ranges: [first: number, last: number][];
  /** first and last line in the answer's text, heading and markup included */
  text_lines?: [first: number, last: number];
  section: string;
  /** its relation to the question, "used by" */
  role: string;
  /** its relation to the question in plain words, "called by" */
  reason: string;
  /** the probability that the source is right, as measured; from 0 to 1, two decimals */
  relevance: number;
  change_frequency: string;
  /** files that use its name */
  dependents: number;
  /** heading and markup included */
  tokens: number;
  /** absent when the whole unit is shown */
  truncated?: Truncation;
  why: Signal[];
}

/** Half-open. */
export interface Range {
  start: Position;
  end: Position;
}

/** Describes the missing part of a source. */
export interface Truncation {
  lines_omitted: number;
  /** of the lines, counted: "doc", "12 associations", "3 method bodies", … */
  kinds: string[];
  total_lines: number;
  total_tokens: number;
}

/** One named term of a score. */
export interface Signal {
  signal: string;
  /** four decimals */
  score: number;
}

/** An arrow between two identifiers. */
export interface Dependency {
  from: string;
  to: string;
  kind: string;
}

/** A candidate that is not shown, or a pinned or dropped id that was not found. */
export interface Omission {
  id: string;
  identifier: string;
  path: string;
  /** of the whole unit; 0 when it could not be read */
  tokens: number;
  reason: string;
}

/** A unit with its place. */
export interface Link {
  identifier: string;
  kind: string;
  path: string;
  uri: string;
  line: number;
  /** its relation to the symbol; absent for the symbol itself */
  role?: string;
}

/** The state of the index from which an answer comes. */
export interface Freshness {
  /** of the index; it grows by one with each batch of changes */
  generation: number;
  /** changed files that the answer does not have yet */
  pending: number;
  state: StateName;
}

/** The name of the state of an index. */
export type StateName = "starting" | "indexing" | "ready" | "paused" | "error";

/** The argument of ambit.search. An empty filter keeps everything. */
export interface SearchParams {
  /** at most 1048576 bytes */
  query: string;
  /** from 1 to 1000; default 10 */
  limit?: number;
  /**
   * A file, a directory or a pattern as in .gitignore, of each folder. The language server
   * also takes an absolute path and, of several folders, one that begins with a folder's name:
   * it searches that folder alone.
   */
  path?: string;
  /** its name in ambit.status; the case does not matter */
  language?: string;
  /**
   * of a unit; from model to graphql, what a framework takes its class for; one of function,
   * method, class, struct, interface, enum, type, module, field, variable, constant, macro,
   * impl, test, section, document, file, text, model, controller, mailer, job, service,
   * component, mixin, action, graphql, view
   */
  kind?: string;
  /** of documents: one of the layers in ambit.status */
  layer?: string;
  /** of documents; all of them must be there */
  tags?: string[];
  /** URI; without it all workspace folders are searched */
  folder?: string;
  /** Names a document of the workspace folder to search, when Folder is absent. */
  textDocument?: TextDocument;
  /** a language model asks, see Question */
  agent?: boolean;
  /** The number of lines of each match to return, those that match best; from 1 to 40. */
  snippet?: number;
  /**
   * Searches the declarations of the direct dependencies in place of the workspace, by name
   * and by words. Path, Layer and Tags say nothing of them.
   */
  deps?: boolean;
}

/** The result of ambit.search and ambit.related. */
export interface SearchAnswer {
  results: Match[];
  /** over several folders: the sums, and the most urgent state */
  freshness: Freshness;
}

/** A unit, or a part of one, that matches a question. */
export interface Match {
  id: string;
  path: string;
  /** with its version, "cobra@v1.10.2", of a declaration of a dependency */
  package?: string;
  uri: string;
  range: Range;
  start_line: number;
  end_line: number;
  /** first and last line of each place where a section goes on whose lines are scattered */
  also?: [first: number, last: number][];
  identifier: string;
  /** of a unit that was split, or what text between units is: "imports", "parse + 3" */
  unit_section?: string;
  kind: string;
  language: string;
  /** its relation to the place; absent in a search */
  role?: string;
  /** why it is there in plain words: "named", "same words" */
  reason: string;
  score: number;
  why: Signal[];
  /** if the question asks for one */
  snippet?: Snippet;
}

/** A run of whole lines of a match. */
export interface Snippet {
  start_line: number;
  text: string;
}

/** The argument of ambit.related. */
export interface RelatedParams extends Place {
  /** from 1 to 1000; default 20 */
  limit?: number;
}

/** A position in a document. */
export interface Place {
  textDocument: TextDocument;
  position: Position;
}

/**
 * The argument of ambit.explain: a source of the answer to Question. The language server takes
 * the client's latest question when Question is empty.
 */
export interface ExplainParams extends ContextParams {
  /** of a source of an answer */
  id?: string;
  /** an entry of the answer's sources, "path:line" or an identifier */
  source?: string | SourceName;
}

/**
 * Names a source of an answer: by id, by path and line, or by identifier. In JSON it is an
 * entry of the answer's sources, the string "path:line" or the string of an identifier.
 */
export interface SourceName {
  id?: string;
  path?: string;
  /** 0 means anywhere */
  start_line?: number;
  identifier?: string;
}

/** The result of ambit.explain. Why has the terms of every channel. */
export interface Explanation extends Match {
  /** from 1 */
  rank: number;
  /** absent when the source is not shown */
  section?: string;
  /** the reason when the source is not shown */
  omitted?: string;
}

/** The argument of ambit.chunks. */
export interface ChunksParams {
  textDocument: TextDocument;
}

/** The result of ambit.chunks. */
export interface ChunksAnswer {
  path: string;
  uri: string;
  language: string;
  chunks: Chunk[];
}

/** A piece of a file as it is indexed. */
export interface Chunk {
  id: string;
  identifier: string;
  kind: string;
  /** of a unit that was split */
  section?: string;
  /** the units around it */
  scope?: string;
  signature?: string;
  /** of the whole file, beside the other chunks */
  summary?: boolean;
  start_line: number;
  end_line: number;
  range: Range;
  /** bytes, half-open */
  start: number;
  end: number;
  /** where a section goes on whose lines are scattered; Content has them too */
  also?: Part[];
  /** an estimate */
  tokens: number;
  /** SHA-256 of the content */
  hash: string;
  defines: string[];
  imports: string[];
  siblings: string[];
  /** of a document */
  document?: DocumentChunk;
  /** embedded before the content */
  prefix: string;
  /** embedded after the content */
  suffix?: string;
  content: string;
}

/** A part of a file. */
export interface Part {
  start_line: number;
  end_line: number;
  range: Range;
  /** bytes, half-open */
  start: number;
  end: number;
}

/** What a chunk of a document knows of the document and of its section. */
export interface DocumentChunk {
  title: string;
  /** from the top heading to the one of the section */
  headings: string[];
  /** of that heading, from 1 to 6; 0 before the first */
  level: number;
  /** of the front matter */
  tags: string[];
  /** of the front matter, or the first directory of the path */
  layer: string;
  /** as in the front matter */
  updated_at?: string;
  /** places that the section names, "path:lines" */
  code_refs: string[];
  /** files that the section links to, "path#anchor" */
  links: string[];
  /** among the chunks of the document, from 0 */
  index: number;
  /** chunks of the document */
  total: number;
}

/** The argument of ambit.status. */
export interface StatusParams {
  /**
   * Also scans the tree, counts the files that have changed since they were indexed, and lists
   * what rules ignore. It waits while files are being indexed.
   */
  scan?: boolean;
  /** Also lists the secrets that are masked. */
  audit?: boolean;
  /** Also says where the sources of dependencies are. */
  deps?: boolean;
}

/** The result of ambit.status: all folders together, and each. */
export interface StatusAnswer {
  state: StateName;
  files: number;
  pending: number;
  message: string;
  folders: FolderStatus[];
}

/**
 * The index of one workspace: an entry of the result of ambit.status, and the output of ambit
 * status --json.
 */
export interface FolderStatus extends FolderState {
  /** of the folder, as the client calls it */
  name?: string;
  root: string;
  /** the commit whose history was read */
  head?: string;
  history: History;
  /** path of the index file */
  index: string;
  index_bytes: number;
  /** the process that has the index open */
  owner_pid?: number;
  /** processes that are attached to it */
  clients: number;
  model: string;
  chunks: number;
  /** of the indexed files */
  bytes: number;
  /** secrets that were masked */
  masked: number;
  /** indexed files of each language */
  languages: Record<string, number>;
  /** indexed documents of each layer */
  layers: Record<string, number>;
  /** by path */
  left_out: LeftOut[];
  /** what rules keep from being listed at all, most first; if the question asks for a scan */
  ignored?: Ignored[];
  /**
   * by path: indexed files of which a part is read as text although their language has a
   * grammar
   */
  partial?: LeftOut[];
  /** by path and line, if the question asks for an audit; as the files are on the disk */
  secrets?: Secret[];
  /** what the workspace imports, if the question asks for it */
  ecosystems?: Ecosystem[];
  /**
   * bytes on disk of what is parsed of dependencies, for all workspaces, if the question asks
   * for it
   */
  dependency_cache?: number;
  memory: Memory;
}

/** The progress of an index. It is the parameter of the notification ambit/status. */
export interface FolderState {
  /** URI; "" for documents that belong to no folder */
  folder: string;
  state: StateName;
  /** an answer of another generation may be out of date */
  generation: number;
  /** indexed */
  files: number;
  /** files that wait to be indexed */
  pending: number;
  done?: number;
  /** files of the work in progress; absent when unknown */
  total?: number;
  /** one line for the user, or "" */
  message: string;
}

/** What of the history of git the index has. */
export interface History {
  /** that were counted */
  commits: number;
  /** which were not, and why */
  cut?: string;
  /** a newer history is being read */
  reading?: boolean;
}

/** A file that is not indexed, or only in part. */
export interface LeftOut {
  path: string;
  reason: string;
}

/** What one rule keeps out of a workspace. */
export interface Ignored {
  /** ".gitignore:3: *.log", or the reason in words */
  rule: string;
  /** ignored one by one */
  files: number;
  /** ignored whole; the files in them are not counted */
  directories: number;
  /** the first file or directory; a directory ends in "/" */
  example: string;
}

/** A secret that is masked. Its text is nowhere in an answer. */
export interface Secret {
  path: string;
  /** from 1 */
  line: number;
  /** the name of the rule that found it */
  rule: string;
}

/** Where the sources of the direct dependencies of one language are. */
export interface Ecosystem {
  /** "Go" */
  name: string;
  /** the standard library; absent when it is missing */
  std?: Package;
  /** by name */
  found: Package[];
  /** without sources on this machine, by name */
  missing: Package[];
  /** the command that brings what is missing */
  remedy: string;
  /** by name */
  refused?: Refusal[];
}

/** A dependency. */
export interface Package {
  name: string;
  version?: string;
  /** absolute; absent when it is missing */
  dir?: string;
}

/** A directory of a manifest that is not read. */
export interface Refusal {
  /** as the manifest says it */
  what: string;
  reason: string;
}

/** Counts the results that were reused since the index was made. */
export interface Memory {
  /** chunks whose vectors were computed */
  embedded: number;
  /** chunks whose vectors were remembered */
  kept: number;
  /** files that were neither parsed nor embedded, because an earlier revision was kept */
  recalled: number;
  /** earlier revisions of files that are kept */
  revisions: number;
  /** size of these revisions in the index */
  revision_bytes: number;
  /** the index of which this one began as a copy */
  cloned_from?: string;
}

/** The argument of ambit.reindex. */
export interface ReindexParams {
  /** a file or a directory; "" means the whole workspace */
  path?: string;
  /** URI; without it all workspace folders */
  folder?: string;
  /** Names a document of the workspace folder, when Folder is absent. */
  textDocument?: TextDocument;
}

/** The result of ambit.reindex. */
export interface Reindexed {
  files: number;
}

/** The argument of ambit.pause and ambit.resume. */
export interface PauseParams {
  /** URI; without it all workspace folders */
  folder?: string;
  /** Names a document of the workspace folder, when Folder is absent. */
  textDocument?: TextDocument;
}

/** The result of ambit.copyContext and ambit.showRelated: the text of the shown document. */
export interface Shown {
  text: string;
}

/** The fields of the client's initializationOptions that are not settings. */
export interface InitializeOptions {
  /** False turns hovers off. It may also be among the settings; default true. */
  hover?: boolean;
  /** Asks for the notification ambit/status; default false. */
  statusNotifications?: boolean;
  /**
   * The commands behind code actions that the client carries out itself: ambit.copyContext, to
   * use the clipboard, and ambit.showRelated.
   */
  clientCommands?: string[];
}

/** The commands by name. */
export interface Commands {
  "ambit.context": { params: ContextParams; result: ContextAnswer };
  "ambit.search": { params: SearchParams; result: SearchAnswer };
  "ambit.related": { params: RelatedParams; result: SearchAnswer };
  "ambit.explain": { params: ExplainParams; result: Explanation };
  "ambit.chunks": { params: ChunksParams; result: ChunksAnswer };
  "ambit.status": { params: StatusParams | undefined; result: StatusAnswer };
  "ambit.reindex": { params: ReindexParams | undefined; result: Reindexed };
  "ambit.pause": { params: PauseParams | undefined; result: null };
  "ambit.resume": { params: PauseParams | undefined; result: null };
  "ambit.copyContext": { params: ContextParams; result: Shown };
  "ambit.showRelated": { params: RelatedParams; result: Shown };
}
