import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import type { Match, Status } from "../core/protocol";
import { describe } from "../core/status";
import type { Ctx } from "../ctx";

/** How long typing rests before the search starts, in milliseconds. */
const typingDelay = 120;
const limit = 40;

interface Item extends vscode.QuickPickItem {
  match?: Match; // missing in an item that is only a message
}

/** Searches while the user types, and shows the selected match. Escape goes back to the editor and selection from before. */
export const searchByMeaning = (ctx: Ctx) => (argument: unknown) => new Picker(ctx).run(typeof argument === "string" ? argument : "");

class Picker {
  readonly #ctx: Ctx;
  readonly #pick = vscode.window.createQuickPick<Item>();
  readonly #mark = vscode.window.createTextEditorDecorationType({ backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"), isWholeLine: true });
  readonly #origin: vscode.TextEditor | undefined;
  readonly #selection: vscode.Selection | undefined;
  #searching: vscode.CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #previews: Promise<unknown> = Promise.resolve(); // those that VS Code is still opening
  #previewed = false;
  #accepted = false;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#origin = ctx.editor;
    this.#selection = ctx.editor?.selection;
    this.#pick.title = "Search by Meaning";
    this.#pick.placeholder = "A name, or what the code does";
    this.#pick.matchOnDescription = false;
  }

  run(query: string): Promise<void> {
    return new Promise((resolve) => {
      this.#pick.onDidChangeValue(() => this.#soon());
      this.#pick.onDidChangeActive(([item]) => {
        this.#previews = Promise.allSettled([this.#previews, this.#preview(item)]);
      });
      this.#pick.onDidAccept(() => void this.#accept());
      this.#pick.onDidHide(() => void this.#close().finally(resolve));
      this.#pick.value = query;
      this.#pick.show();
      this.#soon(0);
    });
  }

  #soon(delay = typingDelay): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#search(), delay);
  }

  /** Searches for the typed text. Cancels the search before. */
  async #search(): Promise<void> {
    this.#searching?.cancel();
    const query = this.#pick.value.trim();
    if (!query) {
      this.#pick.items = [];
      this.#pick.busy = false;
      return;
    }
    const mine = new vscode.CancellationTokenSource();
    this.#searching = mine;
    this.#pick.busy = true;
    try {
      const { results } = await this.#ctx.client.request("ambit.search", { query, limit }, mine.token);
      if (this.#searching !== mine) {
        return;
      }
      this.#pick.items = results.length > 0 ? results.map(itemOf) : [message("info", "Nothing was found", hint(this.#ctx.client.status))];
      this.#pick.busy = false;
    } catch (e) {
      if (!(e instanceof vscode.CancellationError)) {
        this.#pick.items = [message("error", "The search failed", messageOf(e))];
        this.#pick.busy = false;
      }
    }
  }

  /** Shows a match. With preserveFocus the keyboard stays in the list. */
  async #preview(item: Item | undefined, preserveFocus = true): Promise<void> {
    if (!item?.match || (this.#accepted && preserveFocus)) {
      return;
    }
    const uri = vscode.Uri.parse(item.match.uri);
    const { start } = item.match.range;
    const at = new vscode.Range(start.line, start.character, start.line, start.character);
    const column = this.#origin?.viewColumn ?? vscode.ViewColumn.One;
    this.#previewed = true;
    const editor = await vscode.window.showTextDocument(uri, { preview: preserveFocus, preserveFocus, selection: at, viewColumn: column });
    if (preserveFocus && !this.#accepted) {
      const { start_line: first, end_line: last } = item.match;
      editor.setDecorations(this.#mark, [new vscode.Range(first - 1, 0, last - 1, 0)]);
    }
  }

  async #accept(): Promise<void> {
    const [item] = this.#pick.activeItems;
    if (item?.match) {
      this.#accepted = true;
      this.#pick.hide();
      await this.#previews; // or a preview could open after the match
      await this.#preview(item, false);
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#searching?.cancel();
    await this.#previews; // or a preview could open after the editor from before
    this.#mark.dispose();
    this.#pick.dispose();
    if (this.#previewed && !this.#accepted && this.#origin && this.#selection) {
      const { document, viewColumn } = this.#origin;
      await vscode.window.showTextDocument(document, { selection: this.#selection, ...(viewColumn ? { viewColumn } : {}) });
    }
  }
}

const message = (icon: string, label: string, detail: string): Item => ({ label: `$(${icon}) ${label}`, detail, alwaysShow: true });

/** Explains why a search may have found nothing. */
const hint = (s: Status): string => (s.state === "ready" ? "Use other words, or name a symbol." : describe(s).sentence);

const itemOf = (match: Match): Item => ({
  label: (match.identifier || match.path) + (match.unit_section ? `#${match.unit_section}` : ""),
  description: match.kind,
  detail: `${vscode.workspace.asRelativePath(vscode.Uri.parse(match.uri))}:${match.start_line} · ${match.why
    .slice(0, 3)
    .map((s) => s.signal)
    .join(", ")}`,
  alwaysShow: true,
  match,
});
