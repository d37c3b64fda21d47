import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  LSPErrorCodes,
  ResponseError,
  State,
  WorkDoneProgress,
} from "vscode-languageclient/node";
import { config } from "./config";
import { Backoff } from "./core/backoff";
import { clientCommands, type Commands, type FolderState, type Status, statusNotification } from "./core/protocol";
import { combine, stopped } from "./core/status";
import { findServer } from "./server";

/** Takes what a request says of its progress. */
export type Progress = vscode.Progress<{ message?: string; increment?: number }>;

/** Runs the server and talks to it. It is started again when it crashes. */
export class Client implements vscode.Disposable {
  readonly #extension: vscode.Uri;
  readonly #log: vscode.LogOutputChannel;
  readonly #changed = new vscode.EventEmitter<Status>();
  readonly #backoff = new Backoff();
  readonly #folders = new Map<string, FolderState>();
  #client: LanguageClient | undefined;
  #starting: Promise<void> | undefined;
  #status: Status = stopped;
  #tokens = 0;

  /** Fires when the state of the index or of the server changes. */
  readonly onDidChangeStatus = this.#changed.event;

  constructor(extension: vscode.Uri, log: vscode.LogOutputChannel) {
    this.#extension = extension;
    this.#log = log;
  }

  get status(): Status {
    return this.#status;
  }

  /** The process id of the server, undefined when there is none. */
  get pid(): number | undefined {
    return this.#client?.serverProcess?.pid;
  }

  /** Starts the server, unless it runs. What goes wrong is told the user, not the caller. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((e: unknown) => {
      this.#starting = undefined;
      this.#failed(e instanceof Error ? e.message : String(e));
    });
    return this.#starting;
  }

  /** Stops the server and waits for it. */
  async stop(): Promise<void> {
    await this.#starting;
    this.#starting = undefined;
    const client = this.#client;
    this.#client = undefined;
    await client?.dispose().catch((e: unknown) => this.#log.warn(`stop: ${String(e)}`));
    this.#folders.clear();
    this.#set(stopped);
  }

  async restart(): Promise<void> {
    this.#backoff.reset();
    await this.stop();
    await this.start();
  }

  dispose(): void {
    this.#changed.dispose();
    void this.stop();
  }

  /**
   * Has the server carry out a command, once it runs. An error is one line that names the
   * next step; cancelling throws a `vscode.CancellationError`.
   */
  async request<C extends keyof Commands>(
    command: C,
    params: Commands[C]["params"],
    token?: vscode.CancellationToken,
    progress?: Progress,
  ): Promise<Commands[C]["result"]> {
    const client = await this.#running(token);
    const args = params === undefined ? [] : [params];
    const workDoneToken = progress && `ambit.request.${++this.#tokens}`;
    const listener = workDoneToken && client.onProgress(WorkDoneProgress.type, workDoneToken, reporter(progress));
    try {
      const answer: unknown = await client.sendRequest(
        ExecuteCommandRequest.type,
        { command, arguments: args, ...(workDoneToken ? { workDoneToken } : {}) },
        token,
      );
      return answer as Commands[C]["result"];
    } catch (e) {
      throw cancelled(e) || token?.isCancellationRequested ? new vscode.CancellationError() : e;
    } finally {
      if (listener) {
        listener.dispose();
      }
    }
  }

  /** Returns the client when the server runs; waits while it is started. */
  async #running(token: vscode.CancellationToken | undefined): Promise<LanguageClient> {
    await this.start();
    for (;;) {
      if (token?.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
      const client = this.#client;
      if (client?.state === State.Running && this.#status.state !== "restarting") {
        return client;
      }
      if (!client || this.#status.state === "stopped") {
        throw new Error(this.#status.message || "Ambit's server is not running; run “Ambit: Restart Server”.");
      }
      await this.#nextChange(token);
    }
  }

  #nextChange(token: vscode.CancellationToken | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        listeners.forEach((l) => l?.dispose());
        resolve();
      };
      const listeners = [this.#changed.event(done), token?.onCancellationRequested(done)];
    });
  }

  async #start(): Promise<void> {
    this.#set({ ...stopped, state: "starting" });
    const command = await findServer(this.#extension, config.serverPath());
    this.#log.info(`starting ${command} lsp`);
    const run = { command, args: ["lsp"] };
    const client = new LanguageClient("ambit", "Ambit", { run, debug: run }, this.#options());
    client.onNotification(statusNotification, (s: FolderState) => {
      this.#folders.set(s.folder, s);
      this.#set(combine(this.#folders.values()));
    });
    client.onDidChangeState((e) => {
      if (e.newState === State.Running) {
        this.#set(this.#folders.size > 0 ? combine(this.#folders.values()) : { ...stopped, state: vscode.workspace.workspaceFolders ? "starting" : "ready" });
      }
    });
    this.#client = client;
    try {
      await client.start();
    } catch (e) {
      this.#client = undefined;
      const reason = e instanceof Error ? e.message : String(e);
      throw new Error(`Ambit's server did not start: ${reason}. Look at its output, or name another in the setting ambit.server.path.`);
    }
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      initializationOptions: { statusNotifications: true, clientCommands },
      outputChannel: this.#log,
      diagnosticCollectionName: "ambit",
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (e) => ({ action: ErrorAction.Continue, handled: true, message: e.message }),
        closed: () => this.#closed(),
      },
      middleware: {
        workspace: {
          configuration: (params) => params.items.map((i) => config.forServer(i.scopeUri ? vscode.Uri.parse(i.scopeUri) : undefined)),
        },
      },
    };
  }

  /** Decides what becomes of a server that is gone without having been asked. */
  async #closed(): Promise<{ action: CloseAction; handled: boolean; message: string }> {
    const verdict = this.#backoff.crashed(performance.now());
    this.#folders.clear();
    if (!verdict.restart) {
      const message = "Ambit's server stopped again and again, and is not started any more.";
      this.#failed(`${message} Look at its output, then restart it.`);
      return { action: CloseAction.DoNotRestart, handled: true, message };
    }
    this.#set({ ...stopped, state: "restarting" });
    if (verdict.first) {
      void this.#tell(vscode.window.showWarningMessage, "Ambit's server stopped unexpectedly and is started again.", []);
    }
    await sleep(verdict.delay);
    return { action: CloseAction.Restart, handled: true, message: `The server stopped; started again after ${verdict.delay} ms.` };
  }

  /** Tells the user that there is no server, and why. */
  #failed(message: string): void {
    this.#client = undefined;
    this.#log.error(message);
    this.#set({ ...stopped, message });
    void this.#tell(vscode.window.showErrorMessage, message, ["Restart Server", "Open Settings"]);
  }

  async #tell(show: (message: string, ...actions: string[]) => Thenable<string | undefined>, message: string, actions: string[]): Promise<void> {
    switch (await show(message, ...actions, "Show Output")) {
      case "Restart Server":
        return this.restart();
      case "Open Settings":
        return vscode.commands.executeCommand("workbench.action.openSettings", "ambit.server.path");
      case "Show Output":
        return this.#log.show();
    }
  }

  #set(s: Status): void {
    this.#status = s;
    this.#changed.fire(s);
  }
}

/** Returns what hands the server's progress on. */
function reporter(progress: Progress): (value: { kind: string; message?: string; percentage?: number }) => void {
  let percent = 0;
  return (value) => {
    const increment = value.percentage === undefined ? 0 : Math.max(0, value.percentage - percent);
    percent += increment;
    progress.report({ ...(value.message ? { message: value.message } : {}), increment });
  };
}

const cancelled = (e: unknown): boolean =>
  e instanceof vscode.CancellationError || (e instanceof ResponseError && (e.code === LSPErrorCodes.RequestCancelled || e.code === LSPErrorCodes.ServerCancelled));
