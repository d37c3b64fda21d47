import * as vscode from "vscode";
import { counted } from "../core/status";
import type { Ctx } from "../ctx";

/** Reads all files anew, with a progress that can be cancelled. */
export const rebuild = (ctx: Ctx) => async () => {
  const { files } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Ambit: rebuilding the index", cancellable: true },
    (progress, token) => ctx.client.request("ambit.reindex", {}, token, progress),
  );
  const said = `read ${counted(files, "file")} anew`;
  ctx.log.info(said);
  vscode.window.setStatusBarMessage(`$(check) Ambit ${said}`, 5000);
};

export const pauseIndexing = (ctx: Ctx) => async () => {
  await ctx.client.request("ambit.pause", {});
};

export const resumeIndexing = (ctx: Ctx) => async () => {
  await ctx.client.request("ambit.resume", {});
};

export const restartServer = (ctx: Ctx) => () => ctx.client.restart();

export const showOutput = (ctx: Ctx) => async () => ctx.log.show();
