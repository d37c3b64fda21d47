// Runs a suite in the extension host of real VS Code.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { launch } from "./browser.mjs";

const patience = 900_000;
const mark = "\u2063"; // begins the lines of the suite

const host = join(dirname(fileURLToPath(import.meta.url)), "../host");

/** Bundles a TypeScript file of tests/host. */
const bundle = (entry, outfile) =>
  esbuild.build({ entryPoints: [join(host, entry)], outfile, bundle: true, platform: "node", format: "cjs", target: "node22", external: ["vscode"], logLevel: "warning" });

/**
 * Installs a packaged extension into a CodeServer, opens a workspace in it and runs a suite of
 * tests/host there. The other extension, neighbour, is what VS Code takes as the one under
 * development: it runs no suite without one. Prints what the suite prints. Sets the exit code
 * when a test fails.
 */
export async function runSuite(server, { vsix, workspace, entry }) {
  const suite = join(server.dir, "suite.js");
  const neighbour = join(server.dir, "neighbour");
  await bundle(entry, suite);
  await bundle("neighbour/main.ts", join(neighbour, "main.js"));
  cpSync(join(host, "neighbour/package.json"), join(neighbour, "package.json"));
  const noise = []; // other lines that VS Code logs
  let browser;
  try {
    assert.match(server.install(vsix), /successfully installed/);
    await server.start();
    browser = await launch();
    const page = await (await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
    page.setDefaultNavigationTimeout(patience); // a busy machine takes minutes
    let verdict;
    let again = 0;
    const done = new Promise((r) => (verdict = r));
    await page.exposeFunction("codeAutomationLog", (_type, [text]) => {
      const at = String(text).indexOf(mark);
      if (at < 0) {
        noise.push(text);
        return;
      }
      const line = String(text).slice(at + 1);
      console.log(line);
      if (line.endsWith("; again")) {
        again++;
        void page.reload();
      }
      if (/^all \d+ tests passed$|^\d+ of \d+ tests failed$/.test(line)) {
        verdict(line);
      }
    });
    // VS Code calls this when the suite has ended, sometimes long after.
    await page.exposeFunction("codeAutomationExit", (code) => (again > 0 ? again-- : verdict(`exit ${code} without a verdict`)));
    await page.addInitScript(configure, { authority: `127.0.0.1:${server.port}`, suite, neighbour });
    await page.goto(`${server.url}/?workspace=${encodeURIComponent(workspace)}`);
    const line = await Promise.race([done, new Promise((r) => setTimeout(() => r("no verdict in time"), patience).unref())]);
    if (!line.startsWith("all ")) {
      await page.screenshot({ path: join(tmpdir(), "ambit-host-failed.png") });
      console.error(noise.filter((t) => /error/i.test(t)).slice(-5).join("\n"));
      console.error(`${line}; picture: ${join(tmpdir(), "ambit-host-failed.png")}`);
      process.exitCode = 1;
    }
  } finally {
    await browser?.close();
    await server.stop();
  }
}

/** Runs in the page: configures VS Code to run the tests, before it starts. */
function configure({ authority, suite, neighbour }) {
  const uri = (path) => ({ scheme: "vscode-remote", authority, path });
  const set = () => {
    const meta = document.getElementById("vscode-workbench-web-configuration");
    if (!meta) {
      return false;
    }
    const settings = JSON.parse(meta.dataset.settings);
    settings.developmentOptions = { ...settings.developmentOptions, enableSmokeTestDriver: true, extensions: [uri(neighbour)], extensionTestsPath: uri(suite) };
    meta.dataset.settings = JSON.stringify(settings);
    return true;
  };
  if (!set()) {
    const observer = new MutationObserver(() => set() && observer.disconnect());
    observer.observe(document, { childList: true, subtree: true });
  }
}
