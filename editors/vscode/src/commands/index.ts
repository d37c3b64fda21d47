import type { Ctx } from "../ctx";
import { showChunks } from "./chunks";
import { askContext, copyContext, explainContext, focusPanel, showRelated } from "./context";
import { pauseIndexing, rebuild, restartServer, resumeIndexing, showOutput } from "./indexing";
import { searchByMeaning } from "./search";
import { showStatus } from "./status";

/** Makes a command. What it throws is shown to the user. */
export type Command = (ctx: Ctx) => (...args: unknown[]) => Promise<void>;

/** The commands by name. The palette's titles are in package.json. */
export const commands: Readonly<Record<string, Command>> = {
  "ambit.showRelated": showRelated,
  "ambit.copyContext": copyContext,
  "ambit.askContext": askContext,
  "ambit.explainContext": explainContext,
  "ambit.focusPanel": focusPanel,
  "ambit.searchByMeaning": searchByMeaning,
  "ambit.showChunks": showChunks,
  "ambit.showStatus": showStatus,
  "ambit.rebuild": rebuild,
  "ambit.pauseIndexing": pauseIndexing,
  "ambit.resumeIndexing": resumeIndexing,
  "ambit.restartServer": restartServer,
  "ambit.showOutput": showOutput,
};
