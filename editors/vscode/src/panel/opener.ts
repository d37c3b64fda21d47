import * as vscode from "vscode";
import type { Question } from "../core/messages";
import { type ContextParams, type Format, formats, type Position, type Source } from "../core/protocol";
import { isSource } from "../editors";

/** Opens documents beside the panel, in the column of the code. */
export class Opener {
  #column: vscode.ViewColumn | undefined;

  /** Remembers the column of an editor, for when no code is visible any more. */
  remember(editor: vscode.TextEditor | undefined): void {
    this.#column = editor?.viewColumn ?? this.#column;
  }

  async source(s: Source, aside: boolean): Promise<void> {
    await this.#reveal(vscode.Uri.parse(s.uri), s.range.start, aside);
  }

  /** Opens a path relative to the folder that the sources are in, or else to the first folder. */
  async path(path: string, sources: Source[]): Promise<void> {
    const s = sources.find((x) => x.uri.endsWith(`/${encodeURI(x.path)}`));
    const root = s ? vscode.Uri.parse(s.uri.slice(0, -encodeURI(s.path).length)) : vscode.workspace.workspaceFolders?.[0]?.uri;
    if (root) {
      await this.#reveal(vscode.Uri.joinPath(root, path), { line: 0, character: 0 }, false);
    }
  }

  /** Opens the place that a question is about. */
  async origin(q: Question | undefined): Promise<void> {
    if (q?.type === "place") {
      await this.#reveal(vscode.Uri.parse(q.uri), q.position, false);
    }
  }

  /** Opens the text of an answer as a document that the server provides. */
  async answer(symbol: string, format: Format, params: ContextParams): Promise<void> {
    const name = symbol.replace(/[^\p{L}\p{N}_.-]/gu, "_");
    const extension = formats.find((f) => f.id === format)?.extension ?? ".txt";
    const uri = vscode.Uri.from({ scheme: "ambit-context", path: `/context/${name}${extension}`, query: JSON.stringify(params) });
    await vscode.window.showTextDocument(uri, { viewColumn: this.#column ?? vscode.ViewColumn.One, preview: true });
  }

  async #reveal(uri: vscode.Uri, { line, character }: Position, aside: boolean): Promise<void> {
    const code = vscode.window.visibleTextEditors.find(isSource)?.viewColumn;
    const viewColumn = aside ? vscode.ViewColumn.Beside : (code ?? this.#column ?? vscode.ViewColumn.One);
    await vscode.window.showTextDocument(uri, { viewColumn, selection: new vscode.Range(line, character, line, character) });
  }
}
