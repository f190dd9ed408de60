import type { LedgerError } from "../types/errors.ts";

/** The claims on runs that one store has taken, and who wants to know when one of them is lost. */
export interface HeldRunLeases {
  /** The run was begun or claimed here under this epoch. */
  readonly hold: (runId: string, epoch: number) => void;
  /** The run was ended here: nothing more can be lost of it. */
  readonly release: (runId: string, epoch: number) => void;
  readonly has: (runId: string) => boolean;
  /** Every claim that is held and was not lost, as it stands now. */
  readonly all: () => ReadonlyMap<string, number>;
  /** Calls `onLost` once when the newest claim taken here is lost, at once if it is lost already. */
  readonly watch: (runId: string, onLost: () => void) => () => void;
  /** A claim of this epoch, and any older one, counts for nothing any more. */
  readonly lose: (runId: string, epoch: number) => void;
  /** Something that nobody waited for could not be written under this claim: what would come behind it is refused. */
  readonly miss: (runId: string, epoch: number, why: LedgerError) => void;
  readonly missing: (runId: string, epoch: number) => LedgerError | undefined;
}

interface HeldRunLease {
  readonly epoch: number;
  isLost: boolean;
  missing?: LedgerError;
  readonly watchers: Set<() => void>;
}

export const createHeldRunLeases = (): HeldRunLeases => {
  const claims = new Map<string, HeldRunLease>();
  const lose = (runId: string, epoch: number): void => {
    const claim = claims.get(runId);
    if (claim === undefined || claim.isLost || claim.epoch > epoch) return;
    claim.isLost = true;
    // One that nobody watches yet stays, so that whoever comes to watch it hears of the loss.
    if (claim.watchers.size > 0) claims.delete(runId);
    for (const onLost of claim.watchers) onLost();
  };
  return {
    hold: (runId, epoch) => {
      // Whoever still watches an older claim of the same store has lost it to this one.
      lose(runId, epoch - 1);
      claims.set(runId, { epoch, isLost: false, watchers: new Set() });
    },
    release: (runId, epoch) => {
      if (claims.get(runId)?.epoch === epoch) claims.delete(runId);
    },
    has: (runId) => claims.get(runId)?.isLost === false,
    all: () =>
      new Map([...claims].flatMap(([runId, { epoch, isLost }]) => (isLost ? [] : [[runId, epoch] as const]))),
    watch: (runId, onLost) => {
      const claim = claims.get(runId);
      if (claim === undefined) return () => {};
      if (claim.isLost) {
        onLost();
        return () => {};
      }
      const watcher = (): void => onLost();
      claim.watchers.add(watcher);
      return () => {
        claim.watchers.delete(watcher);
      };
    },
    lose,
    miss: (runId, epoch, why) => {
      const claim = claims.get(runId);
      if (claim?.epoch === epoch) claim.missing ??= why;
    },
    missing: (runId, epoch) => {
      const claim = claims.get(runId);
      return claim?.epoch === epoch ? claim.missing : undefined;
    },
  };
};
