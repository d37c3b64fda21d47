import * as vscode from "vscode";

/** What a request returned or threw. */
export type Outcome<T> = { result: T; error?: undefined } | { result?: undefined; error: unknown };

/** Runs one request at a time: a new one cancels the one before. */
export class Latest {
  #running: vscode.CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Runs a function after a delay, unless a request or another delay begins before. */
  after(delay: number, run: () => void): void {
    this.stopWaiting();
    this.#timer = setTimeout(run, delay);
  }

  /**
   * Runs a request. Returns undefined when it was cancelled.
   *
   * @param onSlow is called when the request takes longer than `patience` milliseconds
   */
  async run<T>(request: (token: vscode.CancellationToken) => Promise<T>, patience: number, onSlow: () => void): Promise<Outcome<T> | undefined> {
    this.cancel();
    const mine = new vscode.CancellationTokenSource();
    this.#running = mine;
    const slow = setTimeout(onSlow, patience);
    const outcome = await request(mine.token).then(
      (result): Outcome<T> => ({ result }),
      (error: unknown): Outcome<T> => ({ error }),
    );
    clearTimeout(slow);
    mine.dispose();
    if (this.#running !== mine || outcome.error instanceof vscode.CancellationError) {
      return undefined;
    }
    this.#running = undefined;
    return outcome;
  }

  /** Forgets the function that waits for its delay to end. */
  stopWaiting(): void {
    clearTimeout(this.#timer);
  }

  /** Cancels the running request, and forgets the function that waits. */
  cancel(): void {
    this.stopWaiting();
    this.#running?.cancel();
  }
}
