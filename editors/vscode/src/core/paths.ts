/** Returns a path with its ~/ written out. */
export const expandHome = (path: string, home: string): string => (path.startsWith("~/") ? `${home}${path.slice(1)}` : path);
