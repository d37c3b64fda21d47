/**
 * The interface that the ambit extension gives to other extensions:
 *
 * ```ts
 * const ambit = await vscode.extensions.getExtension<AmbitApi>("ambit.ambit")?.activate();
 * const answer = await ambit?.getContext(editor.document.uri, editor.selection.active, { budget: 4000 });
 * ```
 */
import type { CancellationToken, Event, Position, Uri } from "vscode";
import type { Choice, ContextOptions, Status } from "./client";
import type { Chunk, ContextAnswer, Explanation, Match, RelatedParams, SearchParams } from "./protocol";

export type * from "./client";
export type * from "./protocol";

/** What a context is about: the symbol at a position, or words. */
export type Question = { uri: Uri; position: Position } | { query: string };

/** What the user sees in the context panel, beside the answer. */
export interface PanelState {
  question: Question;
  /** Sources that the user keeps in the answer. Their ids are the option `pin` of a question. */
  pinned: readonly Choice[];
  /** Sources that the user has removed from the answer. Their ids are the option `drop`. */
  dropped: readonly Choice[];
}

export interface AmbitApi {
  /** Grows with each incompatible change of this interface. */
  readonly version: 1;

  /**
   * Returns the context of the symbol at a position. The answer includes unsaved changes.
   *
   * @throws an Error of one line that names the next step; a CancellationError when cancelled
   */
  getContext(uri: Uri, position: Position, options?: ContextOptions, token?: CancellationToken): Promise<ContextAnswer>;

  /** Returns the context of a question in words. */
  askContext(query: string, options?: ContextOptions, token?: CancellationToken): Promise<ContextAnswer>;

  /** Returns the units of code and prose that match a query, the best first. */
  search(query: string, options?: Omit<SearchParams, "query">, token?: CancellationToken): Promise<Match[]>;

  /** Returns what belongs with the symbol at a position, each with the reason, the best first. */
  related(uri: Uri, position: Position, options?: Pick<RelatedParams, "limit">, token?: CancellationToken): Promise<Match[]>;

  /**
   * Returns the rank of a source in the answer to a question, and the terms of its score.
   *
   * @param source the id of a source, "path:line" or an identifier
   */
  explain(question: Question, source: string, options?: ContextOptions, token?: CancellationToken): Promise<Explanation>;

  /** Returns the pieces of a file as they are indexed, in order. */
  chunks(uri: Uri, token?: CancellationToken): Promise<Chunk[]>;

  /** Shows the answer to a question in the context panel, and opens it if it is closed. Resolves when the answer is there. */
  showPanel(question: Question): Promise<void>;

  /** What the context panel shows; undefined while it is closed. */
  readonly panel: PanelState | undefined;
  readonly onDidChangePanel: Event<PanelState | undefined>;

  /** The state of the server and of the index of all folders. */
  readonly status: Status;
  readonly onDidChangeStatus: Event<Status>;
}
