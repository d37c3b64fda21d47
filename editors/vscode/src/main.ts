import type * as vscode from "vscode";
import type { AmbitApi } from "../api/ambit";
import { Ctx } from "./ctx";

let ctx: Ctx | undefined;

/** Starts ambit. What takes time goes on after it returns. */
export function activate(context: vscode.ExtensionContext): AmbitApi {
  ctx = new Ctx(context);
  ctx.start();
  return ctx.api;
}

/** Stops the server, and waits for it. */
export async function deactivate(): Promise<void> {
  await ctx?.client.stop();
}
