/** Returns the message of whatever was thrown. */
export const messageOf = (e: unknown): string => (e instanceof Error ? e.message : String(e));

/** The connection to the server ended before the answer came. */
export class ServerGone extends Error {
  override readonly name = "ServerGone";

  constructor() {
    super("Ambit's server stopped before it answered; ask again.");
  }
}

/** Reports whether e is a ServerGone, also one of the bundle with the language client, which has a class of its own. */
export const isServerGone = (e: unknown): boolean => e instanceof Error && e.name === "ServerGone";
