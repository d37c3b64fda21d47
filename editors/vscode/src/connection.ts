import * as vscode from "vscode";
import {
  CloseAction,
  ConnectionError,
  type DynamicFeature,
  ErrorAction,
  ErrorCodes,
  ExecuteCommandRequest,
  HoverRequest,
  LanguageClient,
  LSPErrorCodes,
  ResponseError,
  State,
  type StaticFeature,
  WorkDoneProgress,
} from "vscode-languageclient/node";
import { config } from "./config";
import { ServerGone } from "./core/errors";
import { clientCommands, type FolderState, statusNotification } from "./core/protocol";
import { hoverSelector, provideHover } from "./hover";

/** Receives the progress of a request. */
export type Progress = vscode.Progress<{ message?: string; increment?: number }>;

/** Whether to restart a server that ended by itself. */
export interface Closed {
  restart: boolean;
  message: string;
}

export interface ConnectionEvents {
  running(): void;
  status(s: FolderState): void;
  /** Called when the server ended by itself. Resolves when the server is to be restarted, or not. */
  closed(): Promise<Closed>;
}

/**
 * A running server. Only this module uses the language client, and the extension loads it
 * with the first connection: loading it takes longer than the rest of the activation.
 */
export class Connection {
  readonly #client: LanguageClient;
  #tokens = 0;

  constructor(command: string, log: vscode.LogOutputChannel, events: ConnectionEvents) {
    const run = { command, args: ["lsp"] };
    this.#client = new QuietClient("ambit", "Ambit", { run, debug: run }, {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      initializationOptions: { statusNotifications: true, clientCommands },
      outputChannel: log,
      traceOutputChannel: tracing(log),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (e) => ({ action: ErrorAction.Continue, handled: true, message: e.message }),
        closed: async () => {
          const { restart, message } = await events.closed();
          return { action: restart ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true, message };
        },
      },
      middleware: {
        provideHover,
        workspace: {
          // A server that is being stopped, maybe because of this change, does not need it.
          didChangeConfiguration: async (sections, next) => {
            await next(sections).catch((e: unknown) => {
              if (this.running) {
                throw e;
              }
            });
          },
          configuration: (params) => params.items.map((i) => config.forServer(i.scopeUri ? vscode.Uri.parse(i.scopeUri) : undefined)),
        },
      },
    });
    this.#client.onNotification(statusNotification, (s: FolderState) => events.status(s));
    this.#client.onDidChangeState((e) => {
      if (e.newState === State.Running) {
        events.running();
      }
    });
  }

  get running(): boolean {
    return this.#client.state === State.Running;
  }

  async start(): Promise<void> {
    try {
      await this.#client.start();
    } catch (e) {
      throw gone(e) ? new Error("it ended at once", { cause: e }) : e;
    }
  }

  dispose(): Promise<void> {
    return this.#client.dispose();
  }

  /** Has the server carry out a command; throws a `ServerGone` when it ends, a `vscode.CancellationError` when cancelled. */
  async execute(command: string, args: unknown[], token: vscode.CancellationToken | undefined, progress: Progress | undefined): Promise<unknown> {
    const workDoneToken = progress && `ambit.request.${++this.#tokens}`;
    const listener = progress && workDoneToken ? this.#client.onProgress(WorkDoneProgress.type, workDoneToken, reporter(progress)) : undefined;
    try {
      return await this.#client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args, ...(workDoneToken ? { workDoneToken } : {}) }, token);
    } catch (e) {
      throw token?.isCancellationRequested || cancelled(e) ? new vscode.CancellationError() : gone(e) ? new ServerGone() : e;
    } finally {
      listener?.dispose();
    }
  }
}

/**
 * A language client that logs its errors; client.ts shows the user those that matter. Its hover
 * comes after that of the language.
 */
class QuietClient extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ("registrationType" in feature && feature.registrationType.method === HoverRequest.method) {
      const initialize = feature.initialize.bind(feature);
      feature.initialize = (capabilities) => initialize(capabilities, hoverSelector);
    }
    super.registerFeature(feature);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/**
 * Returns the channel for the trace of the language client. The language client writes its
 * trace when the level of the channel is Trace; the setting ambit.trace.server sets it.
 */
function tracing(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const level = (): vscode.LogLevel => (config.trace() === "off" ? vscode.LogLevel.Info : vscode.LogLevel.Trace);
  const onDidChangeLogLevel: vscode.Event<vscode.LogLevel> = (listener, self, owned) =>
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration(config.traceName)) listener.call(self, level());
    }, undefined, owned);
  return Object.create(log, {
    logLevel: { get: level },
    onDidChangeLogLevel: { value: onDidChangeLogLevel },
    trace: { value: (message: string) => log.info(message) },
  }) as vscode.LogOutputChannel;
}

/** Returns a function that passes the progress of the server on. */
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

/** Reports whether an error means that the server has ended: one of the connection, or of the pipe to the server. */
const gone = (e: unknown): boolean =>
  e instanceof ConnectionError ||
  (e instanceof ResponseError && lost.includes(e.code)) ||
  (e instanceof Error && "code" in e && (e.code === "EPIPE" || e.code === "ERR_STREAM_DESTROYED"));

const lost: number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive, ErrorCodes.MessageWriteError, ErrorCodes.MessageReadError];
