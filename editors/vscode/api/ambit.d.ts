/**
 * What the ambit extension offers to others:
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
  /** Counts what breaks users of this interface. */
  readonly version: 1;

  /**
   * Returns what someone needs to see to work on the symbol at a position. What is open is
   * seen as it stands, saved or not.
   *
   * @throws an Error of one line that names the next step; CancellationError when cancelled
   */
  getContext(uri: Uri, position: Position, options?: ContextOptions, token?: CancellationToken): Promise<ContextAnswer>;

  /** Returns what answers a question in words. */
  askContext(query: string, options?: ContextOptions, token?: CancellationToken): Promise<ContextAnswer>;

  /** Returns code and prose, the best first. */
  search(query: string, options?: Omit<SearchParams, "query">, token?: CancellationToken): Promise<Match[]>;

  /** The state of the server and of the index of all folders. */
  readonly status: Status;
  readonly onDidChangeStatus: Event<Status>;
}
