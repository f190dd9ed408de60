import type { Shared } from "../../runtime/shared.ts";
import { ask, type StudioWorld } from "../world.ts";
import type { Changes } from "./changes.ts";

/** Changes of a ledger that has no rows: what the runtime's own events say, and how its books differ from before. */
export interface MemoryChanges {
  readonly take: () => Promise<Changes>;
  readonly close: () => void;
}

export const memoryChanges = ({ shared, ledger }: StudioWorld): MemoryChanges => {
  let began = 0;
  let ended = 0;
  let failed = 0;
  const touched = new Map<string, true>();
  const touch = (entryId: string): void => {
    touched.delete(entryId);
    touched.set(entryId, true);
  };
  const closers = callEvents(shared, (entryId, kind) => {
    touch(entryId);
    if (kind === "tools.started") began += 1;
    if (kind === "tools.executed" || kind === "tools.failed") ended += 1;
    if (kind === "tools.failed") failed += 1;
  });
  const known = new Map<string, string>();
  const differs = (id: string, state: string): boolean => {
    if (known.get(id) === state) return false;
    known.set(id, state);
    return true;
  };
  return {
    take: async () => {
      const [asked, runs] = await Promise.all([
        ask(ledger.approvals.list({ limit: 100 })),
        ask(ledger.runs.list({ limit: 100 })),
      ]);
      const askedIn = asked
        .filter(({ id, status }) => differs(`approval ${id}`, status))
        .map(({ runId }) => runId);
      const runIds = runs
        .filter(({ runId, status, turns, isHeld }) => differs(`run ${runId}`, `${status} ${turns} ${isHeld}`))
        .map(({ runId }) => runId);
      const entryIds = [...touched.keys()].reverse();
      const taken = {
        began,
        ended,
        failed,
        entryIds,
        runIds,
        askedIn: [...new Set(askedIn)],
        place: [],
        isBehind: false,
      };
      began = ended = failed = 0;
      touched.clear();
      return taken;
    },
    close: () => {
      for (const close of closers) close();
    },
  };
};

const kinds = ["tools.started", "tools.executed", "tools.failed", "tools.pending"] as const;

export const callEvents = (
  { events }: Shared,
  hear: (entryId: string, kind: (typeof kinds)[number]) => void,
): readonly (() => void)[] => kinds.map((kind) => events.on(kind, ({ entryId }) => hear(entryId, kind)));
