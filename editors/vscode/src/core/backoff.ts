/** Whether and when to restart a crashed server. */
export interface Verdict {
  restart: boolean;
  /** How long to wait before the restart, in milliseconds. */
  delay: number;
  /** Whether this is the first crash of a series. The user sees a message for it. */
  first: boolean;
}

const firstDelay = 250;
const maxDelay = 8_000;

/** The server is not restarted after this many crashes in a series. */
const maxCrashes = 6;
/** A series ends when the server has run for this many milliseconds. */
const calm = 180_000;

/**
 * Counts the crashes of the server, and doubles the delay with each crash of a series.
 */
export class Backoff {
  #crashes = 0;
  #last = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock */
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

  /** Ends the series, for example when the user restarts the server. */
  reset(): void {
    this.#crashes = 0;
  }
}
