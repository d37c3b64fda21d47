/** The types of this extension alone; protocol.d.ts has those of the server. */
import type { ContextParams, StateName } from "./protocol";

/** The options of a question. */
export type ContextOptions = Omit<ContextParams, "textDocument" | "position" | "query">;

/** A source that the user pinned or dropped. */
export interface Choice {
  id: string;
  identifier: string;
  path: string;
}

/** The states of an index, and the states "stopped" and "restarting" of the server. */
export type State = StateName | "stopped" | "restarting";

/** The state of all folders together. */
export interface Status {
  state: State;
  /** Changes when the indexed content has changed. */
  generation: number;
  /** Indexed files. */
  files: number;
  /** Files that wait to be indexed. */
  pending: number;
  /** Files of the work in progress that are indexed, and all of them; absent when unknown. */
  done?: number;
  total?: number;
  /** One line for the user, "" for none. */
  message: string;
}
