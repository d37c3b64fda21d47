import type { Position, Range } from "./protocol";

/** An edit of a document: the text replaces the range. */
export interface Edit {
  range: Range;
  text: string;
}

const before = (a: Position, b: Position): boolean => a.line < b.line || (a.line === b.line && a.character < b.character);

/**
 * Returns where a position is after an edit. A position moves with the text after it; a
 * position inside of the replaced range moves to the start of the range.
 */
export function shift(p: Position, edit: Edit): Position {
  const { start, end } = edit.range;
  if (before(p, start)) {
    return p;
  }
  if (before(p, end)) {
    return start;
  }
  const lines = edit.text.split("\n");
  const last = lines[lines.length - 1] ?? "";
  if (p.line > end.line) {
    return { line: p.line + start.line + lines.length - 1 - end.line, character: p.character };
  }
  const column = lines.length === 1 ? start.character + last.length : last.length;
  return { line: start.line + lines.length - 1, character: column + p.character - end.character };
}
