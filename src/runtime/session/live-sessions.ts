import type { SharedRuntime } from "../shared-runtime.ts";
import { LiveSession, type SessionIdentity } from "./session-claim.ts";

const sessionsByRuntime = new WeakMap<SharedRuntime, Map<string, LiveSession>>();

const maxIdleSessions = 10_000;

export const liveSession = (shared: SharedRuntime, { runId, principal }: SessionIdentity): LiveSession => {
  const all = sessionsByRuntime.get(shared) ?? new Map<string, LiveSession>();
  sessionsByRuntime.set(shared, all);
  const known = all.get(runId) ?? new LiveSession({ runId, principal });
  if (all.size < maxIdleSessions) {
    all.set(runId, known);
    return known;
  }
  all.delete(runId);
  all.set(runId, known);
  // Without a durable ledger, sessions exist only here and are never evicted.
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
