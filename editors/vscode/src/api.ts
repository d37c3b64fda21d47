import type { AmbitApi } from "../api/ambit";
import type { Ctx } from "./ctx";

/** Returns what other extensions get from activating this one. */
export function makeApi(ctx: Ctx): AmbitApi {
  const { client } = ctx;
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
