// What the tests in a browser have in common: steps in order, each told with its time.
import { tmpdir } from "node:os";
import { join } from "node:path";

/** So many failed steps are enough to see what is wrong. */
const maxFailed = 5;

/**
 * Runs steps, [name, run] each, and tells how they went. A step that fails leaves a picture
 * of the window; the next one begins as well as it can. Sets the exit code.
 *
 * @param window returns the window to take the picture of, undefined before there is one
 */
export async function runSteps(title, steps, window) {
  let failed = 0;
  for (const [name, run] of steps) {
    const at = performance.now();
    try {
      await run();
      console.log(`ok ${(performance.now() - at).toFixed(0).padStart(6)} ms  ${name}`);
    } catch (e) {
      failed++;
      process.exitCode = 1;
      const picture = join(tmpdir(), `ambit-${title}-failed-${failed}.png`);
      await window()?.page.screenshot({ path: picture, timeout: 10_000 }).catch(() => undefined);
      console.log(`FAILED ${name}\n${String(e.stack ?? e).slice(0, 2000)}\nwhat it looked like: ${picture}`);
      if (!window() || failed > maxFailed) {
        return;
      }
      await window().page.keyboard.press("Escape").catch(() => undefined);
    }
  }
}

/** Tells what was measured. */
export function tell(measured) {
  for (const [what, figure] of Object.entries(measured)) {
    console.log(`measured  ${what}: ${figure}`);
  }
}
