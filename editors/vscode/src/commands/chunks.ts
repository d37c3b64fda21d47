import * as vscode from "vscode";
import type { Chunk } from "../core/protocol";
import type { Ctx } from "../ctx";

/** Shows in the editor how its file is cut, or hides it again. */
export const showChunks = (ctx: Ctx) => {
  const marks = new ChunkMarks(ctx);
  ctx.own(marks);
  return () => marks.toggle();
};

/** Draws a line at the start of each chunk, with its name, kind and size. */
class ChunkMarks implements vscode.Disposable {
  readonly #ctx: Ctx;
  readonly #shown = new Set<string>(); // URIs
  readonly #listeners: vscode.Disposable;
  readonly #mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: "1px 0 0 0",
    borderStyle: "solid",
    borderColor: new vscode.ThemeColor("editorIndentGuide.activeBackground1"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.infoForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("editorCodeLens.foreground"), fontStyle: "italic" },
  });

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#listeners = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((e) => void this.#draw(e).catch(() => undefined))),
      vscode.workspace.onDidChangeTextDocument((e) => {
        vscode.window.visibleTextEditors.filter((v) => v.document === e.document).forEach((v) => void this.#draw(v).catch(() => undefined));
      }),
      vscode.workspace.onDidCloseTextDocument((d) => this.#shown.delete(d.uri.toString())),
    );
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#mark.dispose();
  }

  async toggle(): Promise<void> {
    const editor = this.#ctx.editor;
    if (!editor) {
      throw new Error("open a file to see how it is cut");
    }
    const uri = editor.document.uri.toString();
    if (this.#shown.delete(uri)) {
      editor.setDecorations(this.#mark, []);
      return;
    }
    this.#shown.add(uri);
    const chunks = await this.#draw(editor);
    const tokens = chunks.reduce((n, c) => n + c.tokens, 0);
    vscode.window.setStatusBarMessage(`$(layers) ${chunks.length} chunks, ${tokens.toLocaleString("en-US")} tokens`, 8000);
  }

  /** Marks the chunks of an editor when they are to be shown, and returns them. */
  async #draw(editor: vscode.TextEditor): Promise<Chunk[]> {
    const uri = editor.document.uri.toString();
    if (!this.#shown.has(uri)) {
      return [];
    }
    const { chunks } = await this.#ctx.client.request("ambit.chunks", { textDocument: { uri } });
    editor.setDecorations(this.#mark, chunks.filter((c) => !c.summary).map((c) => decorationOf(editor.document, c)));
    return chunks;
  }
}

function decorationOf(document: vscode.TextDocument, c: Chunk): vscode.DecorationOptions {
  const first = Math.min(c.start_line - 1, document.lineCount - 1);
  const name = c.section ? `${c.identifier}#${c.section}` : c.identifier;
  const hover = new vscode.MarkdownString();
  hover.appendMarkdown(`${c.kind}, lines ${c.start_line}–${c.end_line}, ${c.tokens.toLocaleString("en-US")} tokens. Embedded after:\n`);
  hover.appendCodeblock(c.prefix, "text");
  return {
    range: document.lineAt(first).range,
    hoverMessage: hover,
    renderOptions: { after: { contentText: `${name} · ${c.kind} · ${c.tokens.toLocaleString("en-US")} tokens` } },
  };
}
