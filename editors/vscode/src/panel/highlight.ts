import * as vscode from "vscode";
import { fenced, type Piece, piecesOf } from "../core/highlight";

/** The command of VS Code's own Markdown extension. It colors fenced blocks as the preview does. */
const render = "markdown.api.render";

/** In UTF-16 units. Longer texts stay plain: highlighting them would hold up the other extensions of the window. */
const maxLength = 50_000;

/** The names of languages for highlight.js, where they differ from those of the server. */
const names: Record<string, string> = { svelte: "html", vue: "html", tsx: "typescript", jsx: "javascript" };

/**
 * Returns a text in pieces with their kinds, as VS Code's Markdown preview finds them. Returns
 * undefined for a language that it does not know, and without its Markdown extension.
 */
export async function highlight(text: string, language: string): Promise<Piece[] | undefined> {
  if (text.length > maxLength || !/^[\w+#-]+$/.test(language)) {
    return undefined;
  }
  try {
    const html: unknown = await vscode.commands.executeCommand(render, fenced(text, names[language] ?? language));
    return typeof html === "string" ? piecesOf(html, text) : undefined;
  } catch {
    return undefined; // the user has disabled the extension
  }
}
