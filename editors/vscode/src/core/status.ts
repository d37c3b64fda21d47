import type { FolderState, Freshness, State, Status } from "./protocol";

export const stopped: Status = { state: "stopped", generation: 0, files: 0, pending: 0, message: "" };

/** The state of all folders is the first of these that any folder has. */
const urgency: readonly State[] = ["error", "starting", "indexing", "paused", "ready"];

/** Returns the status of all folders together: the sums, and the most urgent state. */
export function combine(folders: Iterable<FolderState>): Status {
  const all = [...folders];
  const sum = (of: (f: FolderState) => number): number => all.reduce((n, f) => n + of(f), 0);
  const [done, total] = [sum((f) => f.done ?? 0), sum((f) => f.total ?? 0)];
  const state = urgency.find((s) => all.some((f) => f.state === s)) ?? "starting";
  return {
    state,
    generation: sum((f) => f.generation),
    files: sum((f) => f.files),
    pending: sum((f) => f.pending),
    message: all.find((f) => f.state === state)?.message ?? "",
    ...(total > 0 ? { done, total } : {}),
  };
}

/** Formats a number with separators: 12,345. */
export const grouped = (n: number): string => n.toLocaleString("en-US");

/** Formats a count with its noun: "1 file", "2,000 files". */
export const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

/** Says what an answer lacks of an index that is not complete; "" when it lacks nothing. */
export function lackOf({ pending, state }: Freshness): string {
  if (pending > 0) {
    return `${counted(pending, "file")} ${pending === 1 ? "is" : "are"} not in this answer`;
  }
  return state === "ready" || state === "paused" ? "" : "some files may not be in this answer";
}

/** Formats a size with a unit: "5.3 MB". */
export function sized(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let unit = 0;
  let n = bytes;
  for (; n >= 1000 && unit < units.length - 1; unit++) {
    n /= 1000;
  }
  return `${unit === 0 || n >= 100 ? grouped(Math.round(n)) : n.toFixed(1)} ${units[unit]}`;
}

/** A status in words: a codicon and a short text for the status bar, and a sentence for its tooltip. */
export interface StatusText {
  icon: string;
  text: string;
  sentence: string;
  severity: "" | "warning" | "error";
}

/** Describes a status. */
export function describe(s: Status): StatusText {
  const files = counted(s.files, "file");
  switch (s.state) {
    case "ready":
      return { icon: "check", text: "Ambit", sentence: s.message || `The index is ready: ${files}.`, severity: "" };
    case "indexing": {
      const progress = s.total === undefined ? counted(s.pending, "file") : `${grouped(s.done ?? 0)} of ${counted(s.total, "file")}`;
      return { icon: "sync~spin", text: "Ambit", sentence: `Indexing ${progress}. Answers use the files indexed so far.`, severity: "" };
    }
    case "paused":
      return { icon: "debug-pause", text: "Ambit: paused", sentence: `Indexing is paused: ${counted(s.pending, "file")} waiting.`, severity: "" };
    case "error":
      return { icon: "error", text: "Ambit", sentence: s.message || "The index has an error.", severity: "error" };
    case "restarting":
      return { icon: "sync~spin", text: "Ambit: restarting", sentence: "The server stopped. Ambit restarts it.", severity: "warning" };
    case "starting":
      return { icon: "sync~spin", text: "Ambit", sentence: s.message || "The server opens the index.", severity: "" };
    case "stopped":
      return { icon: "circle-slash", text: "Ambit", sentence: s.message || "The server is not running.", severity: s.message ? "error" : "" };
  }
}
