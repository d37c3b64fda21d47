import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";

/** Returns the options of tsconfig.json, which are the strictest of TypeScript. */
function strictest(): ts.CompilerOptions {
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)) as { config: { compilerOptions: object } };
  return { ...ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd()).options, noEmit: true };
}

const sampleOf = (file: string): string => /```ts\n([\s\S]*?)```/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
const problems = (program: ts.Program): string[] => ts.getPreEmitDiagnostics(program).map((d) => `${d.file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`);

test("the sample in the README compiles under the strictest settings", () => {
  const sample = sampleOf("README.md");
  assert.ok(sample.includes("getContext("));
  const name = join(process.cwd(), "tests/unit/sample.ts"); // in memory only
  const text = `import * as vscode from "vscode";\nimport type { AmbitApi } from "../../api/ambit";\nexport async function sample(editor: vscode.TextEditor): Promise<void> {\n${sample}}\n`;
  const host = ts.createCompilerHost(strictest());
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...rest) => (path === name ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) : read(path, ...rest));
  assert.deepEqual(problems(ts.createProgram([name], strictest(), host)), []);
});

test("the sample of the npm package compiles in an extension that has installed it", () => {
  const dir = mkdtempSync(join(tmpdir(), "ambit-types-"));
  try {
    mkdirSync(join(dir, "node_modules/@ambit"), { recursive: true });
    cpSync("api", join(dir, "node_modules/@ambit/vscode-api"), { recursive: true });
    symlinkSync(join(process.cwd(), "node_modules/@types"), join(dir, "node_modules/@types"));
    writeFileSync(join(dir, "package.json"), "{}");
    const main = join(dir, "main.ts");
    writeFileSync(main, sampleOf("api/README.md"));
    for (const [module, moduleResolution] of [[ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16], [ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler]] as const) {
      const options = { ...strictest(), verbatimModuleSyntax: false, module, moduleResolution, typeRoots: [join(dir, "node_modules/@types")] };
      assert.deepEqual(problems(ts.createProgram([main], options)), [], ts.ModuleKind[module]);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
