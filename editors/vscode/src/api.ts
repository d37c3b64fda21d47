import type { AmbitApi } from "../api/ambit";
import type { Client } from "./client";

/** Returns the interface that this extension gives to other extensions. */
export function makeApi(client: Client): AmbitApi {
  return {
    version: 1,
    getContext: (uri, { line, character }, options, token) =>
      client.request("ambit.context", { ...options, textDocument: { uri: uri.toString() }, position: { line, character } }, token),
    askContext: (query, options, token) => client.request("ambit.context", { ...options, query }, token),
    search: async (query, options, token) => (await client.request("ambit.search", { ...options, query }, token)).results,
    get status() {
      return client.status;
    },
    onDidChangeStatus: client.onDidChangeStatus,
  };
}
