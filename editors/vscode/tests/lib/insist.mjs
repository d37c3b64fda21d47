// Repeats what a user does until its effect is visible.

/** The longest wait for a state, in milliseconds. A busy machine is slow. */
export const patience = 180_000;

/**
 * Repeats an action until its effect is visible. A key can get lost while the focus moves
 * from one frame to another, and a click when VS Code draws its target again. The action must
 * be harmless when it runs twice. Logs repeats.
 *
 * @param act acts, for at most the given milliseconds
 * @param seen waits for the effect, for at most the given milliseconds
 */
export async function insist(what, act, seen) {
  for (let tries = 1; ; tries++) {
    const timeout = tries < 4 ? 10_000 : patience;
    try {
      await act(timeout);
      return await seen(timeout);
    } catch (e) {
      if (tries === 4) {
        throw e;
      }
      console.log(`   again: ${what}: ${String(e.message).split("\n", 1)[0]}`);
    }
  }
}
