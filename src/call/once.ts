import * as Effect from "effect/Effect";
import { hashInput } from "../json/hash-input.ts";
import type { BoundCall } from "../words/call.ts";
import type { LedgerError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { LedgerStore, Recalled } from "../words/ledger.ts";
import { failed, final, handoff, type Outcome, succeeded } from "../words/outcome.ts";
import { partyOf } from "../words/principal.ts";
import { unrecorded } from "./7-record/record.ts";

/** What a call under its caller's own key comes to without being made, or nothing if it is the first. */
export const once = (ledger: LedgerStore, call: BoundCall, at: number): Effect.Effect<Outcome | undefined> =>
  Effect.match(beforeOrFirst(ledger, call, at), {
    onSuccess: (outcome) => outcome,
    onFailure: (lost) => unrecorded(call.registration.key, lost, false),
  });

const beforeOrFirst = (
  ledger: LedgerStore,
  call: BoundCall,
  at: number,
): Effect.Effect<Outcome | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { trip, principal, registration, input } = call;
    const { reserve, recall } = ledger;
    if (trip.key === undefined || trip.isClaimed === true) return undefined;
    if (reserve === undefined || recall === undefined) return undefined;
    const { agent, user, tenant } = partyOf(principal);
    const { entryId, key } = trip;
    const claim = {
      key,
      entryId,
      tool: registration.key,
      inputHash: hashInput(input),
      agent,
      user,
      tenant,
      at,
    };
    const reservation = yield* reserve.call(ledger, claim);
    if (reservation.kind === "fresh") {
      trip.isClaimed = true;
      return undefined;
    }
    if (reservation.kind === "other") return refuse(call, "key_reused", reused(key));
    const kept = yield* recall.call(ledger, reservation.entryId);
    const before = kept === undefined ? undefined : outcomeOf(kept);
    if (before === undefined) return refuse(call, "still_running", running(key));
    trip.notes.push(`replayed from ${reservation.entryId}`);
    return before;
  });

/** What a finished call came to, from what the ledger kept; nothing while it is under way or waits. */
export const outcomeOf = ({ entry, result }: Recalled): Outcome | undefined => {
  const { ending, tool } = entry;
  if (ending === "executed") return result === undefined ? gone(tool) : toValue(entry, result);
  if (ending === "unknown") return unknown(tool);
  if (ending !== "failed") return undefined;
  const { code = "failed", message = "", ran } = entry;
  return failed({ code, tool, message, ...(ran === undefined ? {} : { ran }) });
};

const toValue = ({ flow, handoff: agent }: Recalled["entry"], text: string): Outcome => {
  const value: unknown = text === "" ? undefined : JSON.parse(text);
  if (flow === "handoff" && agent !== undefined) return handoff(agent, value);
  return flow === "final" ? final(value) : succeeded(value);
};

const unknown = (tool: string): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    ran: true,
    message: `The call of "${tool}" was under way when its process ended. It may have taken effect, so it is not made again. Find out before you ask for it again.`,
  });

const gone = (tool: string): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    ran: true,
    message: `The call of "${tool}" was made and succeeded, but its exact result is no longer kept.`,
  });

const refuse = ({ registration: { key: tool } }: BoundCall, code: FailureCode, message: string): Outcome =>
  failed({ code, tool, ran: false, message });

const reused = (key: string): string =>
  `The idempotency key "${key}" was used before, for another tool or other arguments. One key means one call.`;

const running = (key: string): string =>
  `A call under the idempotency key "${key}" is still under way, or waits for a person.`;
