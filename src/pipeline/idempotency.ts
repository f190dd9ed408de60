import * as Effect from "effect/Effect";
import { hashInput } from "../json/hash-input.ts";
import type { LedgerError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { Recalled } from "../words/ledger.ts";
import { failed, final, handoff, type Outcome, succeeded, type Value, withTaints } from "../words/outcome.ts";
import { partyOf } from "../words/principal.ts";
import { unrecorded } from "./7-record/record.ts";
import type { CallServices } from "./call-services.ts";
import type { BoundCall } from "./call-state.ts";
import { type Eventually, later } from "./eventually.ts";
import { keepKey } from "./recorder.ts";

/**
 * What a call under its caller's own key comes to without being made: what came of the first call under that key. Nothing
 * if it has no key, or is the first.
 */
export const claimIdempotencyKey = (
  services: CallServices,
  call: BoundCall,
): Eventually<Outcome | undefined> => {
  if (call.request.key === undefined || call.ledgerError !== undefined) return undefined;
  const reserved = reserve(services, call, call.clock.currentTimeMillisUnsafe());
  return later(
    Effect.match(reserved, {
      onSuccess: (outcome) => outcome,
      onFailure: (lost) => unrecorded(call.registration.key, lost, false),
    }),
  );
};

const reserve = (
  { ledger }: CallServices,
  call: BoundCall,
  at: number,
): Effect.Effect<Outcome | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { request, recorder, principal, registration, input } = call;
    const { entryId, key, scope } = request;
    if (key === undefined || recorder.holdsKey) return undefined;
    if (ledger.reserve === undefined || ledger.recall === undefined) return undefined;
    const { agent, user, tenant } = partyOf(principal);
    const reservation = yield* ledger.reserve({
      key,
      entryId,
      tool: registration.key,
      inputHash: hashInput(input),
      agent,
      user,
      tenant,
      epoch: scope.epoch,
      at,
    });
    if (reservation.kind === "fresh") {
      keepKey(recorder);
      return undefined;
    }
    if (reservation.kind === "other") return refuse(call, "key_reused", reused(key));
    const kept = yield* ledger.recall(reservation.entryId);
    const before = kept === undefined ? undefined : outcomeOf(kept);
    if (before === undefined) return refuse(call, "still_running", running(key));
    recorder.note(`replayed from ${reservation.entryId}`);
    return before;
  });

/** What a finished call came to, from what the ledger kept; nothing while it is under way or waits. */
export const outcomeOf = ({ entry, result, parts }: Recalled): Outcome | undefined => {
  const { ending, tool, media, taints = [] } = entry;
  if (ending === "executed") {
    const isKept = result !== undefined && (media === undefined || parts !== undefined);
    return withTaints(isKept ? withParts(toValue(entry, result), parts) : notKept(tool), taints);
  }
  if (ending === "unknown") return unknownOutcome(tool);
  if (ending !== "failed") return undefined;
  const { code = "failed", message = "", ran, claimsNotRun } = entry;
  const claim = claimsNotRun === undefined ? {} : { claimsNotRun };
  return failed({ code, tool, message, ...(ran === undefined ? {} : { ran }), ...claim }, taints);
};

const withParts = (outcome: Value, parts: Recalled["parts"]): Value =>
  parts === undefined ? outcome : { ...outcome, parts };

const toValue = ({ flow, handoff: agent }: Recalled["entry"], text: string): Value => {
  const value: unknown = text === "" ? undefined : JSON.parse(text);
  if (flow === "handoff" && agent !== undefined) return handoff(agent, value);
  return flow === "final" ? final(value) : succeeded(value);
};

const unknownOutcome = (tool: string): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    ran: true,
    message: `The call of "${tool}" was under way when its process ended. It may have taken effect, so it is not made again. Find out before you ask for it again.`,
  });

const notKept = (tool: string): Outcome =>
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
