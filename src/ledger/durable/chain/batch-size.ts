/** Work in pieces: how long one should take, and how many rows it has at least and at most. */
export interface BatchTiming {
  readonly target: number;
  readonly least: number;
  readonly most: number;
}

/** How many rows the next piece should have, after one of `size` rows took so long. It changes by half at most. */
export const nextBatchSize = (size: number, tookMs: number, { target, least, most }: BatchTiming): number => {
  const fitting = Math.round(size * Math.min(2, Math.max(0.5, target / Math.max(tookMs, 0.1))));
  return Math.min(most, Math.max(least, fitting));
};

export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
