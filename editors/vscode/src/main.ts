import * as vscode from "vscode";
import type { AmbitApi } from "../api/ambit";
import { makeApi } from "./api";
import type { Client } from "./client";
import { registerCommands } from "./commands";
import { config } from "./config";
import { Ctx } from "./ctx";
import { provideMcpServer } from "./mcp";
import { ContextPanel } from "./panel/panel";
import { StatusBar } from "./statusBar";
import { registerTools } from "./tools";

let client: Client | undefined;

/** Puts the parts of the extension together. Returns before the server has started. */
export function activate(extension: vscode.ExtensionContext): AmbitApi {
  const ctx = new Ctx(extension);
  client = ctx.client;
  const panel = ctx.own(new ContextPanel(ctx));
  ctx.own(new StatusBar(ctx.client));
  registerCommands(ctx, panel);
  ctx.own(vscode.Disposable.from(...registerTools(ctx.client, panel), ...provideMcpServer(ctx)));
  ctx.own(
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration(`${config.section}.server`)) {
        void ctx.client.restart();
      }
    }),
  );
  ctx.own(vscode.workspace.onDidGrantWorkspaceTrust(() => void ctx.client.start())); // an ambit in the workspace may be started now
  void ctx.client.start();
  return makeApi(ctx.client, panel);
}

/** Stops the server and waits until it has ended. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}
