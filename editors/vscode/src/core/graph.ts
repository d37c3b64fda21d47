import type { ContextAnswer } from "./protocol";

/** A symbol in the picture of the neighbours. The coordinates are those of its centre. */
export interface Node {
  name: string;
  /** The id of the source that a click opens; "" for none. */
  id: string;
  kinds: string;
  role: "center" | "user" | "used";
  x: number;
  y: number;
  width: number;
}

export interface Line {
  from: Node;
  to: Node;
}

export interface Picture {
  nodes: Node[];
  lines: Line[];
  width: number;
  height: number;
  /** The direction of the arrows. */
  flow: "right" | "down";
  /** The picture in words. */
  text: string;
}

/** The most neighbours that are shown on one side. */
const maxSide = 6;
const row = 24;
const letter = 6.7;
const padding = 14;
const narrow = 420;

type Answer = Pick<ContextAnswer, "symbol" | "dependencies" | "sources">;

/**
 * Lays out a symbol between its users on one side and the symbols that it uses on the
 * other: from left to right, or from top to bottom in a narrow panel. Returns undefined
 * when the answer has no symbol or the symbol has no neighbours.
 *
 * @param width in pixels
 */
export function picture(a: Answer, width: number): Picture | undefined {
  const center = a.symbol?.identifier;
  if (!center) {
    return undefined;
  }
  const users = sideOf(a, center, "user");
  const used = sideOf(a, center, "used");
  if (users.length + used.length === 0) {
    return undefined;
  }
  const room = width < narrow ? width - 2 : width / 3 - 24;
  const mid = nodeOf(a, center, "", "center", room);
  const left = users.slice(0, maxSide).map(([name, kinds]) => nodeOf(a, name, kinds, "user", room));
  const right = used.slice(0, maxSide).map(([name, kinds]) => nodeOf(a, name, kinds, "used", room));
  const height = width < narrow ? stack(left, mid, right, width) : columns(left, mid, right, width);
  return {
    nodes: [...left, mid, ...right],
    lines: [...left.map((n) => ({ from: n, to: mid })), ...right.map((n) => ({ from: mid, to: n }))],
    width,
    height,
    flow: width < narrow ? "down" : "right",
    text: describe(center, users, used),
  };
}

/** Returns the neighbours on one side, with the kinds of their edges. Sources come first, in the order of the answer. */
function sideOf(a: Answer, center: string, role: "user" | "used"): [name: string, kinds: string][] {
  const kinds = new Map<string, Set<string>>();
  for (const d of a.dependencies) {
    const [here, there] = role === "used" ? [d.from, d.to] : [d.to, d.from];
    if (here === center && there !== center) {
      kinds.set(there, (kinds.get(there) ?? new Set()).add(d.kind));
    }
  }
  for (const s of a.sources) {
    if (s.identifier !== center && s.role === (role === "used" ? "uses" : "used by") && !kinds.has(s.identifier)) {
      kinds.set(s.identifier, new Set());
    }
  }
  const names = a.sources.map((s) => s.identifier);
  const rank = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return [...kinds].sort(([x], [y]) => rank(x) - rank(y)).map(([name, of]) => [name, [...of].join(", ")]);
}

function nodeOf(a: Answer, name: string, kinds: string, role: Node["role"], room: number): Node {
  const id = a.sources.find((s) => s.identifier === name)?.id ?? "";
  return { name, id, kinds, role, x: 0, y: 0, width: Math.max(24, Math.min(room, name.length * letter + padding)) };
}

/** Places the users to the left, and the symbols that are used to the right. Returns the height. */
function columns(left: Node[], mid: Node, right: Node[], width: number): number {
  const height = Math.max(left.length, right.length, 2) * row + 6;
  const place = (nodes: Node[], x: (n: Node) => number): void => {
    for (const [i, n] of nodes.entries()) {
      n.x = x(n);
      n.y = height / 2 + (i - (nodes.length - 1) / 2) * row;
    }
  };
  place(left, (n) => n.width / 2 + 1);
  place([mid], () => width / 2);
  place(right, (n) => width - n.width / 2 - 1);
  return height;
}

/** Places the users above, and the symbols that are used below, in rows. Returns the height. */
function stack(above: Node[], mid: Node, below: Node[], width: number): number {
  let y = row / 2 + 2;
  const place = (nodes: Node[]): void => {
    let line: Node[] = [];
    let taken = 0;
    const flush = (): void => {
      let x = (width - taken) / 2;
      for (const n of line) {
        n.x = x + n.width / 2;
        n.y = y;
        x += n.width + 6;
      }
      y += line.length > 0 ? row : 0;
      line = [];
      taken = 0;
    };
    for (const n of nodes) {
      if (taken > 0 && taken + n.width > width - 2) {
        flush();
      }
      taken += n.width + (line.length > 0 ? 6 : 0);
      line.push(n);
    }
    flush();
  };
  place(above);
  y += above.length > 0 ? 14 : 0;
  place([mid]);
  y += below.length > 0 ? 14 : 0;
  place(below);
  return y - row / 2 + 2;
}

/** Describes the picture in words. */
function describe(center: string, users: [string, string][], used: [string, string][]): string {
  const list = (side: [string, string][]): string => side.map(([name, kinds]) => (kinds ? `${name} (${kinds})` : name)).join(", ");
  const parts = [];
  if (users.length > 0) {
    parts.push(`${center} is used by ${list(users)}.`);
  }
  if (used.length > 0) {
    parts.push(`${center} uses ${list(used)}.`);
  }
  return parts.join(" ");
}
