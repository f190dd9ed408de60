import type { SharedRuntime } from "../../../runtime/shared-runtime.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import type { LedgerChanges } from "./ledger-changes.ts";

/** For memory ledgers, which have no rows: uses runtime events, and compares approvals and runs. */
export interface MemoryChanges {
  readonly take: () => Promise<LedgerChanges>;
  readonly close: () => void;
}

export const memoryChanges = ({ shared, ledger }: StudioServices): MemoryChanges => {
  let started = 0;
  let ended = 0;
  let failed = 0;
  const touched = new Map<string, true>();
  const touch = (entryId: string): void => {
    touched.delete(entryId);
    touched.set(entryId, true);
  };
  const closers = onCallEvents(shared, (entryId, kind) => {
    touch(entryId);
    if (kind === "tools.started") started += 1;
    if (kind === "tools.executed" || kind === "tools.failed") ended += 1;
    if (kind === "tools.failed") failed += 1;
  });
  const known = new Map<string, string>();
  const hasNewState = (id: string, state: string): boolean => {
    if (known.get(id) === state) return false;
    known.set(id, state);
    return true;
  };
  return {
    take: async () => {
      const [approvals, runs] = await Promise.all([
        runLedger(ledger.approvals.list({ limit: 100 })),
        runLedger(ledger.runs.list({ limit: 100 })),
      ]);
      const approvalRunIds = approvals
        .filter(({ id, status }) => hasNewState(`approval ${id}`, status))
        .map(({ runId }) => runId);
      const runIds = runs
        .filter(({ runId, status, turns, isHeld }) =>
          hasNewState(`run ${runId}`, `${status} ${turns} ${isHeld}`),
        )
        .map(({ runId }) => runId);
      const entryIds = [...touched.keys()].reverse();
      const taken = {
        started,
        ended,
        failed,
        entryIds,
        runIds,
        approvalRunIds: [...new Set(approvalRunIds)],
        position: [],
        hasMissedChanges: false,
      };
      started = ended = failed = 0;
      touched.clear();
      return taken;
    },
    close: () => {
      for (const close of closers) close();
    },
  };
};

const callEventNames = ["tools.started", "tools.executed", "tools.failed", "tools.pending"] as const;

export const onCallEvents = (
  { events }: SharedRuntime,
  listener: (entryId: string, kind: (typeof callEventNames)[number]) => void,
): readonly (() => void)[] =>
  callEventNames.map((kind) => events.on(kind, ({ entryId }) => listener(entryId, kind)));
