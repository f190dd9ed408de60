export interface TokenBuckets {
  /** Returns 0, or the wait in milliseconds. */
  readonly take: (key: string) => number;
  readonly wait: (key: string) => number;
}

export interface TokenBucketOptions {
  readonly perMinute: number;
  readonly burst: number;
  readonly now: () => number;
  /** Keys are untrusted; the least recently used one is removed. */
  readonly maxKeys?: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Clock jumps backwards have no effect. */
export const createTokenBuckets = ({
  perMinute,
  burst,
  now,
  maxKeys = 10_000,
}: TokenBucketOptions): TokenBuckets => {
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();

  const fill = (bucket: Bucket | undefined): Bucket => {
    const at = now();
    if (bucket === undefined) return { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, at - bucket.at) * perMs);
    bucket.at = at;
    return bucket;
  };
  const missing = ({ tokens }: Bucket): number => (tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs));

  return {
    wait: (key) => missing(fill(buckets.get(key))),
    take: (key) => {
      const bucket = fill(buckets.get(key));
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value!);
      const ms = missing(bucket);
      if (ms === 0) bucket.tokens -= 1;
      return ms;
    },
  };
};
