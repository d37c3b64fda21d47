import * as vscode from "vscode";
import { counted } from "../core/status";
import type { Ctx } from "../ctx";

/** Reads all files again. Shows the progress, and can be cancelled. */
export const rebuild = (ctx: Ctx) => async () => {
  const { files } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: "Ambit: rebuilding the index", cancellable: true },
    (progress, token) => ctx.client.request("ambit.reindex", {}, token, progress),
  );
  const message = `read ${counted(files, "file")} again`;
  ctx.log.info(message);
  vscode.window.setStatusBarMessage(`$(check) Ambit ${message}`, 5000);
};

export const pauseIndexing = (ctx: Ctx) => async () => {
  await ctx.client.request("ambit.pause", {});
};

export const resumeIndexing = (ctx: Ctx) => async () => {
  await ctx.client.request("ambit.resume", {});
};

export const restartServer = (ctx: Ctx) => () => ctx.client.restart();

export const showOutput = (ctx: Ctx) => async () => ctx.log.show();
