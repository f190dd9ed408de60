import * as Effect from "effect/Effect";
import { freezeJson, isObject } from "../base/json/json-value.ts";
import { readJson } from "../base/json/read-json.ts";
import type { LedgerError } from "../types/errors.ts";
import type { LedgerEntry, SettlementRequest } from "../types/ledger.ts";
import { succeeded } from "../types/outcome.ts";
import { reconcileActor } from "../types/settlement.ts";
import type { ReconcileContext, Registration } from "../types/tool.ts";
import { idempotencyKeyOf } from "./5-run/running-context.ts";
import { checkResult } from "./6-check/check.ts";
import type { BoundCall, CallServices } from "./call-state.ts";
import { toRunningCall, withCallContextAsync } from "./current-call.ts";

export interface UnsettledCall {
  readonly entry: LedgerEntry;
  readonly input: unknown;
  readonly registration: Registration;
  readonly call?: BoundCall;
}

/** False if the effect stays unknown. */
export const reconcileCall = (
  services: Pick<CallServices, "ledger" | "settings" | "runtime" | "approvals">,
  unsettled: UnsettledCall,
): Effect.Effect<boolean, LedgerError> =>
  Effect.gen(function* () {
    const { settle } = services.ledger;
    if (settle === undefined) return false;
    const answer = yield* callReconcile(services, unsettled);
    const request = toSettlementRequest(services, unsettled, answer);
    if (request === undefined) return false;
    const { kind } = yield* settle.call(services.ledger, request);
    // Another process may have settled it concurrently.
    return kind === "done" || kind === "settled";
  });

/** Undefined if the recorded arguments cannot be used. */
export const reconcileRecordedCall = (
  services: Pick<CallServices, "ledger" | "settings" | "runtime" | "approvals">,
  entry: LedgerEntry,
  registration: Registration,
  text: string | undefined,
): Effect.Effect<boolean | undefined, LedgerError> => {
  const reading = text === undefined ? undefined : readJson(text);
  const validation = reading?.ok === true ? registration.tool.input(reading.value) : undefined;
  if (validation?.ok !== true) return Effect.succeed(undefined);
  return reconcileCall(services, { entry, input: freezeJson(validation.value), registration });
};

const callReconcile = (
  services: Pick<CallServices, "settings" | "runtime" | "approvals" | "ledger">,
  { entry, input, registration, call }: UnsettledCall,
): Effect.Effect<unknown> => {
  const { reconcile } = registration.tool;
  const invoke = (signal: AbortSignal): unknown => {
    const context: ReconcileContext = Object.freeze({
      callId: entry.callId,
      idempotencyKey: idempotencyKeyOf(entry, entry.key, entry.entryId),
      tool: registration.key,
      calledAt: entry.at,
      agent: entry.agent,
      user: entry.user,
      tenant: entry.tenant,
      signal,
    });
    const code = (): unknown => reconcile?.(input, context);
    return call === undefined ? code() : withCallContextAsync(toRunningCall(services, call), code);
  };
  const note = (why: string): void => call?.recorder.note(`reconcile of ${entry.entryId}: ${why}`);
  const answer = Effect.tryPromise({
    try: (signal) => Promise.resolve(invoke(signal)),
    catch: (thrown) => thrown,
  });
  return answer.pipe(
    Effect.timeoutOrElse({
      duration: services.settings.defaultTimeoutMs,
      orElse: () => Effect.sync(() => note("no answer in time")),
    }),
    Effect.catch((thrown) => Effect.sync(() => note(`it threw: ${String(thrown)}`))),
  );
};

const toSettlementRequest = (
  { settings }: Pick<CallServices, "settings">,
  { entry, registration, call }: UnsettledCall,
  answer: unknown,
): SettlementRequest | undefined => {
  if (!isObject(answer)) return undefined;
  const { tookEffect, output } = answer;
  const { entryId } = entry;
  if (tookEffect === false) return { entryId, tookEffect, by: reconcileActor };
  if (tookEffect !== true) return undefined;
  const checked = checkResult(registration, succeeded(output), settings);
  if (checked.outcome._tag === "value")
    return { entryId, tookEffect, by: reconcileActor, result: checked.text };
  const why = checked.outcome._tag === "failure" ? checked.outcome.failure.message : "it is pending";
  call?.recorder.note(`reconcile of ${entryId}: ${why}`);
  return undefined;
};

/**
 * Closes a pending call whose approval expired or is void, so that it releases its key. False if it can still
 * be approved.
 */
export const closeExpiredCall = (
  { ledger, approvals, pendingCalls: waiting }: CallServices,
  entry: LedgerEntry,
  at: number,
): Effect.Effect<boolean, LedgerError> =>
  Effect.gen(function* () {
    if (entry.ending !== "pending" || entry.attempts?.some(({ ran }) => ran) === true) return false;
    const all = yield* approvals.list({ runId: entry.runId });
    const requests = all.filter(({ entryId }) => entryId === entry.entryId);
    const isOpen = requests.some(
      ({ status, expiresAt }) =>
        status === "answered" || (status === "waiting" && (expiresAt === undefined || expiresAt > at)),
    );
    if (isOpen || requests.length === 0) return false;
    for (const { id, status } of requests) {
      waiting.delete(id);
      if (status === "waiting") yield* approvals.take(id, at);
    }
    const closing = ledger.close({
      entryId: entry.entryId,
      ending: "failed",
      tool: entry.tool,
      code: "approval_expired",
      message: `The call of "${entry.tool}" was not approved in time. It did not run.`,
      decision: undefined,
      flow: undefined,
      result: undefined,
      original: undefined,
      notes: entry.notes ?? [],
      durationMs: entry.durationMs ?? 0,
      ran: false,
    });
    // Another process may have closed it concurrently.
    yield* Effect.ignore(closing);
    return true;
  });
