import type { Piece } from "./highlight";
import { type Choice, type ContextAnswer, type Explanation, type Format, isFormat, type Position, type Status } from "./protocol";

/** A position in a document. */
export interface Place {
  type: "place";
  uri: string;
  position: Position;
}

/** What the panel answers: a place, or a question in words. */
export type Question = Place | { type: "words"; query: string };

/** What the window keeps of a panel when it closes. */
export interface Memento {
  question: Question;
  budget: number | undefined;
  format: Format;
  follow: boolean;
  pinned: Choice[];
  dropped: Choice[];
}

/** What the page of the panel paints. */
export interface PanelState {
  /** Counts the states, so that the page can report which one it has painted. */
  seq: number;
  /** The name of the symbol, or the question in words. */
  title: string;
  /** The place as "path:line"; "" for a question in words. */
  place: string;
  answer: ContextAnswer | undefined;
  /** Why there is no answer, with the next step; "" when there is one. */
  error: string;
  /** The titles of the buttons that do the next step. */
  remedies: string[];
  busy: boolean;
  budget: number;
  /** The budget from which on the answer stays the same; undefined when unknown. */
  reach: number | undefined;
  format: Format;
  follow: boolean;
  pinned: Choice[];
  dropped: Choice[];
  /** The user asked for the reasons of all sources. */
  explainAll: boolean;
  /** The panel is a view of a side bar, not an editor. */
  inView: boolean;
  status: Status;
  memento: Memento | undefined;
}

/** Messages to the page. */
export type ToPanel =
  | { type: "state"; state: PanelState }
  | { type: "explained"; id: string; explanation: Explanation }
  | { type: "highlighted"; id: string; language: string; pieces: Piece[] }
  | { type: "notice"; text: string };

/** Messages of the page. */
export type FromPanel =
  | { type: "ready" }
  | { type: "painted"; seq: number }
  | { type: "open"; id: string; aside: boolean }
  | { type: "openPath"; path: string }
  | { type: "origin" }
  | { type: "ask"; query: string }
  | { type: "remedy"; index: number }
  | { type: "move" }
  | { type: "resume" }
  | { type: "status" }
  | { type: "pin"; id: string }
  | { type: "drop"; id: string }
  | { type: "clear" }
  | { type: "budget"; budget: number }
  | { type: "reach" }
  | { type: "format"; format: Format }
  | { type: "follow"; follow: boolean }
  | { type: "explain"; id: string }
  | { type: "highlight"; id: string }
  | { type: "copy" }
  | { type: "chat" }
  | { type: "document" }
  | { type: "refresh" }
  | { type: "restart" }
  | { type: "settings" }
  | { type: "output" };

const text = (v: unknown): v is string => typeof v === "string" && v.length <= 4096;
const whole = (v: unknown, low: number, high: number): v is number => typeof v === "number" && Number.isInteger(v) && v >= low && v <= high;

/** Returns a message of the page; undefined when raw is not one. */
export function readMessage(raw: unknown): FromPanel | undefined {
  if (typeof raw !== "object" || raw === null) {
    return undefined;
  }
  const m = raw as Record<string, unknown>;
  const type = m["type"];
  switch (type) {
    case "ready":
    case "origin":
    case "move":
    case "resume":
    case "status":
    case "clear":
    case "reach":
    case "copy":
    case "chat":
    case "document":
    case "refresh":
    case "restart":
    case "settings":
    case "output":
      return { type };
    case "ask":
      return text(m["query"]) ? { type, query: m["query"] } : undefined;
    case "remedy":
      return whole(m["index"], 0, 9) ? { type, index: m["index"] } : undefined;
    case "painted":
      return whole(m["seq"], 0, Number.MAX_SAFE_INTEGER) ? { type, seq: m["seq"] } : undefined;
    case "open":
      return text(m["id"]) ? { type, id: m["id"], aside: m["aside"] === true } : undefined;
    case "openPath":
      return text(m["path"]) ? { type, path: m["path"] } : undefined;
    case "pin":
    case "drop":
    case "explain":
    case "highlight":
      return text(m["id"]) ? { type, id: m["id"] } : undefined;
    case "budget":
      return whole(m["budget"], 200, 2_000_000) ? { type, budget: m["budget"] } : undefined;
    case "format":
      return isFormat(m["format"]) ? { type, format: m["format"] } : undefined;
    case "follow":
      return typeof m["follow"] === "boolean" ? { type, follow: m["follow"] } : undefined;
    default:
      return undefined;
  }
}

const record = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null;

/** Returns what the window kept of a panel; undefined when raw has no question. Replaces other broken fields by their defaults. */
export function readMemento(raw: unknown): Memento | undefined {
  const question = record(raw) ? readQuestion(raw["question"]) : undefined;
  if (!record(raw) || !question) {
    return undefined;
  }
  return {
    question,
    budget: whole(raw["budget"], 200, 2_000_000) ? raw["budget"] : undefined,
    format: isFormat(raw["format"]) ? raw["format"] : "markdown",
    follow: raw["follow"] === true,
    pinned: readChoices(raw["pinned"]),
    dropped: readChoices(raw["dropped"]),
  };
}

function readQuestion(raw: unknown): Question | undefined {
  if (!record(raw)) {
    return undefined;
  }
  const { type, uri, query, position } = raw;
  if (type === "words" && text(query)) {
    return { type, query };
  }
  if (type !== "place" || !text(uri) || !record(position)) {
    return undefined;
  }
  const { line, character } = position;
  return whole(line, 0, 1e9) && whole(character, 0, 1e9) ? { type, uri, position: { line, character } } : undefined;
}

function readChoices(raw: unknown): Choice[] {
  return (Array.isArray(raw) ? raw : []).flatMap((c: unknown) => {
    if (!record(c) || !text(c["id"]) || !text(c["identifier"]) || !text(c["path"])) {
      return [];
    }
    return [{ id: c["id"], identifier: c["identifier"], path: c["path"] }];
  });
}
