// What the suites in the extension host have in common; tests/lib/suite.mjs reads what they print.
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { AmbitApi } from "../../api/ambit";

/** Begins the lines of a suite. */
const mark = "\u2063";
const print = (text: string): void => console.log(mark + text);

export type Test = [name: string, run: () => Promise<void>];

/** Has the page reloaded, which runs the suite again: VS Code opened the workspace without its folders. */
export const again = (): void => print("VS Code opened the workspace without its folders; again");

/** Runs tests in order and prints the outcomes. */
export async function runTests(tests: readonly Test[]): Promise<void> {
  const failed: string[] = [];
  for (const [name, body] of tests) {
    const at = performance.now();
    const error = await body().then(
      () => undefined,
      (e: unknown) => (e instanceof Error ? e : new Error(String(e))),
    );
    print(`${error ? "FAILED" : "ok"} ${(performance.now() - at).toFixed(0)} ms  ${name}${error ? `\n${error.stack}` : ""}`);
    if (error) {
      failed.push(name);
    }
  }
  print(failed.length > 0 ? `${failed.length} of ${tests.length} tests failed` : `all ${tests.length} tests passed`);
}

/** Waits for a change of the status until a condition holds. */
export function until(ambit: AmbitApi, is: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the status stays ${JSON.stringify(ambit.status)}`)), 180_000);
    const look = (): void => {
      if (is()) {
        clearTimeout(timer);
        listener.dispose();
        resolve();
      }
    };
    const listener = ambit.onDidChangeStatus(look);
    look();
  });
}

/** Returns every ambit on the PATH of the extension host. */
export const onPath = (): string[] => (process.env["PATH"] ?? "").split(":").map((dir) => join(dir, "ambit")).filter((path) => existsSync(path));

/** Reports whether a process of an executable runs. */
export function runs(executable: string): boolean {
  return readdirSync("/proc").some((p) => {
    try {
      return /^\d+$/.test(p) && readlinkSync(`/proc/${p}/exe`) === executable;
    } catch {
      return false; // the process has ended, or is of another user
    }
  });
}
