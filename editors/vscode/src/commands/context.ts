import * as vscode from "vscode";
import type { Question } from "../core/messages";
import { type Format, formats, textOf } from "../core/protocol";
import type { Ctx } from "../ctx";
import { questionAt } from "../panel";

type Place = Extract<Question, { type: "place" }>;

/** Returns the place that a code action names, else the cursor's. */
function placeOf(ctx: Ctx, argument: unknown): Place {
  const a = argument as { textDocument?: { uri?: unknown }; position?: Place["position"] } | undefined;
  if (typeof a?.textDocument?.uri === "string" && a.position) {
    return { type: "place", uri: a.textDocument.uri, position: a.position };
  }
  if (!ctx.editor) {
    throw new Error("open a file and put the cursor on a symbol");
  }
  return questionAt(ctx.editor);
}

/** Shows what belongs with the symbol under the cursor. */
export const showRelated = (ctx: Ctx) => (argument: unknown) => ctx.panel.show(placeOf(ctx, argument));

/** Shows it with all reasons, or the reasons of what is shown. */
export const explainContext = (ctx: Ctx) => () => ctx.panel.show(ctx.panel.question ?? placeOf(ctx, undefined), { explain: true });

export const focusPanel = (ctx: Ctx) => async () => {
  if (ctx.panel.question) {
    ctx.panel.focus();
  } else {
    await ctx.panel.show(placeOf(ctx, undefined));
    ctx.panel.focus();
  }
};

/**
 * Copies what belongs with the symbol under the cursor, in a format that is picked and
 * remembered. A code action asks nothing: it takes the format of the last time.
 */
export const copyContext = (ctx: Ctx) => async (argument: unknown) => {
  const { uri, position } = placeOf(ctx, argument);
  const format = argument === undefined ? await pickFormat(ctx) : ctx.format;
  if (!format) {
    return;
  }
  await ctx.setFormat(format);
  const answer = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Ambit: assembling the context" }, () =>
    ctx.client.request("ambit.context", { textDocument: { uri }, position, format }),
  );
  await vscode.env.clipboard.writeText(textOf(answer, format));
  const of = answer.symbol ? ` of ${answer.symbol.identifier}` : "";
  vscode.window.setStatusBarMessage(`$(check) Copied the context${of}: ${answer.tokens.toLocaleString("en-US")} tokens`, 5000);
};

/** Asks for a format; the one taken last comes first, so Enter takes it again. */
async function pickFormat(ctx: Ctx): Promise<Format | undefined> {
  const last = ctx.format;
  const items = formats
    .map((f) => ({ label: f.label, description: f.id === last ? `${f.detail} (last used)` : f.detail, id: f.id }))
    .sort((a, b) => Number(b.id === last) - Number(a.id === last));
  const picked = await vscode.window.showQuickPick(items, { title: "Copy Context", placeHolder: "Pick a format", matchOnDescription: true });
  return picked?.id;
}

/** Shows what answers a question in words. */
export const askContext = (ctx: Ctx) => async (argument: unknown) => {
  const query =
    typeof argument === "string"
      ? argument
      : await vscode.window.showInputBox({
          title: "Ask for Context",
          prompt: "What do you need to see? Ask in words, or name a symbol.",
          placeHolder: "How are sessions renewed?",
        });
  if (query?.trim()) {
    await ctx.panel.show({ type: "words", query: query.trim() });
  }
};
