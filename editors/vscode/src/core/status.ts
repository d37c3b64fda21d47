import type { FolderState, State, Status } from "./protocol";

export const stopped: Status = { state: "stopped", generation: 0, files: 0, pending: 0, message: "" };

/** The first of these that any folder has is the state of all. */
const urgency: readonly State[] = ["error", "starting", "indexing", "paused", "ready"];

/** Returns the status of all folders together. */
export function combine(folders: Iterable<FolderState>): Status {
  const all = [...folders];
  const sum = (of: (f: FolderState) => number): number => all.reduce((n, f) => n + of(f), 0);
  const state = urgency.find((s) => all.some((f) => f.state === s)) ?? "starting";
  return {
    state,
    generation: sum((f) => f.generation),
    files: sum((f) => f.files),
    pending: sum((f) => f.pending),
    message: all.find((f) => f.state === state)?.message ?? "",
  };
}

/** A number as people read it: 12,345. */
export const grouped = (n: number): string => n.toLocaleString("en-US");

/** "1 file", "2,000 files". */
export const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A size as people read it. */
export function sized(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let unit = 0;
  let n = bytes;
  for (; n >= 1000 && unit < units.length - 1; unit++) {
    n /= 1000;
  }
  return `${unit === 0 || n >= 100 ? grouped(Math.round(n)) : n.toFixed(1)} ${units[unit]}`;
}

/** What the status bar says: a codicon, a short text, and a sentence for the tooltip. */
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
      return { icon: "check", text: "Ambit", sentence: `The index is ready: ${files}.`, severity: "" };
    case "indexing":
      return { icon: "sync~spin", text: `Ambit: ${grouped(s.pending)}`, sentence: `Indexing: ${counted(s.pending, "file")} to go. Answers hold what is there.`, severity: "" };
    case "paused":
      return { icon: "debug-pause", text: "Ambit: paused", sentence: `Indexing is paused: ${counted(s.pending, "file")} wait.`, severity: "" };
    case "error":
      return { icon: "error", text: "Ambit", sentence: s.message || "The index has an error.", severity: "error" };
    case "restarting":
      return { icon: "sync~spin", text: "Ambit: restarting", sentence: "The server stopped and is being started again.", severity: "warning" };
    case "starting":
      return { icon: "sync~spin", text: "Ambit", sentence: s.message || "The index is being opened.", severity: "" };
    case "stopped":
      return { icon: "circle-slash", text: "Ambit", sentence: s.message || "The server is not running.", severity: s.message ? "error" : "" };
  }
}
