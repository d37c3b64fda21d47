import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import * as vscode from "vscode";
import { config } from "./config";
import { type Edit, shift } from "./core/anchor";
import { messageOf } from "./core/errors";
import { type Choice, type FromPanel, type Memento, type PanelState, type Question, readMemento, readMessage, type ToPanel } from "./core/messages";
import { type ContextAnswer, type ContextParams, type Format, formats, type Position, type Source, type Status, textOf } from "./core/protocol";
import type { Ctx } from "./ctx";
import { isSource } from "./ctx";

const viewType = "ambit.context";

/** How long the cursor rests before the panel follows it, in milliseconds. */
const followDelay = 150;
/** How long typing rests before the answer is made anew. */
const editDelay = 300;
/** What is answered sooner is not called busy. */
const patience = 200;

/** The context panel: one answer beside the editor, to read, to jump from and to copy. */
export class ContextPanel implements vscode.Disposable {
  readonly #ctx: Ctx;
  readonly #always: vscode.Disposable[] = [];
  #panel: vscode.WebviewPanel | undefined;
  #ready = false;
  #question: Question | undefined;
  #budget: number | undefined; // undefined leaves it to the settings
  #format: Format;
  #follow = config.followCursor();
  #explains = 0;
  #pinned = new Map<string, Choice>();
  #dropped = new Map<string, Choice>();
  #answer: ContextAnswer | undefined;
  #error = "";
  #busy = false;
  #stale = false; // something changed while nobody looked
  #indexed = ""; // the state and the generation of the index that the answer is of
  #seq = 0;
  #asked: { seq: number; at: number; answered: number } | undefined; // when the user asked for what is painted next
  #assembling: vscode.CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #column: vscode.ViewColumn | undefined; // where sources are opened

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#format = ctx.format;
    this.#always.push(
      vscode.window.registerWebviewPanelSerializer(viewType, { deserializeWebviewPanel: (panel, state) => this.#restore(panel, state) }),
      vscode.workspace.onDidChangeTextDocument((e) => this.#edited(e)),
      vscode.window.onDidChangeTextEditorSelection((e) => this.#moved(e.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((e) => e && this.#moved(e)),
      ctx.client.onDidChangeStatus((s) => this.#moving(s)),
    );
  }

  dispose(): void {
    this.#panel?.dispose();
    vscode.Disposable.from(...this.#always).dispose();
  }

  /** The question that the panel answers, undefined when it is closed. */
  get question(): Question | undefined {
    return this.#panel && this.#question;
  }

  /** Shows the answer to a question. Resolves when the answer is there. */
  async show(question: Question, o: { explain?: boolean } = {}): Promise<void> {
    const at = performance.now();
    this.#question = question;
    this.#explains += o.explain ? 1 : 0;
    if (question.type === "place") {
      const editor = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === question.uri);
      this.#column = editor?.viewColumn ?? this.#column;
    }
    if (this.#panel) {
      this.#panel.reveal(undefined, true);
    } else {
      this.#adopt(vscode.window.createWebviewPanel(viewType, "Context", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }));
    }
    await this.#assemble(at);
  }

  /** Copies the answer, made anew. */
  async copy(): Promise<void> {
    await this.#assemble();
    if (!this.#answer) {
      throw new Error(this.#error);
    }
    await vscode.env.clipboard.writeText(textOf(this.#answer, this.#format));
    this.#send({ type: "said", text: `Copied ${this.#answer.tokens.toLocaleString("en-US")} tokens as ${labelOf(this.#format)}` });
  }

  /** Brings the keyboard to the panel. */
  focus(): void {
    this.#panel?.reveal(undefined, false);
  }

  /** Shows a panel again that was open when the window closed. */
  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const m = readMemento((state as { memento?: unknown } | undefined)?.memento);
    if (!m) {
      panel.dispose();
      return;
    }
    this.#question = m.question;
    this.#budget = m.budget;
    this.#format = m.format;
    this.#follow = m.follow;
    this.#pinned = byId(m.pinned);
    this.#dropped = byId(m.dropped);
    this.#adopt(panel);
    await this.#assemble();
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const dist = vscode.Uri.joinPath(this.#ctx.extension.extensionUri, "dist");
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const media = (name: string): vscode.Uri => vscode.Uri.joinPath(this.#ctx.extension.extensionUri, "media", name);
    panel.iconPath = { light: media("panel-light.svg"), dark: media("panel-dark.svg") };
    this.#panel = panel;
    this.#ready = false;
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      const m = readMessage(raw);
      if (m) {
        void this.#heard(m).catch((e: unknown) => this.#complain(e));
      }
    });
    panel.onDidChangeViewState(() => this.#stale && this.#soon(0));
    panel.onDidDispose(() => {
      clearTimeout(this.#timer);
      this.#assembling?.cancel();
      this.#panel = undefined;
      this.#answer = undefined;
      this.#pinned.clear();
      this.#dropped.clear();
    });
    panel.webview.html = page(panel.webview, dist);
  }

  /** Does what the panel asks for. */
  async #heard(m: FromPanel): Promise<void> {
    const at = performance.now();
    switch (m.type) {
      case "ready":
        this.#ready = true;
        return this.#post();
      case "painted":
        return this.#painted(m.seq);
      case "open":
        return this.#open(this.#source(m.id), m.aside);
      case "openPath":
        return this.#openPath(m.path);
      case "origin":
        return this.#openOrigin();
      case "pin":
      case "drop":
        this.#toggle(m.type, m.id);
        return this.#assemble(at);
      case "clear":
        this.#pinned.clear();
        this.#dropped.clear();
        return this.#assemble(at);
      case "budget":
        this.#budget = m.budget;
        return this.#assemble(at);
      case "format":
        this.#format = m.format;
        await this.#ctx.setFormat(m.format);
        return this.#assemble(at);
      case "follow":
        this.#follow = m.follow;
        this.#post();
        return this.#moved(this.#ctx.editor);
      case "explain":
        return this.#explainSource(m.id);
      case "copy":
        return this.copy();
      case "document":
        return this.#openDocument();
      case "refresh":
        return this.#assemble(at);
      case "restart":
        await this.#ctx.client.restart();
        return this.#assemble(at);
      case "settings":
        return vscode.commands.executeCommand("workbench.action.openSettings", config.serverPathName);
      case "output":
        return this.#ctx.log.show();
    }
  }

  /** Pins or drops a source, or takes that back. */
  #toggle(what: "pin" | "drop", id: string): void {
    const [set, other] = what === "pin" ? [this.#pinned, this.#dropped] : [this.#dropped, this.#pinned];
    if (set.delete(id)) {
      return;
    }
    const a = this.#answer;
    const s = a?.sources.find((x) => x.id === id) ?? a?.omitted.find((x) => x.id === id) ?? other.get(id);
    if (s) {
      other.delete(id);
      set.set(id, { id, identifier: s.identifier, path: s.path });
    }
  }

  /** The argument of ambit.context for what the panel shows. */
  #params(): ContextParams {
    const q = this.#question;
    return {
      ...(q?.type === "place" ? { textDocument: { uri: q.uri }, position: q.position } : { query: q?.query ?? "" }),
      ...(this.#budget === undefined ? {} : { budget: this.#budget }),
      format: this.#format,
      pin: [...this.#pinned.keys()],
      drop: [...this.#dropped.keys()],
    };
  }

  /** Makes the answer anew. A later call takes the place of an earlier one. */
  async #assemble(asked?: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#stale = false;
    this.#assembling?.cancel();
    const mine = new vscode.CancellationTokenSource();
    this.#assembling = mine;
    const busy = setTimeout(() => {
      this.#busy = true;
      this.#post();
    }, patience);
    const [answer, error] = await this.#ctx.client.request("ambit.context", this.#params(), mine.token).then(
      (a): [ContextAnswer | undefined, unknown] => [a, undefined],
      (e: unknown): [ContextAnswer | undefined, unknown] => [undefined, e],
    );
    clearTimeout(busy);
    mine.dispose();
    if (this.#assembling !== mine || error instanceof vscode.CancellationError) {
      return; // a later call answers
    }
    this.#assembling = undefined;
    this.#busy = false;
    this.#answer = answer;
    this.#error = error === undefined ? "" : messageOf(error);
    const answered = performance.now();
    this.#post();
    if (asked !== undefined) {
      this.#asked = { seq: this.#seq, at: asked, answered };
    }
  }

  /** Makes the answer anew after a while, and not before somebody looks. */
  #soon(delay: number): void {
    clearTimeout(this.#timer);
    this.#stale = !this.#panel?.visible;
    if (this.#stale) {
      return;
    }
    this.#timer = setTimeout(() => void this.#assemble(), delay);
  }

  #post(): void {
    this.#seq++;
    if (this.#panel && this.#ready) {
      const state = this.#painting();
      this.#panel.title = state.title ? `Context: ${state.title}` : "Context";
      this.#send({ type: "state", state });
    }
  }

  #painting(): PanelState {
    const q = this.#question;
    const a = this.#answer;
    const place = q?.type === "place" ? `${relative(q.uri)}:${q.position.line + 1}` : "";
    return {
      seq: this.#seq,
      title: q?.type === "words" ? q.query : (a?.symbol?.identifier ?? basename(place.replace(/:\d+$/, ""))),
      place,
      answer: a && { ...a, sources: a.sources.map((s) => ({ ...s, path: relative(s.uri) })) },
      error: this.#error,
      busy: this.#busy,
      budget: this.#budget ?? a?.budget ?? 8000,
      format: this.#format,
      follow: this.#follow,
      pinned: [...this.#pinned.values()],
      dropped: [...this.#dropped.values()],
      explains: this.#explains,
      status: this.#ctx.client.status,
      memento: this.#memento(),
    };
  }

  #memento(): Memento | undefined {
    return (
      this.#question && {
        question: this.#question,
        budget: this.#budget,
        format: this.#format,
        follow: this.#follow,
        pinned: [...this.#pinned.values()],
        dropped: [...this.#dropped.values()],
      }
    );
  }

  #send(m: ToPanel): void {
    void this.#panel?.webview.postMessage(m);
  }

  /** Notes how long it took from a command to the painted panel. */
  #painted(seq: number): void {
    if (this.#asked && seq >= this.#asked.seq) {
      const { at, answered } = this.#asked;
      this.#ctx.log.info(`context answered after ${(answered - at).toFixed(1)} ms, painted after ${(performance.now() - at).toFixed(1)} ms`);
      this.#asked = undefined;
    }
  }

  #complain(e: unknown): void {
    if (!(e instanceof vscode.CancellationError)) {
      void vscode.window.showErrorMessage(`Ambit: ${messageOf(e)}`);
    }
  }

  #source(id: string): Source {
    const s = this.#answer?.sources.find((x) => x.id === id);
    if (!s) {
      throw new Error("The answer has changed; choose again.");
    }
    return s;
  }

  async #open(s: Source, aside: boolean): Promise<void> {
    const { line, character } = s.range.start;
    await this.#reveal(vscode.Uri.parse(s.uri), new vscode.Position(line, character), aside);
  }

  async #openPath(path: string): Promise<void> {
    const folder = this.#answer?.sources.find((s) => s.uri.endsWith(`/${encodeURI(s.path)}`));
    const root = folder ? vscode.Uri.parse(folder.uri.slice(0, -encodeURI(folder.path).length)) : vscode.workspace.workspaceFolders?.[0]?.uri;
    if (root) {
      await this.#reveal(vscode.Uri.joinPath(root, path), new vscode.Position(0, 0), false);
    }
  }

  async #openOrigin(): Promise<void> {
    if (this.#question?.type === "place") {
      const { uri, position } = this.#question;
      await this.#reveal(vscode.Uri.parse(uri), new vscode.Position(position.line, position.character), false);
    }
  }

  async #reveal(uri: vscode.Uri, at: vscode.Position, aside: boolean): Promise<void> {
    const open = vscode.window.visibleTextEditors.find(isSource)?.viewColumn;
    const viewColumn = aside ? vscode.ViewColumn.Beside : (open ?? this.#column ?? vscode.ViewColumn.One);
    await vscode.window.showTextDocument(uri, { viewColumn, selection: new vscode.Range(at, at) });
  }

  async #explainSource(id: string): Promise<void> {
    const explanation = await this.#ctx.client.request("ambit.explain", { ...this.#params(), id });
    this.#send({ type: "explained", id, explanation });
  }

  /** Opens the text of the answer as a document of the server's. */
  async #openDocument(): Promise<void> {
    const name = (this.#answer?.symbol?.name ?? "context").replace(/[^\p{L}\p{N}_.-]/gu, "_");
    const extension = formats.find((f) => f.id === this.#format)?.extension ?? ".txt";
    const uri = vscode.Uri.from({ scheme: "ambit-context", path: `/context/${name}${extension}`, query: JSON.stringify(this.#params()) });
    await vscode.window.showTextDocument(uri, { viewColumn: this.#column ?? vscode.ViewColumn.One, preview: true });
  }

  /** Keeps the place with its text, and the answer with the text. */
  #edited(e: vscode.TextDocumentChangeEvent): void {
    if (!this.#panel || e.contentChanges.length === 0 || !["file", "untitled"].includes(e.document.uri.scheme)) {
      return;
    }
    const q = this.#question;
    if (q?.type === "place" && q.uri === e.document.uri.toString()) {
      q.position = e.contentChanges.reduce((p, c) => shift(p, c satisfies Edit), q.position);
    }
    this.#soon(editDelay);
  }

  /** Makes the answer anew when the index has caught up with the files. */
  #moving(s: Status): void {
    const now = `${s.state} ${s.generation}`;
    if (!this.#panel || now === this.#indexed) {
      this.#indexed = now;
      return;
    }
    this.#indexed = now;
    if (s.state === "ready") {
      this.#soon(0);
    } else {
      this.#post();
    }
  }

  /** Follows the cursor when it is to, once it rests at another word. */
  #moved(editor: vscode.TextEditor | undefined): void {
    if (!this.#follow || !this.#panel?.visible || !editor || !isSource(editor)) {
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const next = questionAt(editor);
      const q = this.#question;
      const at = (p: Position): string => spot(editor.document, new vscode.Position(p.line, p.character));
      if (q?.type === "place" && q.uri === next.uri && at(q.position) === at(next.position)) {
        return;
      }
      this.#question = next;
      this.#column = editor.viewColumn ?? this.#column;
      void this.#assemble(performance.now());
    }, followDelay);
  }
}

/** The question that the cursor of an editor asks. */
export function questionAt(editor: vscode.TextEditor): Extract<Question, { type: "place" }> {
  const { line, character } = editor.selection.active;
  return { type: "place", uri: editor.document.uri.toString(), position: { line, character } };
}

/** Names the word at a position, or its line. */
function spot(document: vscode.TextDocument, p: vscode.Position): string {
  const word = document.getWordRangeAtPosition(p);
  return word ? `${word.start.line}:${word.start.character}` : `${p.line}`;
}

/** A path as the user knows it: with the folder's name in a window that has several. */
const relative = (uri: string): string => vscode.workspace.asRelativePath(vscode.Uri.parse(uri));

const byId = (choices: Choice[]): Map<string, Choice> => new Map(choices.map((c) => [c.id, c]));
const labelOf = (format: Format): string => formats.find((f) => f.id === format)?.label ?? format;

/** The page of the panel: nothing from elsewhere, no script and no style that is not ours. */
function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const of = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Context</title>
<link rel="stylesheet" href="${of("panel.css")}">
</head>
<body>
<main id="panel"></main>
<div id="live" role="status" aria-live="polite"></div>
<script nonce="${nonce}" src="${of("panel.js")}"></script>
</body>
</html>`;
}
