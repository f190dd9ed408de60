import type { LedgerEntry } from "../types/ledger.ts";
import type { CallerIdentity } from "../types/principal.ts";

type CallerFields = Pick<LedgerEntry, "agent" | "user" | "tenant">;

/** Ignores the session, which changes when a client reconnects. */
export const isEntryOfCaller = (
  caller: Omit<CallerIdentity, "session">,
  { agent, user, tenant }: CallerFields,
): boolean =>
  caller.agent === (agent ?? undefined) &&
  caller.user === (user ?? undefined) &&
  caller.tenant === (tenant ?? undefined);
