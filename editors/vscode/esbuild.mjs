// Builds dist/main.js, which VS Code loads; dist/connection.js, the language client, which
// main.js loads after the activation; and dist/panel.js with dist/panel.css, the page of the
// panel. With `--watch` it builds again whenever a source changes.
import * as esbuild from "esbuild";

const watch = process.argv.includes("--watch");
const common = { bundle: true, minify: !watch, sourcemap: watch, legalComments: "none", logLevel: "warning" };

/** Keeps the connection in a file of its own, and leaves semver and minimatch out. */
const separate = {
  name: "separate",
  setup(build) {
    build.onResolve({ filter: /^\.\/connection$/ }, ({ importer }) => (/src.client\.ts$/.test(importer) ? { path: "./connection.js", external: true } : undefined));
    // The language client uses semver to check the version of VS Code; engines.vscode does that.
    build.onResolve({ filter: /^semver\/functions\// }, ({ path }) => ({ path, namespace: "semver" }));
    // The language client matches paths for diagnostics and file operations, which the server does not have.
    build.onResolve({ filter: /^minimatch$/ }, ({ path }) => ({ path, namespace: "minimatch" }));
    build.onLoad({ filter: /.*/, namespace: "minimatch" }, () => ({ contents: "exports.minimatch = exports.Minimatch = undefined" }));
    build.onLoad({ filter: /parse$/, namespace: "semver" }, () => ({ contents: "module.exports = (v) => ({ prerelease: [], version: v })" }));
    build.onLoad({ filter: /satisfies$/, namespace: "semver" }, () => ({ contents: "module.exports = () => true" }));
  },
};

const contexts = await Promise.all([
  esbuild.context({
    ...common,
    entryPoints: ["src/main.ts", "src/connection.ts"],
    outdir: "dist",
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode"],
    mainFields: ["module", "main"],
    plugins: [separate],
    supported: { "dynamic-import": false }, // compiles import() to require(), which finds the names
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
