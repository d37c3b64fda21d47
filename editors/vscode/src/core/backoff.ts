/** How long to wait before a crashed server is started again, and when not to. */
export interface Verdict {
  /** What to do: start again after `delay` milliseconds, or give up. */
  restart: boolean;
  delay: number;
  /** Whether this is the first crash of a series, which the user is told of. */
  first: boolean;
}

const firstDelay = 250;
const maxDelay = 8_000;

/** So many crashes within `calm` milliseconds of each other are not bad luck. */
const maxCrashes = 6;
const calm = 180_000;

/**
 * Doubles the delay with each crash of a series. A series ends when the server has run
 * for three minutes.
 */
export class Backoff {
  #crashes = 0;
  #last = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds on any clock that does not go back */
  crashed(now: number): Verdict {
    if (now - this.#last > calm) {
      this.#crashes = 0;
    }
    this.#last = now;
    this.#crashes++;
    return {
      restart: this.#crashes < maxCrashes,
      delay: Math.min(maxDelay, firstDelay * 2 ** (this.#crashes - 1)),
      first: this.#crashes === 1,
    };
  }

  /** Begins anew, as when the user restarts the server. */
  reset(): void {
    this.#crashes = 0;
  }
}
