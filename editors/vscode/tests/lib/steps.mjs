// Runs the steps of the tests in a browser in order, and prints each with its time.
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The run ends when more steps than these have failed. */
const maxFailed = 5;

/**
 * Runs steps, [name, run] each, and prints the outcomes. After a failed step it takes a
 * picture of the window, and goes on with the next step. Sets the exit code.
 *
 * @param window returns the window, or undefined before it is open
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
      console.log(`FAILED ${name}\n${String(e.stack ?? e).slice(0, 2000)}\npicture: ${picture}`);
      if (!window() || failed > maxFailed) {
        return;
      }
      await window().page.keyboard.press("Escape").catch(() => undefined);
    }
  }
}

/** Prints measurements. */
export function printMeasured(measured) {
  for (const [name, value] of Object.entries(measured)) {
    console.log(`measured  ${name}: ${value}`);
  }
}
