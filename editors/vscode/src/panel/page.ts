import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { type FromPanel, type PanelState, readMessage, type ToPanel } from "../core/messages";
import type { Host } from "./host";

/** The webview of the context panel. */
export class Page implements vscode.Disposable {
  readonly host: Host;
  readonly #log: vscode.LogOutputChannel;
  #ready = false;
  #seq = 0;
  #timed: { seq: number; asked: number; answered: number } | undefined;

  constructor(host: Host, extension: vscode.Uri, log: vscode.LogOutputChannel, onMessage: (m: FromPanel) => void) {
    this.host = host;
    this.#log = log;
    host.webview.options = { enableScripts: true, localResourceRoots: [] };
    host.webview.onDidReceiveMessage((raw: unknown) => {
      const m = readMessage(raw);
      if (m) {
        onMessage(m);
      }
    });
    host.webview.html = html(extension);
  }

  dispose(): void {
    this.host.dispose();
  }

  /** Notes that the page is loaded. */
  ready(): void {
    this.#ready = true;
  }

  /** Has the page paint a state, if it is loaded. */
  paint(stateOf: (seq: number) => PanelState): void {
    this.#seq++;
    if (this.#ready) {
      const state = stateOf(this.#seq);
      this.send({ type: "state", state });
      this.host.setTitle(state.title); // VS Code would draw the tab before it passes the state on
    }
  }

  send(m: ToPanel): void {
    void this.host.webview.postMessage(m);
  }

  /** Notes when the user asked for the latest state, and when the answer came. */
  time(asked: number, answered: number): void {
    this.#timed = { seq: this.#seq, asked, answered };
  }

  /** Logs how long an answer took, once the page has painted it. */
  painted(seq: number): void {
    if (this.#timed && seq >= this.#timed.seq) {
      const { asked, answered } = this.#timed;
      this.#log.info(`context answered after ${(answered - asked).toFixed(1)} ms, painted after ${(performance.now() - asked).toFixed(1)} ms`);
      this.#timed = undefined;
    }
  }
}

/**
 * Returns the HTML of the page, with its style and its script in it: VS Code would fetch a file
 * through a service worker and the extension host, which takes 25 ms.
 */
function html(extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const contentOf = (name: string): string => readFileSync(vscode.Uri.joinPath(extension, "dist", name).fsPath, "utf8");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Context</title>
<style nonce="${nonce}">${contentOf("panel.css")}</style>
</head>
<body>
<main id="panel"></main>
<div id="live" role="status" aria-live="polite"></div>
<script nonce="${nonce}">${contentOf("panel.js")}</script>
</body>
</html>`;
}
