import * as Effect from "effect/Effect";
import { hashInput } from "../base/json/canonical-json.ts";
import type { LedgerError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { EntryTexts, LedgerEntry } from "../types/ledger.ts";
import { type FailureOutcome, failed, type Outcome } from "../types/outcome.ts";
import { type CallerIdentity, callerIdentityOf } from "../types/principal.ts";
import { isUnsettled, settleInstructions } from "../types/settlement.ts";
import type { EffectKey } from "../types/tool.ts";
import { toCauseOutcome } from "./4-layers/gate.ts";
import { unrecordedOutcome } from "./7-record/record.ts";
import type { BoundCall, CallServices } from "./call-state.ts";
import { toRecordedOutcome } from "./claim-keys.ts";
import { withCallContext } from "./current-call.ts";
import { ledgerFlag } from "./ledger-flag.ts";
import { deferEffect, loadOnDemand, type MaybeEffect, type RestoreInterruption } from "./maybe-effect.ts";

/** Returns an outcome if the key belongs to another call, or undefined if this call may run. */
export const claimEffectKey = (
  services: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<Outcome | undefined> => {
  const { ledgerError, registration, recorder } = call;
  const { key: tool, tool: code } = registration;
  if (ledgerError !== undefined) return unrecordedOutcome(tool, ledgerError, false);
  const key = computeEffectKey(services, call, code.key!);
  if (typeof key !== "string") return key;
  const inputHash = hashInput(call.input);
  const claim = { key, inputHash, id: `${key}\n${inputHash}` };
  if (recorder.effectKey === claim.id) return undefined;
  const claiming = Effect.matchCause(claimOrReplay(services, call, claim, interruptible), {
    onSuccess: (outcome) => outcome,
    onFailure: (cause) => toCauseOutcome(cause, tool),
  });
  return deferEffect(claiming);
};

const computeEffectKey = (
  services: CallServices,
  call: BoundCall,
  { of }: EffectKey,
): string | FailureOutcome => {
  const { key: tool } = call.registration;
  const refuse = (why: string, cause?: unknown): FailureOutcome =>
    failed({
      code: "key_failed",
      tool,
      ran: false,
      message: `The call of "${tool}" did not run: its \`key\` function ${why}. Return a string that identifies the effect, such as an order number.`,
      ...(cause === undefined ? {} : { cause }),
    });
  try {
    const key = withCallContext(services, call, () => of(call.input));
    if (typeof key !== "string") return refuse(`returned ${describeKey(key)}`);
    return key.trim() === "" ? refuse("returned an empty string") : key;
  } catch (cause) {
    return refuse(`threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
};

const describeKey = (key: unknown): string => {
  if (key === null || key === undefined) return String(key);
  if (!(key instanceof Promise)) return typeof key === "object" ? "an object" : `a ${typeof key}`;
  // Its rejection must not end the process.
  key.catch(() => {});
  return "a promise, but the key is needed synchronously";
};

interface EffectKeyClaim {
  readonly key: string;
  readonly inputHash: string;
  readonly id: string;
}

/** The holder can release the key between the claim and the lookup, so the claim is repeated a few times. */
const maxClaimAttempts = 4;

const reconcileModule = loadOnDemand(() => import("./reconcile.ts"));

const claimOrReplay = (
  services: CallServices,
  call: BoundCall,
  claim: EffectKeyClaim,
  interruptible: RestoreInterruption,
): Effect.Effect<Outcome | undefined> =>
  Effect.gen(function* () {
    const { ledger } = services;
    const { registration, request, recorder, principal } = call;
    const { key: tool, tool: code } = registration;
    const { scope, retentionMs } = code.key!;
    const caller = callerIdentityOf(principal);
    if (ledger.reserve === undefined || ledger.recall === undefined)
      return refuseEffectKey(tool, keysUnsupported);
    recorder.effectKey = undefined;
    let first: EntryTexts | undefined;
    for (let claims = 0; claims < maxClaimAttempts; claims++) {
      const at = call.clock.currentTimeMillisUnsafe();
      const reservation = yield* ledger.reserve({
        key: claim.key,
        effect: { scope, retentionMs },
        entryId: request.entryId,
        tool,
        inputHash: claim.inputHash,
        agent: caller.agent,
        user: caller.user,
        tenant: caller.tenant,
        epoch: request.scope.epoch,
        at,
      });
      if (reservation.kind === "fresh") {
        recorder.effectKey = claim.id;
        return undefined;
      }
      const { entryId } = reservation;
      if (reservation.kind === "other") return refuseEffectKey(tool, effectKeyReused(tool, entryId));
      first = yield* ledger.recall(entryId);
      if (first === undefined) continue;
      if (!isInScope(first.entry, code.key!, caller))
        return refuseEffectKey(tool, effectKeyOutOfScope(tool, entryId));
      const next = yield* resolveExistingClaim(services, call, first, interruptible);
      if (next !== "claim again") return next;
    }
    return refuseEffectKey(tool, effectKeyStillRunning(tool, first?.entry.entryId));
  }).pipe(
    Effect.catch((lost: LedgerError) =>
      Effect.succeed(unrecordedOutcome(call.registration.key, lost, false)),
    ),
  );

/** Returns the outcome of the call that holds the key. */
const resolveExistingClaim = (
  services: CallServices,
  call: BoundCall,
  first: EntryTexts,
  interruptible: RestoreInterruption,
): Effect.Effect<Outcome | "claim again", LedgerError> =>
  Effect.gen(function* () {
    const { key: tool, tool: code } = call.registration;
    const { entry } = first;
    const flags = ledgerFlag(services.ledger.place);
    if (entry.ending === "open") return refuseEffectKey(tool, effectKeyStillRunning(tool, entry.entryId));
    if (entry.ending === "pending" || entry.ending === "hydrated") {
      const { closeExpiredCall } = yield* reconcileModule;
      const isFree = yield* closeExpiredCall(services, entry, call.clock.currentTimeMillisUnsafe());
      return isFree ? "claim again" : refuseEffectKey(tool, effectKeyPending(tool, entry, flags));
    }
    if (code.reconcile !== undefined && isUnsettled(entry)) {
      const { reconcileCall } = yield* reconcileModule;
      const asked = { entry, input: call.input, registration: call.registration, call };
      const reconciled = Effect.orElseSucceed(reconcileCall(services, asked), () => false);
      const isSettled = yield* interruptible(reconciled);
      if (isSettled) return "claim again";
    }
    if (entry.ending === "unknown")
      return refuseEffectKey(tool, effectKeyOutcomeUnknown(tool, entry.entryId, flags));
    const replayed = toRecordedOutcome(first, services.ledger);
    if (replayed === undefined) return refuseEffectKey(tool, effectKeyStillRunning(tool, entry.entryId));
    call.recorder.note(`replayed from ${entry.entryId}`);
    const hasNoResult = entry.settlement?.tookEffect === true && first.result === undefined;
    if (hasNoResult && code.output !== undefined)
      return refuseEffectKey(tool, effectKeyDoneWithoutResult(tool, entry.entryId));
    if (replayed._tag !== "failure" || !isUnsettled(entry)) return replayed;
    return failed({ ...replayed.failure, detail: settleInstructions(entry.entryId, flags) }, replayed.taints);
  });

/** Prevents a manipulated key row from exposing a result outside of its scope. */
const isInScope = (entry: LedgerEntry, { scope }: EffectKey, caller: CallerIdentity): boolean =>
  scope === "global" ||
  (entry.tenant === caller.tenant &&
    (scope !== "user" || entry.user === caller.user) &&
    (scope !== "agent" || entry.agent === caller.agent));

type KeyRefusal = Pick<Failure, "code" | "message" | "detail">;

const refuseEffectKey = (tool: string, refusal: KeyRefusal): Outcome =>
  failed({ tool, ran: false, ...refusal });

const keysUnsupported: KeyRefusal = {
  code: "key_failed",
  message:
    "The ledger of this runtime does not store keys, so a tool with a `key` cannot run. Use sqlite: or postgres:.",
};

const effectKeyReused = (tool: string, entryId: string): KeyRefusal => ({
  code: "key_reused",
  message: `A call of "${tool}" for the same purpose was made before with other arguments. This call did not run.`,
  detail: `The call ${entryId} has the key. haft log ${entryId} shows its arguments.`,
});

const effectKeyStillRunning = (tool: string, entryId: string | undefined): KeyRefusal => ({
  code: "still_running",
  message: `A call of "${tool}" for the same purpose is still running. This call did not run.`,
  detail: `The call ${entryId ?? "that has the key"} is running.`,
});

const effectKeyPending = (tool: string, { entryId, runId }: LedgerEntry, flags: string): KeyRefusal => ({
  code: "key_pending",
  message: `A call of "${tool}" with the same key is pending approval. This call did not run.`,
  detail: `The call ${entryId} has the key and is pending. haft approvals${flags} lists its approval request; once it is approved, haft resume ${runId}${flags} makes the call.`,
});

const effectKeyOutcomeUnknown = (tool: string, entryId: string, flags: string): KeyRefusal => ({
  code: "outcome_unknown",
  message: `A call of "${tool}" for the same purpose was made before, and it is unknown whether it took effect. It is not repeated until an operator has settled it.`,
  detail: settleInstructions(entryId, flags),
});

const effectKeyOutOfScope = (tool: string, entryId: string): KeyRefusal => ({
  code: "outcome_unknown",
  message: `A call of "${tool}" for the same purpose was made before, and its result cannot be read. This call did not run.`,
  detail: `The key points to the call ${entryId} of another caller. Run haft log --verify to check whether the ledger was changed.`,
});

const effectKeyDoneWithoutResult = (tool: string, entryId: string): KeyRefusal => ({
  code: "already_done",
  message: `The call of "${tool}" was made before and took effect. Its result is unknown. Do not call it again for the same purpose.`,
  detail: `The call ${entryId} was settled without a result.`,
});
