/** What the one redactor masks. */
export interface KnownSecrets {
  /** Called whenever a secret is handed out, so that one in use stays among the newest. */
  readonly add: (secret: string) => void;
  /** A frozen list, the same one until a secret comes or goes. */
  readonly all: () => readonly string[];
}

/** Kept whatever their age. */
const minKeptSecrets = 1_000;
/** As long as tokens commonly live, a call that was given one may still be under way. */
const minRetentionMs = 60 * 60_000;
/** A bound on memory: each takes some kilobytes to look for. */
const maxKnownSecrets = 5_000;
/** They are forgotten many at a time, since that costs more than learning one. */
const evictionBatchSize = 500;

/**
 * Keeps `lasting` for good. Of what is handed out it keeps the last thousand, and those of the last hour up to five
 * thousand: tokens come and go as long as the process lives. Nobody tells when a call lets go of one.
 */
export const knownSecrets = (lasting: Iterable<string>, now: () => number = Date.now): KnownSecrets => {
  const kept = new Set([...lasting].filter((secret) => secret.trim() !== ""));
  /** When each was handed out last, in this order. */
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
