import type { Shared } from "../shared.ts";
import { LiveSession, type SessionIdentity } from "./session-claim.ts";

const sessions = new WeakMap<Shared, Map<string, LiveSession>>();

/** So many that nobody is in a turn of are remembered; the ledger knows the others. */
const mostIdle = 10_000;

/** The session as every handle of this runtime knows it. */
export const liveSession = (shared: Shared, { runId, principal }: SessionIdentity): LiveSession => {
  const all = sessions.get(shared) ?? new Map<string, LiveSession>();
  sessions.set(shared, all);
  const known = all.get(runId) ?? new LiveSession({ runId, principal });
  if (all.size < mostIdle) {
    all.set(runId, known);
    return known;
  }
  // The one that is used moves to the end.
  all.delete(runId);
  all.set(runId, known);
  // What only this process knows is never forgotten.
  if (shared.ledger.approvals?.isDurable === true && all.size > mostIdle) forgetOne(all, known);
  return known;
};

const forgetOne = (all: Map<string, LiveSession>, but: LiveSession): void => {
  for (const [id, each] of all) {
    if (each === but || each.claim !== undefined) continue;
    all.delete(id);
    return;
  }
};
