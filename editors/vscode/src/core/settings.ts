/**
 * The settings that the server reads, below "ambit.". The client sends only those that are
 * set explicitly: a default would override ~/.config/ambit/config.toml of the user and
 * .ambit.toml of the workspace.
 */
export const serverSettings = [
  "budget",
  "documentsBudget",
  "format",
  "template",
  "encoding",
  "contextMode",
  "astChunking",
  "maxTokens",
  "overlapTokens",
  "maxFileBytes",
  "include",
  "exclude",
  "cacheDir",
  "workers",
  "dependencies",
  "embedder",
  "hover",
] as const;

/** The values of a setting by scope, as `WorkspaceConfiguration.inspect` returns them. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Returns the settings that are set explicitly. The narrowest scope wins. */
export function explicit(inspect: (name: string) => Inspected | undefined): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const name of serverSettings) {
    const i = inspect(name);
    const value = i?.workspaceFolderValue ?? i?.workspaceValue ?? i?.globalValue;
    if (value !== undefined && value !== null && value !== "") { // "" is the default of a path
      set[name] = value;
    }
  }
  return set;
}
