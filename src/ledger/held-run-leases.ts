import type { LedgerError } from "../types/errors.ts";
import type { EntryClosing } from "../types/ledger.ts";
import { type RunSummary, runKindRulesOf } from "../types/run-store.ts";

export interface HeldRunLeases {
  readonly hold: (runId: string, epoch: number) => void;
  readonly release: (runId: string, epoch: number) => void;
  readonly has: (runId: string) => boolean;
  readonly all: () => ReadonlyMap<string, number>;
  /** Called once, immediately if the lease is lost already. */
  readonly watch: (runId: string, onLost: () => void) => () => void;
  /** Older epochs too. */
  readonly lose: (runId: string, epoch: number) => void;
  /** Later writes under this lease are refused. */
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
    // A later watcher must learn of the loss.
    if (claim.watchers.size > 0) claims.delete(runId);
    for (const onLost of claim.watchers) onLost();
  };
  return {
    hold: (runId, epoch) => {
      // A newer claim supersedes the older lease.
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

/** Failed runs can be resumed, so their texts are kept. */
export const isResumable = (status: RunSummary["status"]): boolean =>
  status === "running" || status === "pending" || status === "failed";

export const voidReasonOf = (runId: string): string => `its ${describeCancellation(runId)}`;

export const cancelledRunReason = (runId: string, by: string | undefined): string =>
  `The ${describeCancellation(runId)}${by === undefined ? "" : ` by ${by}`}.`;

const describeCancellation = (runId: string): string => {
  const { noun, ended } = runKindRulesOf(runId);
  return `${noun} was ${ended}`;
};

export const cancelledCallClosing = (
  runId: string,
  entryId: string,
  ran: boolean | undefined,
): EntryClosing => ({
  entryId,
  ending: "failed",
  tool: undefined,
  code: "not_answered",
  message: `The call was not resumed, because ${voidReasonOf(runId)}.`,
  decision: undefined,
  flow: undefined,
  result: undefined,
  original: undefined,
  notes: [],
  durationMs: 0,
  ran,
});
