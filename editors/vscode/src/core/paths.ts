/** Returns a path with a leading ~/ replaced by the home directory. */
export const expandHome = (path: string, home: string): string => (path.startsWith("~/") ? `${home}${path.slice(1)}` : path);
