import assert from "node:assert/strict";
import { test } from "node:test";
import { fenced, piecesOf } from "../../src/core/highlight";

const block = (inner: string): string => `<pre><code class="hljs language-go" data-line="0">${inner}</code></pre>\n`;

test("the pieces of a text have the kinds of its HTML", () => {
  const html = block('<span class="hljs-keyword">func</span> <span class="hljs-title function_">f</span>(a <span class="hljs-type">int</span>) { <span class="hljs-keyword">return</span> a &lt; <span class="hljs-number">1</span> &amp;&amp; s == <span class="hljs-string">&quot;x&#x27;&#39;&quot;</span> }\n');
  const text = "func f(a int) { return a < 1 && s == \"x''\" }";
  assert.deepEqual(piecesOf(html, text), [
    ["keyword", "func"],
    ["", " "],
    ["function", "f"],
    ["", "(a "],
    ["type", "int"],
    ["", ") { "],
    ["keyword", "return"],
    ["", " a < "],
    ["number", "1"],
    ["", " && s == "],
    ["string", "\"x''\""],
    ["", " }"],
  ]);
});

test("an inner piece has its own kind, and what is in no known scope that of the text around it", () => {
  const html = block('<span class="hljs-string">`a<span class="hljs-subst">${<span class="hljs-number">1</span>}</span><span class="hljs-unknown">b</span>`</span>\n');
  assert.deepEqual(piecesOf(html, "`a${1}b`"), [["string", "`a"], ["", "${"], ["number", "1"], ["", "}"], ["string", "b`"]]);
});

test("HTML that is not of exactly the text counts for nothing", () => {
  assert.equal(piecesOf(block('<span class="hljs-keyword">func</span> g\n'), "func f"), undefined);
  assert.equal(piecesOf('<div class="mermaid">graph</div>', "graph"), undefined);
  assert.equal(piecesOf(block("plain\n"), "plain"), undefined, "a text of an unknown language is plain");
});

test("the fence is longer than those in the text", () => {
  assert.equal(fenced("a", "go"), "```go\na\n```\n");
  assert.equal(fenced("````\n", "md"), "`````md\n````\n\n`````\n");
});
