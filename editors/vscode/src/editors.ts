import * as vscode from "vscode";
import type { Place } from "./core/messages";

/** Reports whether the server answers for documents with this URI: files, new documents, and sources in archives. */
export const isSourceUri = (uri: vscode.Uri): boolean =>
  ["file", "untitled"].includes(uri.scheme) || (uri.scheme === "ambit-context" && uri.path.startsWith("/jar/"));

/** Reports whether an editor shows a document that the server sees. */
export const isSource = (e: vscode.TextEditor): boolean => isSourceUri(e.document.uri);

/** Notes for the walkthrough that the user has seen what a step is about. */
export const done = (context: "ambit.shown" | "ambit.copied" | "ambit.searched"): void => void vscode.commands.executeCommand("setContext", context, true);

/** Returns the place of an editor's cursor. */
export function placeAt(editor: vscode.TextEditor): Place {
  const { line, character } = editor.selection.active;
  return { type: "place", uri: editor.document.uri.toString(), position: { line, character } };
}
