import * as vscode from "vscode";
import type { Client } from "./client";
import { locate } from "./core/locate";
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
        const params: ContextParams = { ...(await questionOf(input)), format: "plain", ...(budget ? { budget: Math.max(200, Math.floor(budget)) } : {}) };
        return resultOf((await client.request("ambit.context", params, token)).text);
      },
    }),
    vscode.lm.registerTool<SearchInput>("ambit_search", {
      prepareInvocation: ({ input }) => ({ invocationMessage: `Searching for ${input.query}` }),
      invoke: async ({ input }, token) => {
        const { query, path, language, limit } = input;
        const { results } = await client.request(
          "ambit.search",
          { query, limit: limit ?? 10, ...(path ? { path } : {}), ...(language ? { language } : {}) },
          token,
        );
        const places = results.map((r) => ({ path: r.path, start_line: r.start_line, end_line: r.end_line, identifier: r.identifier, kind: r.kind, score: r.score }));
        return resultOf(JSON.stringify({ results: places }));
      },
    }),
  ];
}

const resultOf = (text: string): vscode.LanguageModelToolResult => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);

/** Returns the question that the input of a tool asks: words, or a symbol in a file. */
async function questionOf(input: ContextInput): Promise<ContextParams> {
  if (!input.filePath) {
    const query = input.query ?? input.symbol;
    if (!query) {
      throw new Error("Give filePath with line or symbol, or give query.");
    }
    return { query };
  }
  const uri = await fileOf(input.filePath);
  const document = await vscode.workspace.openTextDocument(uri);
  const position = locate(document.getText(), input.line ?? (input.symbol ? undefined : 1), input.symbol);
  if (!position) {
    throw new Error(`${input.filePath} does not have ${input.symbol ?? `a line ${input.line}`}. Give a line from 1 to ${document.lineCount}, a symbol that is in the file, or a query in place of filePath.`);
  }
  return { textDocument: { uri: uri.toString() }, position };
}

/** Finds a file by an absolute path, or by a path relative to a workspace folder. */
async function fileOf(path: string): Promise<vscode.Uri> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const candidates = [vscode.Uri.file(path), ...folders.map((f) => vscode.Uri.joinPath(f.uri, path)), ...folders.filter((f) => path.startsWith(`${f.name}/`)).map((f) => vscode.Uri.joinPath(f.uri, path.slice(f.name.length + 1)))];
  for (const uri of candidates) {
    const is = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (is && folders.some((f) => uri.path.startsWith(`${f.uri.path}/`))) {
      return uri;
    }
  }
  throw new Error(`${path} is no file of the workspace. Give a path relative to a workspace folder, or a query in place of filePath.`);
}
