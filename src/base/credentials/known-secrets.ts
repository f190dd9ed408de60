export interface KnownSecrets {
  /** Call it whenever a secret is handed out. */
  readonly add: (secret: string) => void;
  /** Frozen, and the same object until a secret is added or removed. */
  readonly all: () => readonly string[];
}

const minKeptSecrets = 1_000;
const minRetentionMs = 60 * 60_000;
const maxKnownSecrets = 5_000;
const evictionBatchSize = 500;

/**
 * Keeps `lasting` permanently. Of the secrets handed out it keeps the newest 1,000, and those of the last
 * hour up to 5,000.
 */
export const knownSecrets = (permanent: Iterable<string>, now: () => number = Date.now): KnownSecrets => {
  const kept = new Set([...permanent].filter((secret) => secret.trim() !== ""));
  const handedOut = new Map<string, number>();
  let maxKept = minKeptSecrets + evictionBatchSize;
  let all: readonly string[] | undefined;

  const forget = (): void => {
    const since = now() - minRetentionMs;
    for (const [secret, at] of handedOut) {
      if (handedOut.size <= minKeptSecrets || (handedOut.size <= maxKnownSecrets && at > since)) break;
      handedOut.delete(secret);
    }
    maxKept = handedOut.size + evictionBatchSize;
  };

  return {
    add: (secret) => {
      if (kept.has(secret)) return;
      const isKnown = handedOut.delete(secret);
      handedOut.set(secret, now());
      if (isKnown) return;
      all = undefined;
      if (handedOut.size > maxKept) forget();
    },
    all: () => {
      all ??= Object.freeze([...kept, ...handedOut.keys()]);
      return all;
    },
  };
};
