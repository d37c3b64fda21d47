import type * as vscode from "vscode";
import { MarkdownString } from "vscode";
import { clientCommands } from "./core/protocol";
import { isSourceUri } from "./editors";

/**
 * Selects the documents with a hover. VS Code orders hovers by how closely their selectors
 * match: this one is the least close, so the hover of the language itself comes first.
 */
export const hoverSelector = [{ language: "*" }];

type Next = (document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken) => vscode.ProviderResult<vscode.Hover>;

/** Asks for the hover of a document that the server sees, and adds links to its first line. */
export async function provideHover(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken, next: Next): Promise<vscode.Hover | undefined> {
  const hover = isSourceUri(document.uri) ? await next(document, position, token) : undefined;
  const [text] = hover?.contents ?? [];
  if (!hover || !(text instanceof MarkdownString)) {
    return hover ?? undefined;
  }
  const place = [{ textDocument: { uri: document.uri.toString() }, position: { line: position.line, character: position.character } }];
  const link = (title: string, command: string): string => `[${title}](command:${command}?${encodeURIComponent(JSON.stringify(place))})`;
  const [first = "", ...rest] = text.value.split("\n");
  const links = `${link("Show", "ambit.showRelated")} · ${link("Copy", "ambit.copyContext")}`;
  text.value = [`${first.trimEnd()} · ${links}${rest.length > 1 ? "  " : ""}`, ...rest].join("\n");
  text.isTrusted = { enabledCommands: clientCommands };
  return hover;
}
