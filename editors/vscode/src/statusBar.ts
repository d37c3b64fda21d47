import * as vscode from "vscode";
import type { Client } from "./client";
import type { Status } from "./core/protocol";
import { describe } from "./core/status";

const colors = { "": undefined, warning: "statusBarItem.warningBackground", error: "statusBarItem.errorBackground" };

/** Shows the state of the index in the status bar. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("ambit.status", vscode.StatusBarAlignment.Right, 90);
  readonly #listener: vscode.Disposable;

  constructor(client: Client) {
    this.#item.name = "Ambit Index Status";
    this.#item.command = "ambit.showStatus";
    this.#listener = client.onDidChangeStatus((s) => this.#show(s));
    this.#show(client.status);
    this.#item.show();
  }

  dispose(): void {
    this.#listener.dispose();
    this.#item.dispose();
  }

  #show(s: Status): void {
    void vscode.commands.executeCommand("setContext", "ambit.paused", s.state === "paused");
    const { icon, text, sentence, severity } = describe(s);
    const color = colors[severity];
    this.#item.text = `$(${icon}) ${text}`;
    this.#item.tooltip = sentence;
    this.#item.accessibilityInformation = { label: `Ambit. ${sentence}`, role: "button" };
    this.#item.backgroundColor = color ? new vscode.ThemeColor(color) : undefined;
  }
}
