import * as vscode from "vscode";
import type { AmbitApi } from "../api/ambit";
import { makeApi } from "./api";
import { Client } from "./client";
import { commands } from "./commands";
import { config } from "./config";
import { messageOf } from "./core/errors";
import { type Format, isFormat } from "./core/protocol";
import { ContextPanel } from "./panel";
import { StatusBar } from "./statusBar";
import { registerTools } from "./tools";

const formatKey = "format";

/** Owns everything that lives as long as the extension. */
export class Ctx {
  readonly extension: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly client: Client;
  readonly panel: ContextPanel;
  readonly api: AmbitApi;
  #editor: vscode.TextEditor | undefined;

  constructor(extension: vscode.ExtensionContext) {
    this.extension = extension;
    this.log = this.own(vscode.window.createOutputChannel("Ambit", { log: true }));
    this.client = this.own(new Client(extension.extensionUri, this.log));
    this.panel = this.own(new ContextPanel(this));
    this.api = makeApi(this);
  }

  /** Registers everything and lets the server start. */
  start(): void {
    this.own(new StatusBar(this.client));
    for (const [name, make] of Object.entries(commands)) {
      this.own(vscode.commands.registerCommand(name, this.#reporting(make(this))));
    }
    this.own(vscode.Disposable.from(...registerTools(this.client)));
    this.#remember(vscode.window.activeTextEditor);
    this.own(vscode.window.onDidChangeActiveTextEditor((e) => this.#remember(e)));
    this.own(
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration(`${config.section}.server`)) {
          void this.client.restart();
        }
      }),
    );
    void this.client.start();
  }

  /** Has d disposed of with the extension. */
  own<T extends vscode.Disposable>(d: T): T {
    this.extension.subscriptions.push(d);
    return d;
  }

  /** The text editor that the user is in, or was in before going to the panel. */
  get editor(): vscode.TextEditor | undefined {
    const open = this.#editor;
    return open && vscode.window.visibleTextEditors.includes(open) ? open : vscode.window.visibleTextEditors.find(isSource);
  }

  /** The format that the user took last, else the setting's. */
  get format(): Format {
    const last = this.extension.globalState.get(formatKey);
    const said = config.forServer(undefined)["format"];
    return isFormat(last) ? last : isFormat(said) ? said : "markdown";
  }

  async setFormat(format: Format): Promise<void> {
    await this.extension.globalState.update(formatKey, format);
  }

  #remember(e: vscode.TextEditor | undefined): void {
    if (e && isSource(e)) {
      this.#editor = e;
    }
  }

  /** Shows the user what goes wrong in a command. */
  #reporting(run: (...args: unknown[]) => Promise<void>): (...args: unknown[]) => Promise<void> {
    return async (...args) => {
      try {
        await run(...args);
      } catch (e) {
        if (e instanceof vscode.CancellationError) {
          return;
        }
        const message = messageOf(e);
        this.log.error(message);
        void vscode.window.showErrorMessage(`Ambit: ${message}`, "Show Output").then((chosen) => chosen && this.log.show());
      }
    };
  }
}

/** Reports whether an editor shows something that the server sees. */
export const isSource = (e: vscode.TextEditor): boolean => ["file", "untitled"].includes(e.document.uri.scheme);
