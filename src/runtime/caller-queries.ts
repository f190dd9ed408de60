import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { checkFields } from "../base/json/check-fields.ts";
import type { SettlementFinding } from "../pipeline/settle.ts";
import { ConfigurationError, type LedgerError } from "../types/errors.ts";
import type { LedgerEntry, LedgerQuery, LedgerStore } from "../types/ledger.ts";
import { callerIdentityOf, type Principal } from "../types/principal.ts";
import type { CancelResult, RunQuery, RunSummary } from "../types/run-store.ts";
import { noRecords, recordsOwnedBy } from "./caller-records.ts";

const queryFieldsByMethod = {
  log: [
    "entryId",
    "callId",
    "runId",
    "tool",
    "agent",
    "session",
    "ending",
    "mayHaveTakenEffect",
    "since",
    "until",
    "before",
    "after",
    "limit",
  ],
  approvals: ["status", "runId", "tool", "limit"],
  runs: ["status", "agent", "before", "limit"],
} satisfies Record<string, readonly string[]> & { readonly log: readonly (keyof LedgerQuery)[] };

/** Rejects unknown fields, because a misspelled filter would return too much. */
export const checkQuery = (method: keyof typeof queryFieldsByMethod, query: object | undefined): void => {
  if (query !== undefined) checkFields(`haft.${method}`, query, queryFieldsByMethod[method]);
};

/**
 * Whether an entry belongs to the principal's user and tenant. Entries do not record delegators, so agents of
 * one user see each other's.
 */
export const isOwnEntry = (principal: Principal | undefined): ((entry: LedgerEntry) => boolean) => {
  const caller = principal === undefined ? undefined : callerIdentityOf(principal);
  return ({ user, tenant }) =>
    (user ?? undefined) === caller?.user && (tenant ?? undefined) === caller?.tenant;
};

/** Reads in pages, because `limit` counts own entries only. */
export const entriesOf = (
  ledger: LedgerStore,
  principal: Principal | undefined,
  query: LedgerQuery = {},
): Effect.Effect<readonly LedgerEntry[], LedgerError> =>
  Effect.gen(function* () {
    const isOwn = isOwnEntry(principal);
    const { limit, after } = query;
    if (limit === undefined) return (yield* ledger.entries(query)).filter(isOwn);
    const isForward = after !== undefined;
    const size = Math.max(limit, minPageSize);
    let own: readonly LedgerEntry[] = [];
    let page = query;
    for (;;) {
      const read = yield* ledger.entries({ ...page, limit: size });
      const found = read.filter(isOwn);
      own = isForward ? [...own, ...found] : [...found, ...own];
      const last = (isForward ? read.at(-1) : read[0])?.entryId;
      if (own.length >= limit || read.length < size || last === undefined) break;
      page = isForward ? { ...query, after: last } : { ...query, before: last };
    }
    return isForward ? own.slice(0, limit) : own.slice(own.length - Math.min(own.length, limit));
  });

const minPageSize = 100;

export const runsOfCaller = (
  { runs }: LedgerStore,
  principal: Principal | undefined,
  query: RunQuery | undefined,
): Effect.Effect<readonly RunSummary[], LedgerError> =>
  runs === undefined ? noRecords : Effect.map(runs.list(query), recordsOwnedBy(principal));

export const cancelRunOfCaller = (
  { runs }: LedgerStore,
  principal: Principal | undefined,
  runId: string,
  by: string | undefined,
): Effect.Effect<CancelResult, LedgerError> =>
  Effect.gen(function* () {
    const found = runs === undefined ? undefined : yield* runs.find(runId);
    if (runs === undefined || found === undefined || recordsOwnedBy(principal)([found]).length === 0)
      return "unknown";
    const clock = yield* Clock.Clock;
    return yield* runs.cancel(runId, by ?? principal?.agent, clock.currentTimeMillisUnsafe());
  });

export const checkSettlementFinding = (finding: SettlementFinding | undefined): void => {
  if (finding === undefined) return;
  checkFields("haft.settle", finding, ["tookEffect", "result", "reason", "by"]);
  const { tookEffect, reason, by } = finding;
  const areTexts = [reason, by].every((each) => each === undefined || typeof each === "string");
  if (typeof tookEffect === "boolean" && areTexts) return;
  throw new ConfigurationError(
    "invalid_config",
    "haft.settle requires { tookEffect: true, result?, reason?, by? } or { tookEffect: false, reason?, by? }.",
  );
};
