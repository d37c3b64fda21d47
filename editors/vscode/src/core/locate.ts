import type { Position } from "./protocol";

/**
 * Returns the position of a symbol in a text: on the given line or near it, or else where
 * the symbol first is a whole word. Without a symbol, it returns the first character of the
 * line that is not blank.
 *
 * @param line 1-based
 * @returns undefined when the text has no such line or symbol
 */
export function locate(text: string, line: number | undefined, symbol: string | undefined): Position | undefined {
  const lines = text.split(/\r?\n/);
  if (line !== undefined) {
    const content = lines[line - 1];
    if (content === undefined) {
      return undefined;
    }
    const column = symbol ? columnOf(content, symbol) : -1;
    if (column >= 0) {
      return { line: line - 1, character: column };
    }
    // Models miscount lines, so the symbol is looked for on the lines around.
    for (let away = 1; symbol && away <= 20; away++) {
      for (const at of [line - 1 - away, line - 1 + away]) {
        const column = columnOf(lines[at] ?? "", symbol);
        if (column >= 0) {
          return { line: at, character: column };
        }
      }
    }
    return { line: line - 1, character: Math.max(0, content.search(/\S/)) };
  }
  for (const [at, content] of lines.entries()) {
    const column = symbol ? columnOf(content, symbol) : -1;
    if (column >= 0) {
      return { line: at, character: column };
    }
  }
  return undefined;
}

/** Returns the column of a symbol that is a whole word in a line, or -1. For "a.b" it is the column of b. */
function columnOf(line: string, symbol: string): number {
  const word = /[\p{L}\p{N}_$]/u;
  for (let at = line.indexOf(symbol); at >= 0; at = line.indexOf(symbol, at + 1)) {
    if (!word.test(line[at - 1] ?? "") && !word.test(line[at + symbol.length] ?? "")) {
      return at + symbol.length - lastPart(symbol).length;
    }
  }
  const last = lastPart(symbol);
  return last !== symbol ? columnOf(line, last) : -1;
}

const lastPart = (symbol: string): string => symbol.split(/[.#:]+/).pop() || symbol;
