import * as vscode from "vscode";
import type { Ctx } from "../ctx";
import type { ContextPanel } from "../panel/panel";
import { showChunks } from "./chunks";
import { addToChat, askContext, copyContext, explainContext, focusPanel, showRelated } from "./context";
import { pauseIndexing, rebuild, restartServer, resumeIndexing, showOutput } from "./indexing";
import { searchByMeaning, searchDependencies } from "./search";
import { showStatus } from "./status";

/** Makes the function that carries out a command. The user sees the errors that it throws. */
export type Command = (ctx: Ctx, panel: ContextPanel) => (...args: unknown[]) => Promise<void>;

/** The commands by name. Their titles are in package.json. */
const commands: Readonly<Record<string, Command>> = {
  "ambit.showRelated": showRelated,
  "ambit.copyContext": copyContext,
  "ambit.addToChat": addToChat,
  "ambit.askContext": askContext,
  "ambit.explainContext": explainContext,
  "ambit.focusPanel": focusPanel,
  "ambit.searchByMeaning": searchByMeaning,
  "ambit.searchDependencies": searchDependencies,
  "ambit.showChunks": showChunks,
  "ambit.showStatus": showStatus,
  "ambit.rebuild": rebuild,
  "ambit.pauseIndexing": pauseIndexing,
  "ambit.resumeIndexing": resumeIndexing,
  "ambit.restartServer": restartServer,
  "ambit.showOutput": showOutput,
};

/** Registers all commands. */
export function registerCommands(ctx: Ctx, panel: ContextPanel): void {
  for (const [name, make] of Object.entries(commands)) {
    const run = make(ctx, panel);
    ctx.own(
      vscode.commands.registerCommand(name, async (...args: unknown[]) => {
        try {
          await run(...args);
        } catch (e) {
          ctx.report(e);
        }
      }),
    );
  }
}
