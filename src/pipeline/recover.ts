import * as Effect from "effect/Effect";
import { hashText } from "../base/json/canonical-json.ts";
import { stringifyValue } from "../base/json/json-value.ts";
import type { ApprovalRecord, ApprovalRequest } from "../types/approval.ts";
import type { CallRequest } from "../types/call.ts";
import { type AnyToolError, type LedgerError, toError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import { type FailureCode, failures } from "../types/failures.ts";
import type { EntryTexts, LedgerEntry } from "../types/ledger.ts";
import { failed, isOutcome, type Outcome, type Reply } from "../types/outcome.ts";
import { reconcileActor } from "../types/settlement.ts";
import { isIdempotent, type Registration } from "../types/tool.ts";
import { findTool } from "./1-hydrate/find-tool.ts";
import { toReply, withRestoredParts } from "./8-reply/reply.ts";
import { runCall } from "./call.ts";
import type { CallServices, PipelineCallOptions } from "./call-state.ts";
import { toRecordedOutcome } from "./claim-keys.ts";
import { loadOnDemand } from "./maybe-effect.ts";
import { resumeCall } from "./pending/resume-call.ts";
import { toPendingOutcome } from "./pending/suspended-call.ts";

/**
 * For a call that an earlier process may have made. A completed call is replayed; a pending one resumes if it
 * was answered; one that was running is repeated only if the tool is idempotent.
 */
export const recoverCall = (
  services: CallServices,
  request: CallRequest,
  options?: PipelineCallOptions,
): Effect.Effect<Reply> => {
  const found = Effect.flatMap(findRecordedEntry(services, request, isActualCall), (kept) =>
    kept === undefined ? findRecordedEntry(services, request, matchAny) : Effect.succeed(kept),
  );
  return recoverFromRecord(services, request, found, options);
};

/**
 * For a session, whose framework may repeat a call. Models reuse ids, so only the same id, tool and arguments
 * mean the same call. A call that stopped before its code ran is made again if a retry can help.
 */
export const replayOrRunCall = (
  services: CallServices,
  request: CallRequest,
  options?: PipelineCallOptions,
): Effect.Effect<Reply> => {
  const isSame = matchSameCall(services, request);
  const found = Effect.flatMap(findRecordedEntry(services, request, isSame), (kept) =>
    kept === undefined && request.isRepeat === true && !isIdempotentCall(services, request)
      ? failIfForgotten(services, request)
      : Effect.succeed(kept),
  );
  return recoverFromRecord(services, request, found, options);
};

const failIfForgotten = (
  { ledger }: CallServices,
  { raw, scope }: CallRequest,
): Effect.Effect<undefined, AnyToolError> =>
  Effect.flatMap(ledger.entries({ runId: scope.id, callId: raw.id }), (entries) =>
    entries.length > 0 ? Effect.succeed(undefined) : Effect.fail(toError(forgottenCallFailure(raw.tool))),
  );

const forgottenCallFailure = (tool: string): Failure => ({
  code: "outcome_unknown",
  tool,
  message: `The call of "${tool}" was made before, and its record is no longer stored. Check whether it took effect before you request it again.`,
});

export type PriorCallState =
  | { readonly kind: "none" | "settled" }
  | { readonly kind: "waiting"; readonly approval: ApprovalRequest };

/** `settled` includes a call that was answered and runs with the next request. */
export const findPriorCall = (
  services: CallServices,
  request: CallRequest,
): Effect.Effect<PriorCallState, LedgerError> =>
  Effect.gen(function* () {
    const kept = yield* findRecordedEntry(services, request, matchSameCall(services, request));
    if (kept === undefined || kept.entry.ending === "hydrated") return { kind: "none" };
    if (kept.entry.ending !== "pending") return { kind: "settled" };
    const record = yield* findApprovalOf(services, kept);
    if (record?.status !== "waiting") return { kind: "settled" };
    const pendingOutcome = yield* toPendingOutcome(services, record);
    if (pendingOutcome._tag !== "pending") return { kind: "settled" };
    return { kind: "waiting", approval: pendingOutcome.suspension?.waitsFor[0] ?? pendingOutcome.approval };
  });

const findApprovalOf = (
  { approvals }: CallServices,
  { entry }: EntryTexts,
): Effect.Effect<ApprovalRecord | undefined, LedgerError> =>
  Effect.map(approvals.list({ runId: entry.runId }), (asked) => {
    const own = asked.filter(({ entryId }) => entryId === entry.entryId);
    return own.findLast(({ status }) => status === "waiting" || status === "answered") ?? own.at(-1);
  });

const recoverFromRecord = (
  services: CallServices,
  request: CallRequest,
  found: Effect.Effect<EntryTexts | undefined, AnyToolError>,
  options: PipelineCallOptions | undefined,
): Effect.Effect<Reply> => {
  const recovered = Effect.gen(function* () {
    const recorded = yield* found;
    const kept = recorded === undefined ? undefined : yield* reconcileUnknown(services, request, recorded);
    if (kept === undefined || kept.entry.ending === "hydrated" || hasReconciledAsNotRun(kept.entry)) {
      return yield* runCall(services, request, options);
    }
    const { entry, result = "" } = kept;
    if (entry.ending === "pending") return yield* resumePending(services, request, kept);
    if (entry.ending === "unknown" && isIdempotentCall(services, request)) {
      const reopened = Object.freeze({ ...request, entryId: entry.entryId, isAgain: true });
      return yield* runCall(services, reopened, { ...options, notes: [rerunNote] });
    }
    const outcome = toRecordedOutcome(kept, services.ledger) ?? callRunningOutcome(entry.tool);
    const recordedReply = toReply(request.raw, outcome, result, services.redactor, entry.taints);
    if (recordedReply.parts === undefined || request.principal === undefined) return recordedReply;
    const tool = findTool(services, request.raw.tool, request.principal, request.shown);
    return isOutcome(tool) ? recordedReply : withRestoredParts(recordedReply, tool.tool.implementation);
  });
  return Effect.catch(recovered, (error: AnyToolError) =>
    Effect.succeed(toReply(request.raw, failed(error.failure), "", services.redactor)),
  );
};

const reconcileModule = loadOnDemand(() => import("./reconcile.ts"));

/** Lets the tool's `reconcile` settle a call whose effect is unknown. If it cannot, the call stays unknown. */
const reconcileUnknown = (
  services: CallServices,
  request: CallRequest,
  kept: EntryTexts,
): Effect.Effect<EntryTexts, LedgerError> => {
  const { entry } = kept;
  const registration = findRegistration(services, request);
  if (entry.ending !== "unknown" || registration?.tool.reconcile === undefined) return Effect.succeed(kept);
  if (isIdempotent(registration.tool.spec)) return Effect.succeed(kept);
  const given = stringifyValue(request.raw.input);
  const text = kept.input ?? (hashText(given) === entry.inputHash ? given : undefined);
  return Effect.gen(function* () {
    const { reconcileRecordedCall } = yield* reconcileModule;
    const isSettled = yield* reconcileRecordedCall(services, entry, registration, text);
    if (isSettled !== true) return kept;
    return (yield* services.ledger.recall?.(entry.entryId) ?? Effect.succeed(undefined)) ?? kept;
  });
};

const hasReconciledAsNotRun = ({ settlement }: LedgerEntry): boolean =>
  settlement?.tookEffect === false && settlement.by === reconcileActor;

const rerunNote = "repeated: its process ended before its outcome was recorded";

const isActualCall = ({ code }: LedgerEntry): boolean => code !== "unreadable_call";

const matchAny = (): boolean => true;

const matchSameCall = (services: CallServices, request: CallRequest): ((entry: LedgerEntry) => boolean) => {
  const { raw, principal, shown } = request;
  const found = principal === undefined ? undefined : findTool(services, raw.tool, principal, shown);
  const key = found === undefined || isOutcome(found) ? raw.tool : found.key;
  const hash = hashText(stringifyValue(raw.input));
  return (entry) =>
    isActualCall(entry) &&
    entry.inputHash === hash &&
    (entry.tool === key || entry.tool === raw.tool) &&
    !isRetryableEntry(services, request, entry);
};

const isRetryableEntry = (
  services: CallServices,
  request: CallRequest,
  { ending, code, ran }: LedgerEntry,
): boolean => {
  if (ending !== "failed" || code === undefined) return false;
  if (ran !== true) return failures[code].retryable || interruptedCodes.has(code);
  return failures[code].retryable && isIdempotentCall(services, request);
};

const interruptedCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "cancelled",
  "not_answered",
  "ledger_unavailable",
  "claim_lost",
]);

export const findRecordedEntry = (
  { ledger }: Pick<CallServices, "ledger">,
  { raw, scope }: CallRequest,
  matches: (entry: LedgerEntry) => boolean,
): Effect.Effect<EntryTexts | undefined, LedgerError> =>
  Effect.flatMap(ledger.entries({ runId: scope.id, callId: raw.id }), (entries) => {
    const entry = entries.findLast(matches);
    if (entry === undefined) return Effect.succeed(undefined);
    const withoutTexts: EntryTexts = { entry, input: undefined, result: entry.result };
    if (ledger.recall === undefined) return Effect.succeed(withoutTexts);
    return Effect.map(ledger.recall(entry.entryId), (kept) => kept ?? withoutTexts);
  });

const resumePending = (
  services: CallServices,
  request: CallRequest,
  kept: EntryTexts,
): Effect.Effect<Reply, AnyToolError> =>
  Effect.gen(function* () {
    const { raw, principal, env, layers, shown, scope } = request;
    const record = yield* findApprovalOf(services, kept);
    if (record === undefined)
      return toReply(raw, approvalLostOutcome(kept.entry.tool), "", services.redactor);
    const answer = resumeCall(services, record.id, undefined, {
      principal,
      env,
      layers,
      shown,
      scope,
      input: raw.input,
    });
    return yield* Effect.catchIf(
      answer,
      (error) => stillPendingCodes.has(error.code),
      () =>
        Effect.map(toPendingOutcome(services, record), (pendingOutcome) =>
          toReply(raw, pendingOutcome, "", services.redactor),
        ),
    );
  });

/** The call stays pending: it has no answer yet, or the tool is not available in this process. */
const stillPendingCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "approval_required",
  "unknown_tool",
  "ambiguous_tool",
  "not_visible",
]);

const isIdempotentCall = (services: CallServices, request: CallRequest): boolean => {
  const registration = findRegistration(services, request);
  return registration !== undefined && isIdempotent(registration.tool.spec);
};

const findRegistration = (
  services: CallServices,
  { raw, principal, shown }: CallRequest,
): Registration | undefined => {
  const found = principal === undefined ? undefined : findTool(services, raw.tool, principal, shown);
  return found === undefined || isOutcome(found) ? undefined : found;
};

const approvalLostOutcome = (tool: string): Outcome =>
  failed({
    code: "approval_required",
    tool,
    message: `The call of "${tool}" is pending an approval that is no longer stored. The call did not run.`,
  });

const callRunningOutcome = (tool: string): Outcome =>
  failed({ code: "still_running", tool, message: `The call of "${tool}" is running.` });
