/** One piece of work per key at a time. */
export interface Flights {
  /** Joins work of the same kind that is under way, or waits for any other, however it ends, and starts. */
  readonly join: (key: string, kind: string, work: () => Promise<void>) => Promise<void>;
  /** Waits for whatever is under way, then starts its own. */
  readonly alone: (key: string, work: () => Promise<void>) => Promise<void>;
}

interface Flight {
  readonly kind: string | undefined;
  readonly ended: Promise<void>;
}

export const flights = (): Flights => {
  const underWay = new Map<string, Flight>();

  const start = async (key: string, kind: string | undefined, work: () => Promise<void>): Promise<void> => {
    for (let other = underWay.get(key); other !== undefined; other = underWay.get(key)) {
      if (kind !== undefined && other.kind === kind) return other.ended;
      await other.ended.catch(() => {});
    }
    const ended = work().finally(() => underWay.delete(key));
    underWay.set(key, { kind, ended });
    return ended;
  };

  return {
    join: start,
    alone: (key, work) => start(key, undefined, work),
  };
};
