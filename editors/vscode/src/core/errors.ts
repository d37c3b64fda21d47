/** Returns the message of whatever was thrown. */
export const messageOf = (e: unknown): string => (e instanceof Error ? e.message : String(e));
