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

/** Waits until something holds; looks ten times a second. */
export async function eventually(what, holds, seconds = 20) {
  for (let tries = 0; tries < seconds * 10; tries++) {
    if (await holds()) {
      return;
    }
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}
