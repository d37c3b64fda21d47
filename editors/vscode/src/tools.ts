import * as vscode from "vscode";
import type { Client } from "./client";
import type { ContextParams } from "./core/protocol";

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
  limit?: number;
}

/** Registers the tools for language models. Their descriptions are in package.json. */
export function registerTools(client: Client): vscode.Disposable[] {
  return [
    vscode.lm.registerTool<ContextInput>("ambit_context", {
      prepareInvocation: ({ input }) => ({ invocationMessage: `Assembling the context of ${input.symbol ?? input.query ?? input.filePath ?? "the workspace"}` }),
      invoke: async ({ input, tokenizationOptions }, token) => {
        const budget = input.budget ?? tokenizationOptions?.tokenBudget;
        const params: ContextParams = { ...questionOf(input), format: "plain", ...(budget ? { budget: Math.max(200, Math.floor(budget)) } : {}) };
        return resultOf((await client.request("ambit.context", params, token)).text);
      },
    }),
    vscode.lm.registerTool<SearchInput>("ambit_search", {
      prepareInvocation: ({ input }) => ({ invocationMessage: `Searching for ${input.query}` }),
      invoke: async ({ input }, token) => {
        const { query, path, language, limit } = input;
        const { results } = await client.request(
          "ambit.search",
          { query, agent: true, limit: limit ?? 10, ...(path ? { path } : {}), ...(language ? { language } : {}) },
          token,
        );
        const places = results.map((r) => ({ path: r.path, start_line: r.start_line, end_line: r.end_line, identifier: r.identifier, kind: r.kind, score: r.score }));
        return resultOf(JSON.stringify({ results: places }));
      },
    }),
  ];
}

const resultOf = (text: string): vscode.LanguageModelToolResult => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);

/** Returns the question that the input of a tool asks: a symbol, a line of a file, or words. */
function questionOf({ filePath, line, symbol, query }: ContextInput): ContextParams {
  if (!filePath && !symbol) {
    if (!query) {
      throw new Error("Give symbol, or filePath with line, or query.");
    }
    return { query, agent: true };
  }
  return { ...(symbol ? { symbol } : {}), ...(filePath ? { path: filePath } : {}), ...(line && filePath ? { line } : {}), agent: true };
}
