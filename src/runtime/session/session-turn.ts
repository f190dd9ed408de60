import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { addRunTaints } from "../../pipeline/recorder.ts";
import type { PriorCallState } from "../../pipeline/recover.ts";
import { declineCalls, requestSessionApproval, runSessionTurn } from "../../pipeline/session-calls.ts";
import type { SessionStepOptions } from "../../pipeline/tools-service.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { RawCall, RunCounters, RunScope } from "../../types/call.ts";
import type { ToolError } from "../../types/errors.ts";
import type { EventBus } from "../../types/event.ts";
import type { Reply } from "../../types/outcome.ts";
import { noLayerScopes } from "../../types/tool.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { readSessionCall, type SessionCall } from "./session-call.ts";
import {
  type LiveSession,
  type SessionClaim,
  type SessionClaimFailure,
  withSessionClaim,
} from "./session-claim.ts";
import {
  claimFailureToError,
  claimWaitOf,
  detachedScope,
  type ParsedSessionOptions,
  readOnlyScope,
  withBudget,
} from "./session-options.ts";

/** Progress of a session's call. */
export interface SessionProgress {
  readonly callId: string;
  readonly tool: string;
  readonly update: unknown;
}

/** Options of `session.turn`. */
export interface SessionTurnOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of parallel calls. Unless set: unlimited. */
  readonly maxConcurrency?: number | undefined;
  readonly env?: unknown;
  /** Receives progress of the running tools. */
  readonly onProgress?: ((progress: SessionProgress) => void) | undefined;
}

export const executeSessionTurn = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  given: readonly RawCall[],
  options: SessionTurnOptions,
): Effect.Effect<readonly Reply[]> => {
  const sessionCalls = given.map(readSessionCall);
  const taintsAt = captureTaints(live);
  const { waitMs } = session;
  const { signal } = options;
  const turn = withSessionClaim(shared.ledger, live, { waitMs, signal }, (claim) =>
    runCallsOnce(shared, session, live, claim, sessionCalls, taintsAt, options),
  );
  return Effect.catch(turn, (unclaimed: SessionClaimFailure) =>
    shared.tools.inSession(
      sessionCalls.map(({ call }) => call),
      toStepOptions(session, detachedScope(shared, session), undefined, options),
      (pipeline, requests, parent) => declineCalls(pipeline, requests, unclaimed, parent),
    ),
  );
};

/** Makes each call once. A repeated request for a running call waits for it and returns the same result. */
const runCallsOnce = (
  { tools, events }: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  claim: SessionClaim,
  calls: readonly SessionCall[],
  taintsAt: TaintsAtRequest,
  options: SessionTurnOptions,
): Effect.Effect<readonly Reply[], SessionClaimFailure> => {
  const keys = calls.map(({ key }) => key);
  return live.locks.hold(keys, options.signal, () => {
    const taintsAtRequest = taintsAt(claim.scope.tally);
    const judged = new Map<RawCall, readonly string[]>();
    const repeated = new Set<RawCall>();
    for (const { call, key } of calls) {
      judged.set(call, live.checkedCalls.get(key) ?? taintsAtRequest);
      live.checkedCalls.delete(key);
      if (live.madeCallKeys.has(key)) repeated.add(call);
    }
    const isNew = live.isAllKnown && calls.every(({ call }) => !live.recordedCalls.has(call.id));
    for (const { call } of calls) rememberSeenCall(live, call);
    const all = calls.map(({ call }) => call);
    const stopForwarding = forwardProgress(events, session.runId, all, options.onProgress);
    const step = { ...toStepOptions(session, claim.scope, claim.lease?.lost, options), judged, repeated };
    return Effect.onExit(runCallsInSession(tools, all, step, isNew), (exit) =>
      Effect.sync(() => {
        stopForwarding();
        const notStarted = Exit.isSuccess(exit) ? exit.value.filter(wasNotStarted).map(({ id }) => id) : [];
        for (const { call, key } of calls) if (!notStarted.includes(call.id)) live.madeCallKeys.add(key);
      }),
    );
  });
};

const rememberSeenCall = ({ recordedCalls }: LiveSession, { id, tool }: RawCall): void => {
  const tools = recordedCalls.get(id);
  if (tools?.includes(tool) !== true) recordedCalls.set(id, tools === undefined ? [tool] : [...tools, tool]);
};

const wasNotStarted = ({ failure }: Reply): boolean =>
  (failure?.code === "ledger_unavailable" || failure?.code === "claim_lost") && failure.ran !== true;

const runCallsInSession = (
  tools: SharedRuntime["tools"],
  calls: readonly RawCall[],
  step: SessionStepOptions,
  isNew: boolean,
): Effect.Effect<readonly Reply[]> =>
  tools.inSession(calls, step, (pipeline, requests, parent) => {
    const { maxConcurrency, signal, lost } = step;
    const limits = { maxConcurrency, signal, lost, parent };
    return Effect.map(runSessionTurn(pipeline, requests, isNew, limits), (all) => {
      for (const { taints } of all) if (taints !== undefined) addRunTaints(step.scope.tally, taints);
      return all;
    });
  });

const forwardProgress = (
  events: EventBus,
  runId: string,
  calls: readonly RawCall[],
  onProgress: SessionTurnOptions["onProgress"],
): (() => void) => {
  if (onProgress === undefined) return () => {};
  const ids = new Set(calls.map(({ id }) => id));
  return events.on("tools.progress", ({ runId: of, callId, toolName: tool, update }) => {
    if (of === runId && ids.has(callId)) onProgress({ callId, tool, update });
  });
};

export const requestCallApproval = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  given: RawCall,
): Effect.Effect<ApprovalRequest | undefined, ToolError> => {
  const { call, key } = readSessionCall(given);
  const taintsAt = captureTaints(live);
  const asked = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope, lease }) =>
    live.locks.hold([key], undefined, () => {
      const readBefore = taintsAt(scope.tally);
      const isNew = live.isAllKnown && !live.recordedCalls.has(call.id);
      const step = {
        ...toStepOptions(session, scope, lease?.lost, {}),
        judged: new Map([[call, readBefore]]),
      };
      const approvalEffect = shared.tools.inSession([call], step, (pipeline, [request], parent) =>
        requestSessionApproval(pipeline, request!, isNew, parent),
      );
      return Effect.tap(approvalEffect, (question) =>
        Effect.sync(() => {
          if (question === undefined) rememberTaints(live.checkedCalls, key, readBefore);
          else rememberSeenCall(live, call);
        }),
      );
    }),
  );
  return Effect.mapError(asked, claimFailureToError);
};

type TaintsAtRequest = (now: RunCounters) => readonly string[];

/**
 * Captures the taints when a call is requested: content that other calls read while it waits cannot have
 * caused it. If another process held the session meanwhile, the ledger's taints apply.
 */
const captureTaints = (live: LiveSession): TaintsAtRequest => {
  const { tally } = live;
  const taints = tally?.taints ?? noTaints;
  return (now) => ((tally === undefined ? live.isAllKnown : tally === now) ? taints : now.taints);
};

const noTaints: readonly string[] = Object.freeze([]);

/** Bounds the memory of calls that are checked and never made. */
const maxCheckedCalls = 1_000;

const rememberTaints = (
  judged: LiveSession["checkedCalls"],
  key: string,
  taints: readonly string[],
): void => {
  judged.set(key, taints);
  if (judged.size > maxCheckedCalls) judged.delete(judged.keys().next().value as string);
};

/** Status of a call: never requested, waiting for approval, or settled. */
export type SessionCallStatus = PriorCallState["kind"];

export const readSessionCallStatus = (
  { tools }: SharedRuntime,
  session: ParsedSessionOptions,
  given: RawCall,
): Effect.Effect<SessionCallStatus, ToolError> =>
  tools.inSession(
    [readSessionCall(given).call],
    toStepOptions(session, readOnlyScope(session), undefined, {}),
    (pipeline, [request]) => Effect.map(pipeline.earlier(request!), ({ kind }) => kind),
  );

const toStepOptions = (
  session: ParsedSessionOptions,
  scope: RunScope,
  lost: AbortSignal | undefined,
  { signal, maxConcurrency, env }: SessionTurnOptions,
): SessionStepOptions => ({
  scope: withBudget(session, scope),
  layers: noLayerScopes,
  shown: undefined,
  principal: session.principal,
  env,
  ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  ...(signal === undefined ? {} : { signal }),
  lost,
});
