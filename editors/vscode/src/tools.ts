import * as vscode from "vscode";
import type { Client } from "./client";
import type { ContextAnswer, ContextParams, Freshness, Match } from "./core/protocol";
import { counted } from "./core/status";
import type { ContextPanel } from "./panel/panel";

interface ContextInput {
  filePath?: string;
  line?: number;
  symbol?: string;
  query?: string;
  budget?: number;
}

interface SearchInput {
  query: string;
  path?: string;
  language?: string;
  kind?: string;
  limit?: number;
  deps?: boolean;
}

const noDeclaration = "No declaration of a direct dependency has these words, or its sources are not on this machine.";

/** The lines that a search shows of a match. */
const snippetLines = 6;

/** Registers the tools for language models. Their descriptions are in package.json. */
export function registerTools(client: Client, panel: ContextPanel): vscode.Disposable[] {
  return [
    vscode.lm.registerTool<ContextInput>("ambit_context", {
      prepareInvocation: ({ input }) => ({ invocationMessage: `Assembling the context of ${input.symbol ?? input.query ?? input.filePath ?? "the panel"}` }),
      invoke: async ({ input, tokenizationOptions }, token) => {
        const budget = input.budget ?? tokenizationOptions?.tokenBudget;
        const question = questionOf(input) ?? panel.params;
        if (!question) {
          throw new Error("Give symbol, or filePath with line, or query.");
        }
        const place = { ...question };
        delete place.template; // the panel's, which replaces the format
        const params: ContextParams = { ...place, agent: true, format: "plain", ...(budget ? { budget: Math.max(200, Math.floor(budget)) } : {}) };
        const answer = await panel.assemble(params, token);
        return resultOf(`${folderOf(answer)}${answer.text}\n${stateOf(answer.freshness)}`);
      },
    }),
    vscode.lm.registerTool<SearchInput>("ambit_search", {
      prepareInvocation: ({ input }) => ({ invocationMessage: `Searching for ${input.query}` }),
      invoke: async ({ input: { limit, ...question } }, token) => {
        const { results, freshness } = await client.request("ambit.search", { ...question, agent: true, limit: limit ?? 10, snippet: snippetLines }, token);
        const note = results.length > 0 ? {} : { note: question.deps ? noDeclaration : "Nothing matches. Use other words, or search without path, language and kind." };
        return resultOf(JSON.stringify({ results: results.map((m) => ({ ...placeOf(m), ...(question.deps ? { path: m.path } : {}) })), ...note, index: stateOf(freshness) }));
      },
    }),
  ];
}

/** Returns what a model sees of a match: its path with the folder's name in a window of several folders. */
const placeOf = (m: Match): object => ({
  path: vscode.workspace.asRelativePath(vscode.Uri.parse(m.uri)),
  start_line: m.start_line,
  end_line: m.end_line,
  identifier: m.identifier,
  ...(m.unit_section ? { section: m.unit_section } : {}),
  kind: m.kind,
  score: Math.round(m.score * 100) / 100,
  ...(m.snippet ? { snippet: m.snippet } : {}),
});

/** Names the folder that the paths of an answer are relative to, in a window of several folders. */
function folderOf(a: ContextAnswer): string {
  const [source] = a.sources;
  const folder = source && vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(source.uri));
  return folder && (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? `[folder: ${folder.name}; paths are relative to it]\n` : "";
}

/** Says whether an answer has all changes. */
const stateOf = (f: Freshness): string =>
  f.pending === 0 && f.state === "ready" ? "[index: up to date]" : `[index: ${f.state}, ${counted(f.pending, "changed file")} not in this answer yet]`;

const resultOf = (text: string): vscode.LanguageModelToolResult => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);

/** Returns the question that the input of a tool asks: a symbol, a line of a file, or words; undefined for none. */
function questionOf({ filePath, line, symbol, query }: ContextInput): ContextParams | undefined {
  if (!filePath && !symbol) {
    return query ? { query } : undefined;
  }
  return { ...(symbol ? { symbol } : {}), ...(filePath ? { path: filePath } : {}), ...(line && filePath ? { line } : {}) };
}
