/**
 * The interface that the ambit extension gives to other extensions:
 *
 * ```ts
 * const ambit = await vscode.extensions.getExtension<AmbitApi>("ambit.ambit")?.activate();
 * const answer = await ambit?.getContext(editor.document.uri, editor.selection.active, { budget: 4000 });
 * ```
 */
import type { CancellationToken, Event, Position, Uri } from "vscode";
import type { ContextOptions, Status } from "./client";
import type { ContextAnswer, Match, SearchParams } from "./protocol";

export type * from "./client";
export type * from "./protocol";

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

  /** The state of the server and of the index of all folders. */
  readonly status: Status;
  readonly onDidChangeStatus: Event<Status>;
}
