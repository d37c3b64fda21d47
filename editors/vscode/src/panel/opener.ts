import * as vscode from "vscode";
import type { Question } from "../core/messages";
import { type ContextParams, type Format, formats, type Position, type Source } from "../core/protocol";
import { isSource } from "../editors";

/** The start of a path in a package, "github.com/spf13/pflag@v1.0.9/". */
const packagePrefix = /^[^@]+@[^/]+\//;

/** Opens documents beside the panel, in the column of the code. */
export class Opener {
  #column: vscode.ViewColumn | undefined;

  /** Remembers the column of an editor, for when no code is visible any more. */
  remember(editor: vscode.TextEditor | undefined): void {
    this.#column = editor?.viewColumn ?? this.#column;
  }

  async source(s: Source, aside: boolean): Promise<void> {
    await this.#reveal(vscode.Uri.parse(s.uri), s.range.start, aside, s.package !== undefined);
  }

  /**
   * Opens a path of an answer: of a package, or relative to the folder that the sources are in,
   * or else to the first folder.
   */
  async path(path: string, sources: Source[]): Promise<void> {
    const [inPackage] = packagePrefix.exec(path) ?? [];
    const base = inPackage ?? "";
    const s = sources.find((x) => (x.package !== undefined) === (inPackage !== undefined) && x.path.startsWith(base) && x.uri.endsWith(`/${encodeURI(x.path.slice(base.length))}`));
    const root = s ? vscode.Uri.parse(s.uri.slice(0, -encodeURI(s.path.slice(base.length)).length)) : inPackage ? undefined : vscode.workspace.workspaceFolders?.[0]?.uri;
    if (!root) {
      throw new Error(`${path} is in a package that this answer does not show.`);
    }
    await this.#reveal(vscode.Uri.joinPath(root, path.slice(base.length)), { line: 0, character: 0 }, false, inPackage !== undefined);
  }

  /** Opens the place that a question is about. */
  async origin(q: Question | undefined): Promise<void> {
    if (q?.type === "place") {
      await this.#reveal(vscode.Uri.parse(q.uri), q.position, false, false);
    }
  }

  /** Opens the text of an answer as a document that the server provides. */
  async answer(symbol: string, format: Format, params: ContextParams): Promise<void> {
    const name = symbol.replace(/[^\p{L}\p{N}_.-]/gu, "_");
    const extension = formats.find((f) => f.id === format)?.extension ?? ".txt";
    const uri = vscode.Uri.from({ scheme: "ambit-context", path: `/context/${name}${extension}`, query: JSON.stringify(params) });
    await vscode.window.showTextDocument(uri, { viewColumn: this.#column ?? vscode.ViewColumn.One, preview: true });
  }

  /** Shows a place. The file of a dependency is read-only: a change would be in every project that uses it. */
  async #reveal(uri: vscode.Uri, { line, character }: Position, aside: boolean, dependency: boolean): Promise<void> {
    const code = vscode.window.visibleTextEditors.find(isSource)?.viewColumn;
    const viewColumn = aside ? vscode.ViewColumn.Beside : (code ?? this.#column ?? vscode.ViewColumn.One);
    await vscode.window.showTextDocument(uri, { viewColumn, selection: new vscode.Range(line, character, line, character) });
    if (dependency && uri.scheme === "file" && !vscode.workspace.getWorkspaceFolder(uri)) {
      await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession");
    }
  }
}
