/**
 * The ambit.* commands and notifications of the server. Mirrors server/lsp/ext.go and
 * server/format/json.go; both sides check the samples in testdata/protocol.
 *
 * Lines are 1-based and inclusive. Positions and ranges are LSP's: zero-based, half-open,
 * in UTF-16 units. Paths are relative to their folder, with "/".
 */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface TextDocument {
  uri: string;
}

/** What the panel, the tools and other extensions can ask for besides the question. */
export interface ContextOptions {
  /** Most tokens of the answer, from 200 to 2,000,000. */
  budget?: number;
  format?: string;
  encoding?: string;
  contextMode?: string;
  include?: string[];
  exclude?: string[];
  scope?: string;
  /** Ids of sources that are given room first, and that are not shown. */
  pin?: string[];
  drop?: string[];
}

/** A question is a place in a document or words, not both. */
export interface ContextParams extends ContextOptions {
  textDocument?: TextDocument;
  position?: Position;
  query?: string;
}

export interface ContextAnswer {
  text: string;
  format: string;
  tokens: number;
  budget: number;
  encoding: string;
  scope: string;
  symbol?: ContextSymbol;
  sections: Section[];
  sources: Source[];
  dependencies: Dependency[];
  omitted: Omission[];
  freshness: Freshness;
}

export interface ContextSymbol {
  name: string;
  identifier: string;
  kind: string;
  path: string;
  start_line: number;
  end_line: number;
}

export interface Section {
  name: string;
  tokens: number;
  budget: number;
}

export interface Source {
  id: string;
  identifier: string;
  kind: string;
  language: string;
  path: string;
  uri: string;
  range: Range;
  start_line: number;
  end_line: number;
  /** The lines of the file that are shown. */
  ranges: [first: number, last: number][];
  /** The lines of the text that show it; not there when the text is JSON. */
  text_lines?: [first: number, last: number];
  section: string;
  role: string;
  /** From 0 to 1. */
  relevance: number;
  change_frequency: string;
  dependents: number;
  tokens: number;
  truncated?: Truncation;
  why: Signal[];
}

export interface Truncation {
  lines_omitted: number;
  kinds: string[];
  total_lines: number;
  total_tokens: number;
}

export interface Signal {
  signal: string;
  score: number;
}

export interface Dependency {
  from: string;
  to: string;
  kind: string;
}

export interface Omission {
  id: string;
  identifier: string;
  path: string;
  tokens: number;
  reason: string;
}

export interface Freshness {
  generation: number;
  pending: number;
  state: string;
}

export interface SearchParams {
  query: string;
  limit?: number;
  path?: string;
  language?: string;
  kind?: string;
  layer?: string;
  tags?: string[];
  folder?: string;
}

export interface RelatedParams {
  textDocument: TextDocument;
  position: Position;
  limit?: number;
}

export interface SearchAnswer {
  results: Match[];
  /** Over several folders: what waits in all of them, and the most urgent state. */
  freshness: Freshness;
}

export interface Match {
  id: string;
  path: string;
  uri: string;
  range: Range;
  start_line: number;
  end_line: number;
  identifier: string;
  kind: string;
  language: string;
  role?: string;
  score: number;
  why: Signal[];
}

export interface ExplainParams extends ContextParams {
  id?: string;
  source?: string;
}

export interface Explanation extends Match {
  rank: number;
  section?: string;
  omitted?: string;
}

export interface ChunksAnswer {
  path: string;
  uri: string;
  chunks: Chunk[];
}

export interface Chunk {
  id: string;
  identifier: string;
  kind: string;
  section?: string;
  signature?: string;
  summary?: boolean;
  start_line: number;
  end_line: number;
  range: Range;
  tokens: number;
  prefix: string;
}

export interface FolderState {
  /** A URI, "" for documents that are in no folder. */
  folder: string;
  /** "starting", "indexing", "ready", "paused" or "error". */
  state: string;
  /** Of the index; it moves with each batch of changes. */
  generation: number;
  files: number;
  pending: number;
  message: string;
}

export interface FolderStatus extends FolderState {
  name: string;
  root: string;
  index: string;
  index_bytes: number;
  model: string;
  chunks: number;
  bytes: number;
  masked: number;
  languages: Record<string, number>;
  left_out: LeftOut[];
  memory: Memory;
}

/** Files and vectors that are remembered and not made anew. */
export interface Memory {
  embedded: number;
  kept: number;
  recalled: number;
  shelved: number;
  shelf_bytes: number;
  seed: string;
}

export interface LeftOut {
  path: string;
  reason: string;
}

export interface StatusAnswer {
  state: string;
  files: number;
  pending: number;
  message: string;
  folders: FolderStatus[];
}

/** The commands by name. */
export interface Commands {
  "ambit.context": { params: ContextParams; result: ContextAnswer };
  "ambit.search": { params: SearchParams; result: SearchAnswer };
  "ambit.related": { params: RelatedParams; result: SearchAnswer };
  "ambit.explain": { params: ExplainParams; result: Explanation };
  "ambit.chunks": { params: { textDocument: TextDocument }; result: ChunksAnswer };
  "ambit.status": { params: undefined; result: StatusAnswer };
  "ambit.reindex": { params: { path?: string; folder?: string }; result: { files: number } };
  "ambit.pause": { params: { folder?: string }; result: null };
  "ambit.resume": { params: { folder?: string }; result: null };
}

/** The states of the index, and "stopped" and "restarting" of the server. */
export type State = "stopped" | "restarting" | "starting" | "indexing" | "paused" | "ready" | "error";

/** The state of all folders together. */
export interface Status {
  state: State;
  /** Moves when what is indexed has changed. */
  generation: number;
  /** Files that are indexed, and that wait. */
  files: number;
  pending: number;
  /** One line for the user, "" for none. */
  message: string;
}
