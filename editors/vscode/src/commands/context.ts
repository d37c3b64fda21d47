import * as vscode from "vscode";
import type { Place } from "../core/messages";
import { NotYet, openFile } from "../core/problem";
import { type ContextAnswer, type ContextParams, type Format, formats, inFormat } from "../core/protocol";
import type { Ctx } from "../ctx";
import { done, placeAt } from "../editors";
import { but, type ContextPanel } from "../panel/panel";

/** Returns the place that a code action names, or else the place of the cursor. */
function placeOf(ctx: Ctx, argument: unknown): Place {
  const a = argument as { textDocument?: { uri?: unknown }; position?: Place["position"] } | undefined;
  if (typeof a?.textDocument?.uri === "string" && a.position) {
    return { type: "place", uri: a.textDocument.uri, position: a.position };
  }
  if (!ctx.editor) {
    throw new NotYet("Open a file and put the cursor on a symbol.", openFile);
  }
  return placeAt(ctx.editor);
}

/** Shows the context of the symbol under the cursor. */
export const showRelated = (ctx: Ctx, panel: ContextPanel) => (argument: unknown) => panel.show(placeOf(ctx, argument));

/** Shows the reasons of all sources: of the panel when it is the active editor, or else for the symbol under the cursor. */
export const explainContext = (ctx: Ctx, panel: ContextPanel) => () => panel.show((panel.active ? panel.question : undefined) ?? placeOf(ctx, undefined), { explain: true });

/** Gives the keyboard to the panel. Opens it first if it is closed. */
export const focusPanel = (ctx: Ctx, panel: ContextPanel) => async () => {
  if (!panel.question) {
    await panel.show(placeOf(ctx, undefined));
  }
  panel.focus();
};

/**
 * Copies the context of the symbol under the cursor, in a format that the user picks. The
 * code action does not ask for a format: it takes the one that the user picked last.
 */
export const copyContext = (ctx: Ctx, panel: ContextPanel) => async (argument: unknown) => {
  const { uri, position } = placeOf(ctx, argument);
  const format = argument === undefined ? await pickFormat(ctx) : ctx.format;
  if (!format) {
    return;
  }
  await ctx.setFormat(format);
  const answer = await assemble(panel, { textDocument: { uri }, position, ...inFormat(format) });
  await vscode.env.clipboard.writeText(answer.text);
  done("ambit.copied");
  const of = answer.symbol ? ` of ${answer.symbol.identifier}` : "";
  vscode.window.setStatusBarMessage(`$(check) Copied the context${of}: ${answer.tokens.toLocaleString("en-US")} tokens${but(answer)}`, 5000);
};

/** Adds the context of the symbol under the cursor to the chat. */
export const addToChat = (ctx: Ctx, panel: ContextPanel) => async () => {
  const { uri, position } = placeOf(ctx, undefined);
  await ctx.chat.add(await assemble(panel, { textDocument: { uri }, position, ...inFormat(ctx.format) }), ctx.format);
};

/** Assembles a context, and shows in the status bar that it does. */
const assemble = async (panel: ContextPanel, params: ContextParams): Promise<ContextAnswer> =>
  vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Ambit: assembling the context" }, () => panel.assemble(params));

/** Asks for a format. The one picked last comes first, so that Enter picks it again. */
async function pickFormat(ctx: Ctx): Promise<Format | undefined> {
  const last = ctx.format;
  const items = formats
    .map((f) => ({ label: f.label, description: f.id === last ? `${f.detail} (last used)` : f.detail, id: f.id }))
    .sort((a, b) => Number(b.id === last) - Number(a.id === last));
  const picked = await vscode.window.showQuickPick(items, { title: "Copy Context", placeHolder: "Pick a format", matchOnDescription: true });
  return picked?.id;
}

/** Shows the context of a question in words. */
export const askContext = (_: Ctx, panel: ContextPanel) => async (argument: unknown) => {
  const last = panel.question;
  const query =
    typeof argument === "string"
      ? argument
      : await vscode.window.showInputBox({
          title: "Ask for Context",
          prompt: "What do you need to see? Ask in words, or name a symbol.",
          placeHolder: "How are sessions renewed?",
          value: last?.type === "words" ? last.query : "",
        });
  if (query?.trim()) {
    await panel.show({ type: "words", query: query.trim() });
  }
};
