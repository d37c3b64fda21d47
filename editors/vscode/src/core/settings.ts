/**
 * The settings that the server reads, below "ambit.". Those of this extension alone are
 * not sent, and neither are defaults: what the user has in ~/.config/ambit/config.toml or
 * the workspace in .ambit.toml would never count if they were.
 */
export const serverSettings = [
  "budget",
  "documentsBudget",
  "format",
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
  "embedder",
  "hover",
] as const;

/** What somebody said of a setting, by where; what `WorkspaceConfiguration.inspect` returns. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Returns the settings that somebody made; the nearest has the last word. */
export function explicit(inspect: (name: string) => Inspected | undefined): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (const name of serverSettings) {
    const i = inspect(name);
    const value = i?.workspaceFolderValue ?? i?.workspaceValue ?? i?.globalValue;
    if (value !== undefined && value !== null) {
      said[name] = value;
    }
  }
  return said;
}
