// Finds the running servers by their executable.
import { readdirSync, readlinkSync } from "node:fs";

/** Returns the ids of the processes whose executable is below a directory. */
export function running(dir) {
  return readdirSync("/proc")
    .filter((p) => /^\d+$/.test(p))
    .filter((p) => {
      try {
        return readlinkSync(`/proc/${p}/exe`).replace(/ \(deleted\)$/, "").startsWith(`${dir}/`);
      } catch {
        return false; // the process has ended
      }
    })
    .map(Number);
}

/** Waits until a condition holds, and checks it ten times a second. A condition that throws does not hold. */
export async function eventually(what, holds, seconds = 180) {
  const end = performance.now() + 1000 * seconds;
  let problem = "";
  while (performance.now() < end) {
    try {
      if (await holds()) {
        return;
      }
      problem = "";
    } catch (e) {
      problem = `: ${String(e.message).split("\n", 1)[0]}`;
    }
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(`not within ${seconds} s: ${what}${problem}`);
}
