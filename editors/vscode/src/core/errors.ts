/** Returns what a caught value says. */
export const messageOf = (e: unknown): string => (e instanceof Error ? e.message : String(e));
