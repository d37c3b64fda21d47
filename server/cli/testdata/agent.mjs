// agent.mjs: an agent by the TypeScript SDK of the Model Context Protocol. It calls tools of
// `ambit mcp` in the working directory and prints one line of JSON: the name of the server,
// the names of its tools, and of each call its text and whether it failed.
//
// node agent.mjs SDK REVISION CALLS
//   SDK       a folder whose node_modules has the SDK
//   REVISION  "initialize" for version 1 of the SDK, which begins with that method,
//             or the revision of the protocol that version 2 is pinned to
//   CALLS     JSON: [[tool, arguments], …]
import { createRequire } from "node:module";
import { join } from "node:path";

const [sdk, revision, calls] = process.argv.slice(2);
const load = createRequire(join(sdk, "package.json"));
const first = revision === "initialize";
const name = first ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
const { Client } = load(first ? `${name}/index.js` : name);
const { StdioClientTransport } = load(first ? `${name}/stdio.js` : `${name}/stdio`);

const client = new Client({ name: "test", version: "1" }, first ? {} : { versionNegotiation: { mode: { pin: revision } } });
await client.connect(new StdioClientTransport({ command: "ambit", args: ["mcp"], env: process.env, stderr: "inherit" }));
const { tools } = await client.listTools();
const answers = [];
for (const [tool, args] of JSON.parse(calls)) {
	const answer = await client.callTool({ name: tool, arguments: args });
	answers.push({ text: answer.content.map((c) => c.text).join(""), failed: answer.isError === true });
}
console.log(JSON.stringify({ server: client.getServerVersion()?.name, tools: tools.map((t) => t.name), answers }));
await client.close();
