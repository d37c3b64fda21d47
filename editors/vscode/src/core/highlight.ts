/** What a piece of code is, for its color; the page has a style for each. "" is everything else. */
export const tokenKinds = ["comment", "string", "number", "keyword", "type", "function", "variable", "heading", ""] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** A piece of a text, and what it is. */
export type Piece = [kind: TokenKind, text: string];

/** What the scopes of highlight.js are here. The others have the color of the text around them. */
const kinds: Record<string, TokenKind> = {
  comment: "comment",
  quote: "comment",
  string: "string",
  regexp: "string",
  char: "string",
  code: "string",
  number: "number",
  literal: "keyword",
  keyword: "keyword",
  built_in: "type",
  type: "type",
  class: "type",
  "title class_": "type",
  "selector-class": "type",
  "title function_": "function",
  title: "function",
  meta: "keyword",
  name: "keyword",
  tag: "",
  "selector-tag": "keyword",
  attr: "variable",
  attribute: "variable",
  variable: "variable",
  "template-variable": "variable",
  symbol: "variable",
  link: "variable",
  params: "",
  subst: "",
  section: "heading",
  strong: "heading",
  bullet: "keyword",
};

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const unescape = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex: string | undefined, decimal: string | undefined, name: string | undefined) => (hex ? String.fromCodePoint(parseInt(hex, 16)) : decimal ? String.fromCodePoint(Number(decimal)) : (entities[name ?? ""] ?? all)));

/** Returns a text as one fenced block of Markdown, whose fence is longer than those in the text. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/**
 * Returns the pieces of a text from the HTML of its fenced block. Only the kinds of the pieces
 * come from the HTML: it returns undefined unless their texts together are exactly the text.
 */
export function piecesOf(html: string, text: string): Piece[] | undefined {
  const block = /<code\b[^>]*>([\s\S]*)<\/code>/.exec(html)?.[1] ?? "";
  const pieces: Piece[] = [];
  const open: TokenKind[] = [];
  for (const [, closing, tag, attributes, plain] of block.matchAll(/<(\/?)(\w+)([^>]*)>|([^<]+)/g)) {
    if (plain !== undefined) {
      add(pieces, open.at(-1) ?? "", unescape(plain));
    } else if (tag === "span" && closing === "") {
      const scope = /class="hljs-([^"]*)"/.exec(attributes ?? "")?.[1];
      open.push(scope === undefined ? "" : (kinds[scope] ?? kinds[scope.split(" ", 1)[0] ?? ""] ?? open.at(-1) ?? ""));
    } else if (tag === "span") {
      open.pop();
    }
  }
  const last = pieces.at(-1);
  if (last?.[1].endsWith("\n") && !text.endsWith("\n")) {
    last[1] = last[1].slice(0, -1); // a fenced block ends with one
  }
  const shown = pieces.filter((p) => p[1] !== "");
  return shown.map((p) => p[1]).join("") === text && shown.some((p) => p[0] !== "") ? shown : undefined;
}

/** Appends a text, to the last piece when it is of the same kind. */
function add(pieces: Piece[], kind: TokenKind, text: string): void {
  const last = pieces.at(-1);
  if (last?.[0] === kind) {
    last[1] += text;
  } else {
    pieces.push([kind, text]);
  }
}
