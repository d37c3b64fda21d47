import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";

test("the sample in the README compiles under the strictest settings", () => {
  const [, sample = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8")) ?? [];
  assert.ok(sample.includes("getContext("));
  const name = join(process.cwd(), "tests/unit/sample.ts"); // in memory only
  const text = `import * as vscode from "vscode";\nimport type { AmbitApi } from "../../api/ambit";\nexport async function sample(editor: vscode.TextEditor): Promise<void> {\n${sample}}\n`;
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)) as { config: { compilerOptions: object } };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd());
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => (path === name ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) : read(path, ...rest));
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], { ...options, noEmit: true }, host));
  assert.deepEqual(found.map((d) => `${d.file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`), []);
});
