/** What the one redactor masks. */
export interface KnownSecrets {
  readonly add: (secret: string) => void;
  readonly all: () => Iterable<string>;
}

const most = 1_000;

/**
 * Keeps `lasting` for good, and of what is handed out the last one to two thousand: tokens come and go as long as
 * the process lives, and looking for all that ever were would slow down every record.
 */
export const knownSecrets = (lasting: Iterable<string>): KnownSecrets => {
  const kept = [...lasting].filter((secret) => secret.trim() !== "");
  let older: readonly string[] = [];
  let newer = new Set<string>();
  let all: Set<string> | undefined;
  return {
    add: (secret) => {
      if (newer.has(secret)) return;
      if (newer.size >= most) {
        older = [...newer];
        newer = new Set();
      }
      newer.add(secret);
      all = undefined;
    },
    all: () => {
      all ??= new Set([...kept, ...older, ...newer]);
      return all;
    },
  };
};
