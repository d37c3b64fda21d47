import * as vscode from "vscode";
import { ChatFiles } from "./chat";
import { Client } from "./client";
import { config } from "./config";
import { NotYet, problemOf, type Remedy } from "./core/problem";
import { type Format, isFormat } from "./core/protocol";
import { isSource } from "./editors";

const formatKey = "format";

/** What all parts of the extension share: the server, the log, and what the user is working on. */
export class Ctx {
  readonly extension: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly client: Client;
  readonly chat = new ChatFiles();
  #editor: vscode.TextEditor | undefined;

  constructor(extension: vscode.ExtensionContext) {
    this.extension = extension;
    this.log = this.own(vscode.window.createOutputChannel("Ambit", { log: true }));
    this.client = this.own(new Client(extension.extensionUri, this.log));
    this.own(this.chat.register());
    this.#remember(vscode.window.activeTextEditor);
    this.own(vscode.window.onDidChangeActiveTextEditor((e) => this.#remember(e)));
  }

  /** Disposes of d when the extension is deactivated. Returns d. */
  own<T extends vscode.Disposable>(d: T): T {
    this.extension.subscriptions.push(d);
    return d;
  }

  /** The text editor that has the focus, or had it before the focus went to the panel. */
  get editor(): vscode.TextEditor | undefined {
    const last = this.#editor;
    return last && vscode.window.visibleTextEditors.includes(last) ? last : vscode.window.visibleTextEditors.find(isSource);
  }

  /** The format that the user picked last, or else the one in the settings. */
  get format(): Format {
    const picked = this.extension.globalState.get(formatKey);
    const configured = config.forServer(undefined)["format"];
    return isFormat(picked) ? picked : isFormat(configured) ? configured : "markdown";
  }

  async setFormat(format: Format): Promise<void> {
    await this.extension.globalState.update(formatKey, format);
  }

  /** Shows an error of a command to the user, with buttons for the next step, and logs it. Ignores a cancellation. */
  report(e: unknown): void {
    if (e instanceof vscode.CancellationError) {
      return;
    }
    const { text, remedies } = problemOf(e);
    const output: Remedy = { title: "Show Output", command: "ambit.showOutput" };
    const show = e instanceof NotYet ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
    if (!(e instanceof NotYet)) {
      this.log.error(text);
    }
    void show(`Ambit: ${text}`, ...remedies, ...(e instanceof NotYet ? [] : [output])).then((r) => r && vscode.commands.executeCommand(r.command, ...(r.args ?? [])));
  }

  #remember(e: vscode.TextEditor | undefined): void {
    if (e && isSource(e)) {
      this.#editor = e;
    }
  }
}
