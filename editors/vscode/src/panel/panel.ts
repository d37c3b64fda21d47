import * as vscode from "vscode";
import { config } from "../config";
import { type Edit, shift } from "../core/anchor";
import { reachOf } from "../core/budget";
import { messageOf } from "../core/errors";
import { type FromPanel, type Question, readMemento } from "../core/messages";
import { PanelModel } from "../core/panelModel";
import { NotYet, problemOf } from "../core/problem";
import { type Choice, codeOf, type ContextAnswer, type ContextParams, type Format, formats, type Position, type Status } from "../core/protocol";
import { lackOf } from "../core/status";
import type { Ctx } from "../ctx";
import { done, isSource, isSourceUri, placeAt } from "../editors";
import { highlight } from "./highlight";
import { editorHost, type Host, viewHost, viewId } from "./host";
import { Latest } from "./latest";
import { Opener } from "./opener";
import { Page } from "./page";

const viewType = "ambit.context";

/** How long the cursor rests before the panel follows it, in milliseconds. */
const followDelay = 150;
/** How long typing rests before the panel asks again. */
const editDelay = 300;
/** How long a question takes before the panel shows that it is busy. */
const patience = 200;

/** A handler for each message of the page. */
type Handlers = { readonly [T in FromPanel["type"]]: (m: Extract<FromPanel, { type: T }>) => unknown };

/** The context panel: one answer beside the editor, to read, to jump from and to copy. */
export class ContextPanel implements vscode.Disposable {
  readonly #ctx: Ctx;
  readonly #model: PanelModel;
  readonly #latest = new Latest();
  readonly #opener = new Opener();
  readonly #listeners: vscode.Disposable;
  #page: Page | undefined;
  #stale = false; // something changed while the panel was hidden
  readonly #changed = new vscode.EventEmitter<void>();
  #known = ""; // what listeners of onDidChange know
  #indexed = ""; // the latest state and generation of the index

  readonly #handlers: Handlers = {
    ready: () => {
      this.#page?.ready();
      this.#paint();
    },
    painted: ({ seq }) => {
      this.#model.painted(seq);
      this.#page?.painted(seq);
    },
    open: ({ id, aside }) => this.#opener.source(this.#model.source(id), aside),
    openPath: ({ path }) => this.#opener.path(path, this.#model.answer?.sources ?? []),
    ask: ({ query }) => query.trim() && this.show({ type: "words", query: query.trim() }),
    remedy: ({ index }) => this.#remedy(index),
    move: () => this.#move(),
    resume: () => vscode.commands.executeCommand("ambit.resumeIndexing"),
    status: () => vscode.commands.executeCommand("ambit.showStatus"),
    origin: () => this.#opener.origin(this.#model.question),
    pin: ({ id }) => this.#change(() => this.#model.toggle("pin", id)),
    drop: ({ id }) => this.#change(() => this.#model.toggle("drop", id)),
    clear: () => this.#change(() => this.#model.clearChoices()),
    budget: ({ budget }) => this.#change(() => (this.#model.budget = budget)),
    reach: () => this.#findReach(),
    format: ({ format }) =>
      this.#change(() => {
        this.#model.format = format;
        return this.#ctx.setFormat(format);
      }),
    follow: ({ follow }) => this.#setFollow(follow),
    explain: ({ id }) => this.#explain(id),
    highlight: ({ id }) => this.#highlight(id),
    copy: () => this.copy(),
    chat: () => this.#addToChat(),
    document: () => this.#opener.answer(this.#model.answer?.symbol?.name ?? "context", this.#model.format, this.#model.params),
    refresh: () => this.#change(() => undefined),
    restart: () => this.#change(() => this.#ctx.client.restart()),
    settings: () => vscode.commands.executeCommand("workbench.action.openSettings", config.serverPathName),
    output: () => this.#ctx.log.show(),
  };

  /** Fires when the question, the pins or the drops have changed, and when the panel has closed. */
  readonly onDidChange = this.#changed.event;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#model = new PanelModel(ctx.format, config.followCursor());
    this.#listeners = vscode.Disposable.from(
      vscode.window.registerWebviewPanelSerializer(viewType, { deserializeWebviewPanel: (panel, state) => this.#restore(panel, state) }),
      vscode.window.registerWebviewViewProvider(viewId, { resolveWebviewView: (view, { state }) => this.#resolve(view, state) }),
      vscode.workspace.onDidChangeTextDocument((e) => this.#edited(e)),
      vscode.window.onDidChangeTextEditorSelection((e) => this.#cursorMoved(e.textEditor)),
      vscode.window.onDidChangeActiveTextEditor((e) => this.#cursorMoved(e)),
      ctx.client.onDidChangeStatus((s) => this.#statusChanged(s)),
    );
  }

  dispose(): void {
    this.#page?.dispose();
    this.#listeners.dispose();
    this.#changed.dispose();
  }

  /** The question that the panel answers; undefined when it is closed. */
  get question(): Question | undefined {
    return this.#page && this.#model.question;
  }

  /** The sources that the user has pinned in the open panel. */
  get pinned(): Choice[] {
    return this.#model.pinned;
  }

  /** The sources that the user has dropped in the open panel. */
  get dropped(): Choice[] {
    return this.#model.dropped;
  }

  /** The question of the open panel as the argument of ambit.context. */
  get params(): ContextParams | undefined {
    return this.question && this.#model.params;
  }

  /** Whether the panel is the active editor. */
  get active(): boolean {
    return this.#page?.host.active ?? false;
  }

  /** Assembles a context, with the pins and drops of the open panel when it is about the same. */
  async assemble(params: ContextParams, token?: vscode.CancellationToken): Promise<ContextAnswer> {
    const answer = await this.#ctx.client.request("ambit.context", params, token);
    const choices = this.question && this.#model.choicesFor(answer, params.query);
    return choices ? this.#ctx.client.request("ambit.context", { ...params, ...choices }, token) : answer;
  }

  /** Shows the answer to a question. Resolves when the answer is there. */
  async show(question: Question, { explain = false } = {}): Promise<void> {
    const asked = performance.now();
    this.#model.question = question;
    this.#model.explainAll = explain;
    if (question.type === "place") {
      this.#opener.remember(vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === question.uri));
    }
    await this.#open();
    await this.#assemble(asked);
  }

  /** Shows the panel where the user wants it. The keyboard stays where it is. */
  async #open(): Promise<void> {
    const inView = config.panelInView();
    if (this.#page?.host.inView === inView) {
      if (!this.#page.host.visible) {
        this.#page.host.reveal(false); // VS Code would open it again before it paints
      }
      return;
    }
    const other = this.#page;
    this.#page = undefined; // so that the choices stay
    other?.dispose();
    if (inView) {
      await vscode.commands.executeCommand(`${viewId}.focus`, { preserveFocus: true });
    } else {
      this.#adopt(editorHost(vscode.window.createWebviewPanel(viewType, "Context", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }), this.#ctx.extension.extensionUri));
    }
  }

  /** Moves the panel from the editor area to a view in the side bar, or back. */
  async #move(): Promise<void> {
    await config.setPanelInView(!config.panelInView());
    if (this.#model.question) {
      await this.show(this.#model.question);
    }
  }

  /** Asks again and copies the answer. */
  async copy(): Promise<void> {
    await this.#assemble();
    const { format } = this.#model;
    const answer = this.#answered();
    await vscode.env.clipboard.writeText(answer.text);
    done("ambit.copied");
    this.#page?.send({ type: "notice", text: `Copied ${answer.tokens.toLocaleString("en-US")} tokens as ${labelOf(format)}${but(answer)}` });
  }

  /** Asks again and adds the answer to the chat. */
  async #addToChat(): Promise<void> {
    await this.#assemble();
    await this.#ctx.chat.add(this.#answered(), this.#model.format);
  }

  /** Returns the answer. Throws the reason when there is none. */
  #answered(): ContextAnswer {
    const { answer, problem } = this.#model;
    if (!answer) {
      throw new Error(problem?.text);
    }
    return answer;
  }

  /** Does the next step of the problem that the page shows. */
  async #remedy(index: number): Promise<void> {
    const r = this.#model.problem?.remedies[index];
    if (r) {
      await vscode.commands.executeCommand(r.command, ...(r.args ?? []));
    }
  }

  /** Gives the keyboard to the panel. */
  focus(): void {
    this.#page?.host.reveal(true);
  }

  /** Shows a panel again that was open when the window closed. */
  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const m = readMemento((state as { memento?: unknown } | undefined)?.memento);
    if (!m) {
      panel.dispose();
      return;
    }
    this.#model.restore(m);
    this.#adopt(editorHost(panel, this.#ctx.extension.extensionUri));
    await this.#assemble();
  }

  /** Fills the view when it is first visible: with what it showed before, or else with the symbol under the cursor. */
  async #resolve(view: vscode.WebviewView, state: unknown): Promise<void> {
    const m = this.#model.question ? undefined : readMemento((state as { memento?: unknown } | undefined)?.memento);
    if (m) {
      this.#model.restore(m);
    }
    const { editor } = this.#ctx;
    this.#model.question ??= editor && placeAt(editor);
    this.#adopt(viewHost(view));
    await this.#assemble();
  }

  #adopt(host: Host): void {
    const { extension, log } = this.#ctx;
    const page = new Page(host, extension.extensionUri, log, (m) => void this.#handle(m).catch((e: unknown) => this.#ctx.report(e)));
    this.#page = page;
    this.#model.inView = host.inView;
    host.onDidChangeVisibility(() => this.#stale && this.#assembleAfter(0));
    host.onDidDispose(() => {
      if (this.#page !== page) {
        return; // it has moved
      }
      this.#latest.cancel();
      this.#page = undefined;
      this.#model.answer = undefined;
      this.#model.explainAll = false;
      this.#model.clearChoices();
      this.#tell();
    });
  }

  async #handle<M extends FromPanel>(m: M): Promise<void> {
    const handler = this.#handlers[m.type] as (m: M) => unknown;
    await handler(m);
  }

  /** Changes what is asked, and asks again. */
  async #change(apply: () => unknown): Promise<void> {
    const asked = performance.now();
    await apply();
    await this.#assemble(asked);
  }

  /**
   * Asks for the answer and paints it. A later call cancels an earlier one.
   *
   * @param asked when the user asked, for the log; undefined when the user did not
   */
  async #assemble(asked?: number): Promise<void> {
    this.#stale = false;
    if (!this.#model.question) {
      this.#model.problem = problemOf(new NotYet("Put the cursor on a name, then show its context.", { title: "Show Related Context", command: "ambit.showRelated" }));
      return this.#paint();
    }
    const outcome = await this.#latest.run((token) => this.#ctx.client.request("ambit.context", this.#model.params, token), patience, () => {
      this.#model.busy = true;
      this.#paint();
    });
    if (!outcome) {
      return; // a later call paints
    }
    this.#model.busy = false;
    this.#model.answer = outcome.result;
    this.#model.problem = outcome.result ? undefined : problemOf(outcome.error);
    const answered = performance.now();
    this.#paint();
    if (asked !== undefined) {
      this.#page?.time(asked, answered);
    }
    if (outcome.result) {
      done("ambit.shown");
    }
  }

  /** Asks again after a delay, or when the panel is shown again. */
  #assembleAfter(delay: number): void {
    this.#latest.stopWaiting();
    this.#stale = !this.#page?.host.visible;
    if (!this.#stale) {
      this.#latest.after(delay, () => void this.#assemble());
    }
  }

  /** Tells listeners what has changed. */
  #tell(): void {
    const now = JSON.stringify([this.question, this.pinned, this.dropped]);
    if (now !== this.#known) {
      this.#known = now;
      this.#changed.fire();
    }
  }

  #paint(): void {
    this.#tell();
    this.#page?.paint((seq) => this.#model.painting(seq, this.#ctx.client.status, relative));
  }

  #setFollow(follow: boolean): void {
    this.#model.follow = follow;
    this.#paint();
    this.#cursorMoved(this.#ctx.editor);
  }

  async #explain(id: string): Promise<void> {
    const explanation = await this.#ctx.client.request("ambit.explain", { ...this.#model.params, id });
    this.#page?.send({ type: "explained", id, explanation });
  }

  /** Sends the colors of the text of a source, unless a newer answer does not have it. */
  async #highlight(id: string): Promise<void> {
    const { answer } = this.#model;
    const s = answer?.sources.find((x) => x.id === id);
    const pieces = answer && s && (await highlight(codeOf(answer, s), s.language));
    if (s && pieces) {
      this.#page?.send({ type: "highlighted", id, language: s.language, pieces });
    }
  }

  /** Finds the budget from which on the answer stays the same, for the slider. */
  async #findReach(): Promise<void> {
    const [key, params] = [this.#model.reachKey, this.#model.params];
    try {
      this.#model.setReach(key, await reachOf(async (budget) => (await this.#ctx.client.request("ambit.context", { ...params, budget })).text));
      this.#paint();
    } catch (e) {
      this.#ctx.log.debug(`the reach of the slider: ${messageOf(e)}`); // the user did not ask for it
    }
  }

  /** Moves the place of the question along with the text around it, and asks again. */
  #edited(e: vscode.TextDocumentChangeEvent): void {
    if (!this.#page || e.contentChanges.length === 0 || !isSourceUri(e.document.uri)) {
      return;
    }
    const q = this.#model.question;
    if (q?.type === "place" && q.uri === e.document.uri.toString()) {
      q.position = e.contentChanges.reduce((p, c) => shift(p, c satisfies Edit), q.position);
    }
    this.#assembleAfter(editDelay);
  }

  /** Asks again when the index is ready with other content, and shows other changes of its status. */
  #statusChanged(s: Status): void {
    const indexed = `${s.state} ${s.generation}`;
    const same = indexed === this.#indexed;
    this.#indexed = indexed;
    if (!this.#page || same) {
      return;
    }
    if (s.state === "ready") {
      this.#assembleAfter(0);
    } else {
      this.#paint();
    }
  }

  /** Asks about the word under the cursor once the cursor rests there, if the panel follows it. */
  #cursorMoved(editor: vscode.TextEditor | undefined): void {
    if (!this.#model.follow || !this.#page?.host.visible || !editor || !isSource(editor)) {
      return;
    }
    this.#latest.after(followDelay, () => {
      const next = placeAt(editor);
      const q = this.#model.question;
      const word = (p: Position): string => wordAt(editor.document, new vscode.Position(p.line, p.character));
      if (q?.type === "place" && q.uri === next.uri && word(q.position) === word(next.position)) {
        return;
      }
      this.#model.question = next;
      this.#opener.remember(editor);
      void this.#assemble(performance.now());
    });
  }
}

/** Returns a key of the word at a position, or of its line where there is no word. */
function wordAt(document: vscode.TextDocument, p: vscode.Position): string {
  const word = document.getWordRangeAtPosition(p);
  return word ? `${word.start.line}:${word.start.character}` : `${p.line}`;
}

/** Returns a path as the user knows it: with the folder's name in a window that has several. */
const relative = (uri: string): string => vscode.workspace.asRelativePath(vscode.Uri.parse(uri));

/** Says what a copied answer lacks. */
export const but = ({ freshness }: ContextAnswer): string => (lackOf(freshness) ? `; ${lackOf(freshness)}` : "");

const labelOf = (format: Format): string => formats.find((f) => f.id === format)?.label ?? format;
