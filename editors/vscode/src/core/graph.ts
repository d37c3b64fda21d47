import type { ContextAnswer } from "./protocol";

/** A symbol in the picture of the neighbours, a box of the height `boxHeight`. */
export interface Node {
  name: string;
  /** The id of the source that it opens; "" for none. */
  id: string;
  kinds: string;
  /** "more" stands for the neighbours that are not shown. */
  role: "center" | "user" | "used" | "more";
  /** Of the left edge. */
  x: number;
  /** Of the middle. */
  y: number;
  width: number;
}

export interface Picture {
  nodes: Node[];
  /** The paths of the arrows, in the syntax of SVG. They run beside the boxes, never behind one. */
  arrows: string[];
  width: number;
  height: number;
  /** The picture in words. */
  text: string;
}

export const boxHeight = 18;

/** The most neighbours that are shown on one side, unless the user wants all. */
const maxSide = 6;
const maxNarrowSide = 4;
const row = 24;
const letter = 6.7;
const padding = 14;
/** The room of an arrow between two columns. */
const gap = 36;
/** In a narrower panel all boxes are in one column. */
const narrow = 420;
const indent = 22;

type Answer = Pick<ContextAnswer, "symbol" | "dependencies" | "sources">;

/**
 * Lays out a symbol between its users on one side and the symbols that it uses on the
 * other: in three columns, or in a narrow panel in one, with a line along the left. Returns
 * undefined when the answer has no symbol or the symbol has no neighbours.
 *
 * @param width in pixels
 * @param all whether to show all neighbours
 */
export function picture(a: Answer, width: number, all = false): Picture | undefined {
  const center = a.symbol?.identifier;
  if (!center) {
    return undefined;
  }
  const users = sideOf(a, center, "user");
  const used = sideOf(a, center, "used");
  if (users.length + used.length === 0) {
    return undefined;
  }
  const most = all ? Number.POSITIVE_INFINITY : width < narrow ? maxNarrowSide : maxSide;
  const left = nodesOf(a, users, "user", most);
  const right = nodesOf(a, used, "used", most);
  const mid = nodeOf(a, center, "", "center");
  const { arrows, height } = width < narrow ? column(left, mid, right, width) : columns(left, mid, right, width);
  return { nodes: [...left, mid, ...right], arrows, width, height, text: describe(center, users, used) };
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

/** Returns the nodes of one side, with one for those that are too many. */
function nodesOf(a: Answer, side: [string, string][], role: Node["role"], most: number): Node[] {
  const nodes = side.slice(0, most).map(([name, kinds]) => nodeOf(a, name, kinds, role));
  const rest = side.length - nodes.length;
  return rest > 0 ? [...nodes, nodeOf(a, `+${rest}`, "", "more")] : nodes;
}

function nodeOf(a: Answer, name: string, kinds: string, role: Node["role"]): Node {
  const id = role === "more" ? "" : (a.sources.find((s) => s.identifier === name)?.id ?? "");
  return { name, id, kinds, role, x: 0, y: 0, width: Math.max(28, name.length * letter + padding) };
}

/** Places the users to the left and the symbols that are used to the right, each side along one edge. */
function columns(left: Node[], mid: Node, right: Node[], width: number): Pick<Picture, "arrows" | "height"> {
  const height = Math.max(left.length, right.length, 2) * row + 6;
  const widest = (nodes: Node[]): number => Math.max(0, ...nodes.map((n) => n.width));
  const gaps = (left.length > 0 ? gap : 0) + (right.length > 0 ? gap : 0);
  const [l, m, r] = shrink([widest(left), mid.width, widest(right)], width - gaps - 2);
  const spare = width - 2 - gaps - l - m - r;
  mid.width = m;
  mid.y = height / 2;
  mid.x = 1 + l + (left.length > 0 ? gap + spare / (right.length > 0 ? 2 : 1) : 0);
  const place = (nodes: Node[], room: number, x: (n: Node) => number): void => {
    for (const [i, n] of nodes.entries()) {
      n.width = Math.min(n.width, room);
      n.x = x(n);
      n.y = height / 2 + (i - (nodes.length - 1) / 2) * row;
    }
  };
  place(left, l, (n) => 1 + l - n.width);
  place(right, r, () => width - 1 - r);
  const arrow = (x1: number, y1: number, x2: number, y2: number): string => `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  return { height, arrows: [...left.map((n) => arrow(n.x + n.width, n.y, mid.x, mid.y)), ...right.map((n) => arrow(mid.x + mid.width, mid.y, n.x, n.y))] };
}

/** Shrinks widths, the largest first, until their sum fits. */
function shrink(widths: [number, number, number], room: number): [number, number, number] {
  const sorted = [...widths].sort((a, b) => a - b);
  let [left, limit] = [room, room];
  for (const [i, w] of sorted.entries()) {
    limit = left / (sorted.length - i);
    if (w > limit) {
      break;
    }
    left -= w;
    limit = Number.POSITIVE_INFINITY;
  }
  return widths.map((w) => Math.min(w, limit)) as [number, number, number];
}

/** Places the users above the symbol and what it uses below, with a line from box to box along the left. */
function column(above: Node[], mid: Node, below: Node[], width: number): Pick<Picture, "arrows" | "height"> {
  let y = row / 2 + 2;
  for (const n of [...above, mid, ...below]) {
    n.x = n === mid ? 1 : 1 + indent;
    n.width = Math.min(n.width, width - n.x - 1);
    n.y = y;
    y += row;
  }
  const trunk = 9;
  const arrows = [
    ...above.map((n) => `M${n.x} ${n.y}H${trunk}V${mid.y - boxHeight / 2}`),
    ...below.map((n) => `M${trunk} ${mid.y + boxHeight / 2}V${n.y}H${n.x}`),
  ];
  return { arrows, height: y - row / 2 + 2 };
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
