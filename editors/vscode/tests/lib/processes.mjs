// The servers that run, found by their executable.
import { readdirSync, readlinkSync } from "node:fs";

/** Returns the process ids of what runs an executable below a directory. */
export function running(dir) {
  return readdirSync("/proc")
    .filter((p) => /^\d+$/.test(p))
    .filter((p) => {
      try {
        return readlinkSync(`/proc/${p}/exe`).replace(/ \(deleted\)$/, "").startsWith(`${dir}/`);
      } catch {
        return false; // it has ended
      }
    })
    .map(Number);
}

/** Waits until something holds; looks ten times a second. What throws does not hold yet. */
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
