import type { SharedRuntime } from "../shared-runtime.ts";
import { LiveSession, type SessionIdentity } from "./session-claim.ts";

const sessionsByRuntime = new WeakMap<SharedRuntime, Map<string, LiveSession>>();

/** So many that nobody is in a turn of are remembered; the ledger knows the others. */
const maxIdleSessions = 10_000;

/** The session as every handle of this runtime knows it. */
export const liveSession = (shared: SharedRuntime, { runId, principal }: SessionIdentity): LiveSession => {
  const all = sessionsByRuntime.get(shared) ?? new Map<string, LiveSession>();
  sessionsByRuntime.set(shared, all);
  const known = all.get(runId) ?? new LiveSession({ runId, principal });
  if (all.size < maxIdleSessions) {
    all.set(runId, known);
    return known;
  }
  // The one that is used moves to the end.
  all.delete(runId);
  all.set(runId, known);
  // What only this process knows is never forgotten.
  if (shared.ledger.approvals?.isDurable === true && all.size > maxIdleSessions) evictIdleSession(all, known);
  return known;
};

const evictIdleSession = (all: Map<string, LiveSession>, kept: LiveSession): void => {
  for (const [id, each] of all) {
    if (each === kept || each.claim !== undefined) continue;
    all.delete(id);
    return;
  }
};
