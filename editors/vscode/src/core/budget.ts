/** The stops of the budget slider, in tokens. Each is about one and a half times the one before. */
export const stops = [500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000, 96_000, 128_000, 200_000] as const;

/** Returns the index of the stop that is nearest to a budget by ratio. */
export function stopOf(budget: number): number {
  let best = 0;
  for (const [i, s] of stops.entries()) {
    if (Math.abs(Math.log(budget / s)) < Math.abs(Math.log(budget / (stops[best] ?? 1)))) {
      best = i;
    }
  }
  return best;
}

/**
 * Returns the first stop whose answer has all that the last stop's has: a larger budget adds
 * nothing. An answer has all that a smaller budget's has, so it asks for a few stops only.
 *
 * @param textAt returns the text of the answer at a stop
 */
export async function reachOf(textAt: (stop: number) => Promise<string>): Promise<number> {
  let [low, high] = [0, stops.length - 1];
  const all = await textAt(stops[high] ?? 0);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await textAt(stops[middle] ?? 0)) === all) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return stops[high] ?? stops[0];
}

export interface Segment {
  name: string;
  tokens: number;
  /** Share of the whole bar, from 0 to 1. */
  share: number;
}

/**
 * Returns the segments of the budget bar: the sections in order, then the markup around
 * them, then the free rest. The shares add up to 1.
 */
export function spend(a: { tokens: number; budget: number; sections: { name: string; tokens: number }[] }): Segment[] {
  const shown = a.sections.reduce((n, s) => n + s.tokens, 0);
  const whole = Math.max(a.budget, a.tokens, shown, 1);
  const rest: [string, number][] = [
    ["markup", Math.max(0, a.tokens - shown)],
    ["free", Math.max(0, whole - Math.max(a.tokens, shown))],
  ];
  return [...a.sections.map((s): [string, number] => [s.name, s.tokens]), ...rest]
    .filter(([, tokens]) => tokens > 0)
    .map(([name, tokens]) => ({ name, tokens, share: tokens / whole }));
}
