import * as vscode from "vscode";
import { openFolder, problemOf } from "../core/problem";
import type { Match, Status } from "../core/protocol";
import { describe } from "../core/status";
import type { Ctx } from "../ctx";
import { done } from "../editors";

/** How long typing rests before the search starts, in milliseconds. */
const typingDelay = 120;
const limit = 40;

/** What a search looks through, and the button that leads to the other one. */
const scopes = {
  workspace: {
    title: "Search by Meaning",
    placeholder: "A name, or what the code does",
    hint: "Use other words, or name a symbol.",
    button: { iconPath: new vscode.ThemeIcon("package"), tooltip: "Search the declarations of dependencies" },
  },
  dependencies: {
    title: "Search Dependencies",
    placeholder: "A name, or what the declaration of a direct dependency is for",
    hint: "Use other words. The command ambit status --deps lists the dependencies whose sources are on this machine.",
    button: { iconPath: new vscode.ThemeIcon("files"), tooltip: "Search the workspace" },
  },
} as const;

type Scope = keyof typeof scopes;

interface Item extends vscode.QuickPickItem {
  match?: Match; // missing in an item that is only a message
  command?: string; // the next step of a message
}

/** Searches while the user types, and shows the selected match. Escape goes back to the editor and selection from before. */
export const searchByMeaning = (ctx: Ctx) => (argument: unknown) => new Picker(ctx, "workspace").run(typeof argument === "string" ? argument : "");

/** Searches the declarations of the direct dependencies in place of the workspace. */
export const searchDependencies = (ctx: Ctx) => (argument: unknown) => new Picker(ctx, "dependencies").run(typeof argument === "string" ? argument : "");

class Picker {
  readonly #ctx: Ctx;
  readonly #pick = vscode.window.createQuickPick<Item>();
  readonly #unit = wholeLines("editor.rangeHighlightBackground");
  readonly #line = wholeLines("editor.findMatchHighlightBackground");
  readonly #origin: vscode.TextEditor | undefined;
  readonly #selection: vscode.Selection | undefined;
  readonly #open = new Set(tabs().map(uriOf)); // before the search
  #searching: vscode.CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #previews: Promise<unknown> = Promise.resolve(); // those that VS Code is still opening
  #previewed = false;
  #accepted = false;
  #scope: Scope;

  constructor(ctx: Ctx, scope: Scope) {
    this.#ctx = ctx;
    this.#scope = scope;
    this.#origin = ctx.editor;
    this.#selection = ctx.editor?.selection;
    this.#show();
    this.#pick.matchOnDescription = false;
    // Keeps the order of the server. VS Code has this property, but not in its types yet.
    Object.assign(this.#pick, { sortByLabel: false });
  }

  /** Says what the search looks through. */
  #show(): void {
    const { title, placeholder, button } = scopes[this.#scope];
    this.#pick.title = title;
    this.#pick.placeholder = placeholder;
    this.#pick.buttons = [button];
  }

  run(query: string): Promise<void> {
    return new Promise((resolve) => {
      this.#pick.onDidTriggerButton(() => {
        this.#scope = this.#scope === "workspace" ? "dependencies" : "workspace";
        this.#show();
        this.#soon(0);
      });
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
    const scope = this.#scope;
    const deps = scope === "dependencies";
    try {
      const { results } = await this.#ctx.client.request("ambit.search", { query, limit, snippet: 1, ...(deps ? { deps } : {}) }, mine.token);
      if (this.#searching !== mine) {
        return;
      }
      this.#pick.items = results.length > 0 ? results.map((m) => itemOf(m, deps)) : [message("info", "Nothing was found", hint(scope, this.#ctx.client.status))];
      done("ambit.searched");
      this.#pick.title = titleOf(scope, results, this.#ctx.client.status);
      this.#pick.busy = false;
    } catch (e) {
      if (!(e instanceof vscode.CancellationError)) {
        this.#pick.items = [vscode.workspace.workspaceFolders ? message("error", "The search failed", problemOf(e).text) : noFolder];
        this.#pick.busy = false;
      }
    }
  }

  /** Shows the matching line of a match. With preserveFocus the keyboard stays in the list. */
  async #preview(item: Item | undefined, preserveFocus = true): Promise<void> {
    if (!item?.match || (this.#accepted && preserveFocus)) {
      return;
    }
    const { uri, start_line: first, end_line: last, snippet } = item.match;
    const line = (snippet?.start_line ?? first) - 1;
    const at = new vscode.Range(line, 0, line, 0);
    const column = this.#origin?.viewColumn ?? vscode.ViewColumn.One;
    this.#previewed = true;
    const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), { preview: preserveFocus, preserveFocus, selection: at, viewColumn: column });
    if (preserveFocus && !this.#accepted) {
      editor.setDecorations(this.#unit, [new vscode.Range(first - 1, 0, last - 1, 0)]);
      editor.setDecorations(this.#line, [at]);
    }
  }

  async #accept(): Promise<void> {
    const [item] = this.#pick.activeItems;
    if (item?.match) {
      this.#accepted = true;
      this.#pick.hide();
      await this.#previews; // or a preview could open after the match
      await this.#preview(item, false);
      const uri = vscode.Uri.parse(item.match.uri);
      if (uri.scheme === "file" && !vscode.workspace.getWorkspaceFolder(uri)) {
        await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession"); // a change would be in every project that uses it
      }
    } else if (item?.command) {
      this.#pick.hide();
      await vscode.commands.executeCommand(item.command);
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#searching?.cancel();
    await this.#previews; // or a preview could open after the editor from before
    this.#unit.dispose();
    this.#line.dispose();
    this.#pick.dispose();
    if (!this.#previewed || this.#accepted) {
      return;
    }
    if (this.#origin && this.#selection) {
      const { document, viewColumn } = this.#origin;
      await vscode.window.showTextDocument(document, { selection: this.#selection, ...(viewColumn ? { viewColumn } : {}) });
    }
    await vscode.window.tabGroups.close(tabs().filter((t) => t.isPreview && t.input instanceof vscode.TabInputText && !this.#open.has(uriOf(t))), true);
  }
}

const wholeLines = (color: string): vscode.TextEditorDecorationType =>
  vscode.window.createTextEditorDecorationType({ backgroundColor: new vscode.ThemeColor(color), isWholeLine: true });

const tabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((g) => g.tabs);
const uriOf = (t: vscode.Tab): string => (t.input instanceof vscode.TabInputText ? t.input.uri.toString() : "");

const message = (icon: string, label: string, detail: string): Item => ({ label: `$(${icon}) ${label}`, detail, alwaysShow: true });

/** Explains why a search may have found nothing. */
const hint = (scope: Scope, s: Status): string => (s.state === "ready" ? scopes[scope].hint : describe(s).sentence);

const noFolder: Item = { label: "$(folder-opened) Open a folder to search in it…", command: openFolder.command, alwaysShow: true };

/** Says in the title what the list does not show: that it is only a guess, or not complete. */
function titleOf(scope: Scope, results: Match[], s: Status): string {
  const { title } = scopes[scope];
  if (results.length > 0 && results.every((m) => m.reason === "similar")) {
    return `${title}: nothing has these words, this is the most similar`;
  }
  return s.state === "ready" ? title : `${title}: ${describe(s).sentence}`;
}

const itemOf = (match: Match, deps: boolean): Item => ({
  label: (match.identifier || match.path) + (match.unit_section ? `#${match.unit_section}` : ""),
  description: `${match.kind} · ${match.reason}`,
  detail: `${deps ? match.path : vscode.workspace.asRelativePath(vscode.Uri.parse(match.uri))}:${match.snippet?.start_line ?? match.start_line}   ${match.snippet?.text.trim() ?? ""}`,
  alwaysShow: true,
  match,
});
