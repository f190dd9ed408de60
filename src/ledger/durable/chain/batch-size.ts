/** Milliseconds and rows. */
export interface BatchTiming {
  readonly target: number;
  readonly least: number;
  readonly most: number;
}

export const nextBatchSize = (size: number, tookMs: number, { target, least, most }: BatchTiming): number => {
  const fitting = Math.round(size * Math.min(2, Math.max(0.5, target / Math.max(tookMs, 0.1))));
  return Math.min(most, Math.max(least, fitting));
};

export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
