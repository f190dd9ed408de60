import * as Effect from "effect/Effect";
import { hashInput } from "../base/json/canonical-json.ts";
import type { LedgerError } from "../types/errors.ts";
import type { FailureCode } from "../types/failures.ts";
import type { EntryTexts, LedgerStore } from "../types/ledger.ts";
import {
  failed,
  final,
  handoff,
  type Outcome,
  succeeded,
  type ValueOutcome,
  withTaints,
} from "../types/outcome.ts";
import { callerIdentityOf } from "../types/principal.ts";
import { settleInstructions } from "../types/settlement.ts";
import { unrecordedOutcome } from "./7-record/record.ts";
import {
  type BoundCall,
  type CallServices,
  isAwaitingApproval,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "./call-state.ts";
import { ledgerFlag } from "./ledger-flag.ts";
import {
  deferEffect,
  flatMapMaybe,
  loadOnDemand,
  type MaybeEffect,
  type RestoreInterruption,
  toEffect,
} from "./maybe-effect.ts";
import type { PreparedCall } from "./prepare.ts";

/** Returns an outcome if a key belongs to another call, or undefined if this call may run. */
export const claimKeys = (
  services: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome | undefined> => {
  const callerKeyOutcome = claimIdempotencyKey(services, call);
  return call.registration.tool.key === undefined
    ? callerKeyOutcome
    : flatMapMaybe(callerKeyOutcome, (outcome) => outcome ?? claimToolKey(services, call, interruptible));
};

/** Returns the outcome of the first call with the key, or undefined if this call may run. */
const claimIdempotencyKey = (services: CallServices, call: BoundCall): MaybeEffect<Outcome | undefined> => {
  if (call.request.key === undefined || call.ledgerError !== undefined) return undefined;
  const reserved = reserveIdempotencyKey(services, call, call.clock.currentTimeMillisUnsafe());
  return deferEffect(
    Effect.match(reserved, {
      onSuccess: (outcome) => outcome,
      onFailure: (ledgerError) => unrecordedOutcome(call.registration.key, ledgerError, false),
    }),
  );
};

const reserveIdempotencyKey = (
  { ledger }: CallServices,
  call: BoundCall,
  at: number,
): Effect.Effect<Outcome | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { request, recorder, principal, registration, input } = call;
    const { entryId, key, scope } = request;
    if (key === undefined || recorder.holdsKey) return undefined;
    if (ledger.reserve === undefined || ledger.recall === undefined) return undefined;
    const { agent, user, tenant } = callerIdentityOf(principal);
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
      recorder.holdsKey = true;
      return undefined;
    }
    if (reservation.kind === "other")
      return refuseIdempotencyKey(call, "key_reused", idempotencyKeyReusedMessage(key));
    const record = yield* ledger.recall(reservation.entryId);
    const replayed = record === undefined ? undefined : toRecordedOutcome(record, ledger);
    if (replayed === undefined)
      return refuseIdempotencyKey(call, "still_running", idempotencyKeyRunningMessage(key));
    recorder.note(`replayed from ${reservation.entryId}`);
    return replayed;
  });

/** Undefined while the call is running or pending. */
export const toRecordedOutcome = (
  { entry, result, parts }: EntryTexts,
  ledger: Pick<LedgerStore, "place">,
): Outcome | undefined => {
  const { ending, tool, media, taints = [] } = entry;
  if (ending === "executed") {
    if (entry.settlement !== undefined && result === undefined) return succeeded(alreadyDoneText);
    const isResultKept = result !== undefined && (media === undefined || parts !== undefined);
    return withTaints(
      isResultKept ? withParts(toFlowValue(entry, result), parts) : resultNotKept(tool),
      taints,
    );
  }
  if (ending === "unknown") return toUnknownOutcome(entry, ledger);
  if (ending !== "failed") return undefined;
  const { code = "failed", message = "", ran, claimsNotRun } = entry;
  const claim = claimsNotRun === undefined ? {} : { claimsNotRun };
  return failed({ code, tool, message, ...(ran === undefined ? {} : { ran }), ...claim }, taints);
};

const withParts = (outcome: ValueOutcome, parts: EntryTexts["parts"]): ValueOutcome =>
  parts === undefined ? outcome : { ...outcome, parts };

const toFlowValue = ({ flow, handoff: agent }: EntryTexts["entry"], text: string): ValueOutcome => {
  const value: unknown = text === "" ? undefined : JSON.parse(text);
  if (flow === "handoff" && agent !== undefined) return handoff(agent, value);
  return flow === "final" ? final(value) : succeeded(value);
};

const alreadyDoneText = "Already done: this call was made before and took effect.";

const toUnknownOutcome = (
  { tool, entryId }: EntryTexts["entry"],
  { place }: Pick<LedgerStore, "place">,
): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    ran: true,
    message: `The call of "${tool}" was running when its process ended. It may have taken effect, so it is not repeated. Check whether it took effect before you request it again.`,
    detail: settleInstructions(entryId, ledgerFlag(place)),
  });

const resultNotKept = (tool: string): Outcome =>
  failed({
    code: "outcome_unknown",
    tool,
    ran: true,
    message: `The call of "${tool}" ran and succeeded, but its exact result is no longer stored.`,
  });

const refuseIdempotencyKey = (
  { registration: { key: tool } }: BoundCall,
  code: FailureCode,
  message: string,
): Outcome => failed({ code, tool, ran: false, message });

const idempotencyKeyReusedMessage = (key: string): string =>
  `The idempotency key "${key}" was already used for another tool or other arguments. Use one key per call.`;

const idempotencyKeyRunningMessage = (key: string): string =>
  `A call with the idempotency key "${key}" is still running, or is pending.`;

export const reclaimKey = (services: CallServices, prepared: PreparedCall): MaybeEffect<PreparedCall> => {
  if (isStopped(prepared) || isAwaitingApproval(prepared) || prepared.registration.tool.key === undefined)
    return prepared;
  const claimed = claimToolKey(services, prepared, (effect) => effect);
  return flatMapMaybe(claimed, (replayed): PermittedCall | StoppedCall =>
    replayed === undefined ? prepared : stopCall(prepared, replayed),
  );
};

const effectKeyModule = loadOnDemand(() => import("./effect-key.ts"));

const claimToolKey = (
  services: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome | undefined> =>
  deferEffect(
    Effect.flatMap(effectKeyModule, ({ claimEffectKey }) =>
      toEffect(claimEffectKey(services, call, interruptible)),
    ),
  );
