import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { codeOf, type ContextAnswer, formats, outlineOf, type Source, textOf } from "../../src/core/protocol";

const samples = resolve("../../testdata/protocol");
const out = resolve("tests/.out/samples");

/** Compiles a source that uses the types of the protocol. Returns the errors of tsc. */
function errorsOf(name: string, source: string): string {
  mkdirSync(out, { recursive: true });
  const file = join(out, `${name}.ts`);
  writeFileSync(file, source);
  writeFileSync(join(out, "tsconfig.json"), JSON.stringify({ extends: "../../../tsconfig.json", compilerOptions: { types: [] }, include: [], files: [`${name}.ts`] }));
  try {
    execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "--noEmit", "-p", out], { encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (e) {
    return (e as { stdout: string }).stdout;
  }
}

// The test fails when the server removes or changes a field. A new field is no error:
// clients ignore fields that they do not know.
test("the types match the samples that the tests of the server decode", () => {
  const lines = ['import type { Commands, FolderState } from "../../../api/protocol";', "declare function takes<T>(): <V extends T>(v: V) => void;"];
  for (const file of readdirSync(samples).filter((f) => /^ambit\.[a-z]+\.json$/i.test(f))) {
    const { params, result } = JSON.parse(readFileSync(join(samples, file), "utf8"));
    const of = `Commands[${JSON.stringify(params.command)}]`;
    lines.push(`takes<${of}["params"] | null>()(${JSON.stringify(params.arguments?.[0] ?? null)});`);
    lines.push(`takes<${of}["result"]>()(${JSON.stringify(result ?? null)});`);
  }
  assert.ok(lines.length > 15, "the samples are found");
  const { params } = JSON.parse(readFileSync(join(samples, "ambit.status.notification.json"), "utf8"));
  lines.push(`takes<FolderState>()(${JSON.stringify(params)});`);
  assert.equal(errorsOf("samples", `${lines.join("\n")}\n`), "");
});

test("a sample without a field is refused", () => {
  const source = 'import type { FolderState } from "../../../api/protocol";\n({ folder: "", state: "ready", generation: 1, files: 1, pending: 0 }) satisfies FolderState;\n';
  assert.match(errorsOf("less", source), /'message' is missing/);
});

test("the formats are those of the setting", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.deepEqual(formats.map((f) => f.id), contributes.configuration.properties["ambit.format"].enum);
});

test("the text of a source is known in every format, JSON included", () => {
  const answer = JSON.parse(readFileSync(join(samples, "ambit.context.json"), "utf8")).result as ContextAnswer;
  const [source] = answer.sources;
  assert.ok(source?.text_lines);
  assert.equal(textOf(answer, source), answer.text.split("\n").slice(source.text_lines[0] - 1, source.text_lines[1]).join("\n"));
  delete source.text_lines;
  answer.text = JSON.stringify({ query: "q", sources: [{ text: "func F()" }], structure: "a.go" });
  assert.deepEqual([textOf(answer, source), outlineOf(answer)], ["func F()", "a.go"]);
});

test("the code of a source has neither heading nor markup, in any format", () => {
  const texts = {
    markdown: ["## `F` (function)", "", "`a.md:1-3`, calls 0.84", "", "````md", "```go", "func F()", "```", "````"],
    xml: ['<unit identifier="F" file="a.md">', "```go", "func F()", "```", "</unit>"],
    plain: ["--- F (function) ---", "a.md:1-3, calls 0.84", "```go", "func F()", "```"],
    human: ["─── F · function · 0.84", "a.md:1-3 · calls", "```go", "func F()", "```"],
  };
  for (const [format, lines] of Object.entries(texts)) {
    const source = { text_lines: [2, lines.length + 1] } as unknown as Source;
    const answer = { format, text: ["before", ...lines, "after"].join("\n"), sources: [source] } as unknown as ContextAnswer;
    assert.equal(codeOf(answer, source), "```go\nfunc F()\n```", format);
  }
  const own = { format: "plain", text: "by a template", sources: [] } as unknown as ContextAnswer;
  assert.equal(codeOf(own, { text_lines: [1, 1] } as unknown as Source), "by a template");
});
