// Builds dist/main.js, the extension, and dist/panel.js with dist/panel.css, what runs in
// the panel. `--watch` builds again whenever a source changes.
import * as esbuild from "esbuild";

const watch = process.argv.includes("--watch");
const common = { bundle: true, minify: !watch, sourcemap: watch, legalComments: "none", logLevel: "warning" };

const contexts = await Promise.all([
  esbuild.context({
    ...common,
    entryPoints: ["src/main.ts"],
    outfile: "dist/main.js",
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode"],
    mainFields: ["module", "main"],
  }),
  esbuild.context({
    ...common,
    entryPoints: { panel: "src/webview/main.ts" },
    outdir: "dist",
    platform: "browser",
    format: "iife",
    target: "chrome134",
  }),
]);

for (const context of contexts) {
  if (watch) {
    await context.watch();
  } else {
    await context.rebuild();
    await context.dispose();
  }
}
