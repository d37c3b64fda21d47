import * as vscode from "vscode";
import type { AmbitApi, ContextOptions, PanelState, Question } from "../api/ambit";
import type { Client } from "./client";
import type { ContextParams, RelatedParams } from "./core/protocol";
import type { ContextPanel } from "./panel/panel";

/** Returns the interface that this extension gives to other extensions. */
export function makeApi(client: Client, panel: ContextPanel): AmbitApi {
  return {
    version: 1,
    getContext: (uri, position, options, token) => client.request("ambit.context", asked({ uri, position }, options), token),
    askContext: (query, options, token) => client.request("ambit.context", asked({ query }, options), token),
    search: async (query, options, token) => (await client.request("ambit.search", { ...options, query }, token)).results,
    related: async (uri, position, options, token) => (await client.request("ambit.related", { ...options, ...placeOf(uri, position) }, token)).results,
    explain: (question, source, options, token) => client.request("ambit.explain", { ...asked(question, options), source: isId(source) ? { id: source } : source }, token),
    chunks: async (uri, token) => (await client.request("ambit.chunks", { textDocument: { uri: uri.toString() } }, token)).chunks,
    showPanel: (q) => panel.show("query" in q ? { type: "words", query: q.query } : { type: "place", uri: q.uri.toString(), position: placeOf(q.uri, q.position).position }),
    get panel() {
      return stateOf(panel);
    },
    onDidChangePanel: (listener, thisArgs?: unknown, disposables?) => panel.onDidChange(() => void listener.call(thisArgs, stateOf(panel)), undefined, disposables),
    get status() {
      return client.status;
    },
    onDidChangeStatus: client.onDidChangeStatus,
  };
}

/** The argument of ambit.related, and a part of that of ambit.context. The server wants plain positions. */
const placeOf = (uri: vscode.Uri, { line, character }: vscode.Position): RelatedParams => ({ textDocument: { uri: uri.toString() }, position: { line, character } });

const asked = (q: Question, options: ContextOptions | undefined): ContextParams => ({ ...options, ...("query" in q ? { query: q.query } : placeOf(q.uri, q.position)) });

/** Ids of sources are UUIDs. */
const isId = (source: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(source);

function stateOf({ question: q, pinned, dropped }: ContextPanel): PanelState | undefined {
  if (!q) {
    return undefined;
  }
  const question: Question = q.type === "words" ? { query: q.query } : { uri: vscode.Uri.parse(q.uri), position: new vscode.Position(q.position.line, q.position.character) };
  return { question, pinned, dropped };
}
