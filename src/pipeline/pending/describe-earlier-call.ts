import * as Effect from "effect/Effect";
import { hashInput, hashText } from "../../base/json/canonical-json.ts";
import { stringifyValue } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import { callerIdentityOf } from "../../types/principal.ts";
import { isUnsettled } from "../../types/settlement.ts";
import { isIdempotent } from "../../types/tool.ts";
import type { BoundCall, CallServices } from "../call-state.ts";
import { isEntryOfCaller } from "../is-entry-of-caller.ts";
import { earlierCallNote } from "./earlier-call-note.ts";

const maxCompared = 100;

/** A note for the approver about an earlier call with the same caller, tool and arguments. */
export const describeEarlierCall = (
  services: CallServices,
  call: BoundCall,
  at: number,
): Effect.Effect<string | undefined> => {
  if (isIdempotent(call.spec)) return Effect.succeed(undefined);
  const found = Effect.gen(function* () {
    const earlier = yield* findEarlierEffect(services, call);
    if (earlier !== undefined) return earlierCallNote(earlier, services.ledger.place);
    const open = yield* findOpenApproval(services, call, at);
    if (open === undefined) return undefined;
    const state = open.status === "waiting" ? "pending" : "approved but not yet run";
    return `The same call is already ${state}: ${open.entryId}`;
  });
  return Effect.orElseSucceed(found, () => undefined);
};

const findEarlierEffect = (
  { ledger }: CallServices,
  { registration, request, principal, input }: BoundCall,
): Effect.Effect<LedgerEntry | undefined, LedgerError> =>
  Effect.gen(function* () {
    const caller = callerIdentityOf(principal);
    const query = { tool: registration.key, agent: caller.agent, mayHaveTakenEffect: true };
    const entries = yield* ledger.entries({ ...query, limit: maxCompared });
    const textHash = hashText(stringifyValue(request.raw.input));
    const inputHash = hashInput(input);
    for (const entry of entries.toReversed()) {
      const isOver = entry.settlement === undefined ? !isUnsettled(entry) : !entry.settlement.tookEffect;
      if (isOver || !isEntryOfCaller(caller, entry)) continue;
      if (entry.inputHash === textHash) return entry;
      const recorded = ledger.recall === undefined ? undefined : yield* ledger.recall(entry.entryId);
      const reading = recorded?.input === undefined ? undefined : readJson(recorded.input);
      if (reading?.ok === true && hashInput(reading.value) === inputHash) return entry;
    }
    return undefined;
  });

const findOpenApproval = (
  { approvals }: CallServices,
  { registration, request, principal, input }: BoundCall,
  at: number,
): Effect.Effect<ApprovalRecord | undefined, LedgerError> =>
  Effect.gen(function* () {
    const inputHash = hashInput(input);
    for (const status of ["answered", "waiting"] as const) {
      const records = yield* approvals.list({ tool: registration.key, status, limit: maxCompared });
      const found = records.findLast(
        (record) =>
          record.inputHash === inputHash &&
          record.entryId !== request.entryId &&
          record.decision?.kind !== "deny" &&
          (record.expiresAt === undefined || record.expiresAt > at) &&
          isEntryOfCaller(callerIdentityOf(principal), callerIdentityOf(record.principal)),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  });
