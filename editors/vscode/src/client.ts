import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { config } from "./config";
import type { Closed, Connection, Progress } from "./connection";
import { Backoff } from "./core/backoff";
import { isServerGone, messageOf } from "./core/errors";
import { problemOf } from "./core/problem";
import type { Commands, FolderState, Status } from "./core/protocol";
import { combine, stopped } from "./core/status";
import { findServer } from "./server";

/** How often a question is asked when the server ends before it answers. */
const maxTries = 2;

/** Starts the server, restarts it when it crashes, and sends it requests. */
export class Client implements vscode.Disposable {
  readonly #extension: vscode.Uri;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<Status>();
  readonly #backoff = new Backoff();
  readonly #folders = new Map<string, FolderState>();
  readonly #listener: vscode.Disposable;
  #connection: Connection | undefined;
  #ends = 0; // how often a server ended or was stopped
  #ran = false; // the server has answered since it was started
  #starting: Promise<void> | undefined;
  #status: Status = stopped;

  /** Fires when the state of the index or of the server changes. */
  readonly onDidChangeStatus = this.#changed.event;

  constructor(extension: vscode.Uri, log: vscode.LogOutputChannel) {
    this.#extension = extension;
    this.#log = log;
    this.#listener = vscode.workspace.onDidChangeWorkspaceFolders((e) => {
      e.removed.forEach((f) => this.#folders.delete(f.uri.toString()));
      if (this.#connection?.running) {
        this.#running();
      }
    });
  }

  get status(): Status {
    return this.#status;
  }

  /** Starts the server, unless it runs. Shows errors to the user; never rejects. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((e: unknown) => {
      this.#starting = undefined;
      this.#failed(messageOf(e));
    });
    return this.#starting;
  }

  /** Stops the server and waits until it has ended. */
  async stop(): Promise<void> {
    await this.#starting;
    this.#starting = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#ends++;
    await connection?.dispose().catch((e: unknown) => this.#log.warn(`stop: ${String(e)}`));
    this.#folders.clear();
    this.#set(stopped);
  }

  async restart(): Promise<void> {
    this.#backoff.reset();
    await this.stop();
    await this.start();
  }

  dispose(): void {
    this.#listener.dispose();
    void this.stop().finally(() => this.#changed.dispose());
  }

  /**
   * Has the server carry out a command, once it runs.
   *
   * @throws an Error of one line that names the next step; a `vscode.CancellationError` when cancelled
   */
  async request<C extends keyof Commands>(
    command: C,
    params: Commands[C]["params"],
    token?: vscode.CancellationToken,
    progress?: Progress,
  ): Promise<Commands[C]["result"]> {
    for (let tries = 1; ; tries++) {
      const connection = await this.#ready(token);
      const ends = this.#ends;
      try {
        const answer = await connection.execute(command, params === undefined ? [] : [params], token, progress);
        return answer as Commands[C]["result"];
      } catch (e) {
        if (!isServerGone(e) || tries === maxTries) {
          throw e;
        }
        while (this.#ends === ends && !token?.isCancellationRequested) {
          await this.#nextChange(token); // the language client has not noted the end yet
        }
      }
    }
  }

  /** Returns the connection. Waits while the server starts or restarts. */
  async #ready(token: vscode.CancellationToken | undefined): Promise<Connection> {
    await this.#starting;
    for (;;) {
      if (token?.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
      const connection = this.#connection;
      if (connection?.running && this.#status.state !== "restarting") {
        return connection;
      }
      if (!connection || this.#status.state === "stopped") {
        throw new Error(this.#status.message || "Ambit's server is not running; run “Ambit: Restart Server”.");
      }
      await this.#nextChange(token);
    }
  }

  #nextChange(token: vscode.CancellationToken | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        for (const l of listeners) l?.dispose();
        resolve();
      };
      const listeners = [this.#changed.event(done), token?.onCancellationRequested(done)];
    });
  }

  async #start(): Promise<void> {
    this.#set({ ...stopped, state: "starting" });
    const command = await findServer(this.#extension, config.serverPath());
    this.#log.info(`starting ${command} lsp`);
    const { Connection } = await import("./connection");
    this.#connection = new Connection(command, this.#log, {
      running: () => this.#running(),
      status: (s) => {
        this.#folders.set(s.folder, { ...s, message: problemOf(s.message).text });
        this.#set(this.#combined());
      },
      closed: () => this.#closed(),
    });
    this.#ran = false;
    try {
      await this.#connection.start();
    } catch (e) {
      await this.#connection.dispose().catch(() => undefined);
      const reason = messageOf(e);
      throw new Error(`Ambit's server did not start: ${reason}. Look at its output, or name another in the setting ambit.server.path.`, { cause: e });
    }
  }

  /** Notes that the server answers. The status of its folders may come before or after. */
  #running(): void {
    this.#ran = true;
    this.#set(this.#combined());
  }

  /** Returns the status of all folders together. Without a folder there is nothing to index. */
  #combined(): Status {
    const open = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
    const s: Status = this.#folders.size > 0 ? combine(this.#folders.values()) : { ...stopped, state: open ? "starting" : "ready" };
    return !open && s.state === "ready" ? { ...s, message: "No folder is open." } : s;
  }

  /** Decides whether to restart a server that ended by itself. */
  async #closed(): Promise<Closed> {
    this.#ends++;
    if (!this.#ran) {
      return { restart: false, message: "The server ended while it was started." }; // #start shows the error
    }
    const verdict = this.#backoff.crashed(performance.now());
    this.#folders.clear();
    if (!verdict.restart) {
      const message = "Ambit's server stopped again and again. Ambit does not start it any more.";
      this.#failed(`${message} Look at its output, then restart it.`);
      return { restart: false, message };
    }
    this.#set({ ...stopped, state: "restarting" });
    if (verdict.first) {
      void this.#notify(vscode.window.showWarningMessage, "Ambit's server stopped unexpectedly. Ambit restarts it.", []);
    }
    await sleep(verdict.delay);
    return { restart: true, message: `The server stopped; restarted it after ${verdict.delay} ms.` };
  }

  /** Shows the user why there is no server. */
  #failed(message: string): void {
    this.#connection = undefined;
    this.#log.error(message);
    this.#set({ ...stopped, message });
    void this.#notify(vscode.window.showErrorMessage, message, ["Restart Server", "Open Settings"]);
  }

  async #notify(show: (message: string, ...actions: string[]) => Thenable<string | undefined>, message: string, actions: string[]): Promise<void> {
    switch (await show(message, ...actions, "Show Output")) {
      case "Restart Server":
        return this.restart();
      case "Open Settings":
        return vscode.commands.executeCommand("workbench.action.openSettings", config.serverPathName);
      case "Show Output":
        return this.#log.show();
    }
  }

  #set(s: Status): void {
    this.#status = s;
    this.#changed.fire(s);
  }
}
