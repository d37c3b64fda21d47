/** The types that only this extension has; those of the server are in protocol.d.ts. */
import type { ContextParams, StateName } from "./protocol";

/** What the panel, the tools and other extensions can ask for besides the question. */
export type ContextOptions = Omit<ContextParams, "textDocument" | "position" | "query">;

/** The states of the index, and "stopped" and "restarting" of the server. */
export type State = StateName | "stopped" | "restarting";

/** The state of all folders together. */
export interface Status {
  state: State;
  /** Changes when the indexed content has changed. */
  generation: number;
  /** Files that are indexed, and that wait. */
  files: number;
  pending: number;
  /** One line for the user, "" for none. */
  message: string;
}
