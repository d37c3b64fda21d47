import * as vscode from "vscode";
import { NotYet, openFile } from "../core/problem";
import type { Chunk } from "../core/protocol";
import type { Ctx } from "../ctx";

/** How long typing rests before the marks are updated, in milliseconds. */
const editDelay = 200;

/** Shows the chunks of the file in its editor, or hides them. */
export const showChunks = (ctx: Ctx) => {
  const marks = ctx.own(new ChunkMarks(ctx));
  return () => marks.toggle();
};

/** Marks the start of each chunk by a border, with the name, kind and size of the chunk above it. */
class ChunkMarks implements vscode.Disposable, vscode.CodeLensProvider {
  readonly #ctx: Ctx;
  readonly #shown = new Map<string, Chunk[]>(); // by URI
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #owned: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;
  readonly #border = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: "1px 0 0 0",
    borderStyle: "solid",
    borderColor: new vscode.ThemeColor("focusBorder"),
    overviewRulerColor: new vscode.ThemeColor("focusBorder"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#owned = vscode.Disposable.from(
      this.#border,
      this.#changed,
      vscode.languages.registerCodeLensProvider([{ scheme: "file" }, { scheme: "untitled" }], this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.workspace.onDidCloseTextDocument((d) => this.#shown.delete(d.uri.toString())),
      vscode.workspace.onDidChangeTextDocument((e) => {
        if (this.#shown.has(e.document.uri.toString())) {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => void this.#ask(e.document.uri.toString()).catch(() => undefined), editDelay);
        }
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#owned.dispose();
  }

  async toggle(): Promise<void> {
    const editor = this.#ctx.editor;
    if (!editor) {
      throw new NotYet("Open a file to see its chunks.", openFile);
    }
    const uri = editor.document.uri.toString();
    if (this.#shown.delete(uri)) {
      this.#draw();
      return;
    }
    const chunks = await this.#ask(uri, true);
    const tokens = chunks.reduce((n, c) => n + c.tokens, 0);
    vscode.window.setStatusBarMessage(`$(layers) ${chunks.length} chunks, ${tokens.toLocaleString("en-US")} tokens`, 8000);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return (this.#shown.get(document.uri.toString()) ?? []).map((c) => {
      const name = [c.identifier, c.section].filter(Boolean).join("#") || `lines ${c.start_line} to ${c.end_line}`;
      const title = `${name} · ${c.kind} · ${c.tokens.toLocaleString("en-US")} tokens`;
      return new vscode.CodeLens(lineOf(document, c), { title, command: "", tooltip: `Lines ${c.start_line} to ${c.end_line}, embedded with:\n${c.prefix}` });
    });
  }

  /** Asks for the chunks of a document. Draws them if they are shown, or are to be shown. */
  async #ask(uri: string, show = false): Promise<Chunk[]> {
    const { chunks } = await this.#ctx.client.request("ambit.chunks", { textDocument: { uri } });
    const parts = chunks.filter((c) => !c.summary);
    if (show || this.#shown.has(uri)) {
      this.#shown.set(uri, parts);
      this.#draw();
    }
    return parts;
  }

  #draw(): void {
    for (const e of vscode.window.visibleTextEditors) {
      const chunks = this.#shown.get(e.document.uri.toString()) ?? [];
      e.setDecorations(this.#border, chunks.map((c) => lineOf(e.document, c)));
    }
    this.#changed.fire();
  }
}

/** Returns the first line of a chunk, or the last line of a document that has become shorter. */
const lineOf = (document: vscode.TextDocument, c: Chunk): vscode.Range => document.lineAt(Math.min(c.start_line, document.lineCount) - 1).range;
