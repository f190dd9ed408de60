import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { isAddressReader, isSink } from "../policy/taint.ts";
import type { ApprovalDecision } from "../types/approval.ts";
import type { CallRequest, RunningCall } from "../types/call.ts";
import type { AnyToolError, LedgerError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import { isOutcome, type Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import { isReadOnly, noLayerScopes } from "../types/tool.ts";
import { findTool } from "./1-hydrate/find-tool.ts";
import { permittedCallOf } from "./3-authorize/authorize.ts";
import { createGate, createLayerStackCache } from "./4-layers/gate.ts";
import { createAttemptRunner } from "./5-run/run.ts";
import { declineCall, runCall } from "./call.ts";
import type { CallServices, PipelineCallOptions, PipelineOptions } from "./call-state.ts";
import { reclaimKey } from "./claim-keys.ts";
import type { PausedCall, RefusedCall } from "./hydrate-only.ts";
import { flatMapMaybe, loadOnDemand } from "./maybe-effect.ts";
import type { PendingCallRef, PendingCallStatus } from "./pending/poll-pending-call.ts";
import type { ResumeCallOptions } from "./pending/resume-call.ts";
import { reauthorize } from "./prepare.ts";
import type { PriorCallState } from "./recover.ts";
import type { SettlementFinding } from "./settle.ts";

export { runningCallOf } from "./5-run/running-context.ts";
export { toModelText, toReply } from "./8-reply/reply.ts";
export { currentCall } from "./current-call.ts";
export type { PausedCall, RefusedCall } from "./hydrate-only.ts";
export type { PendingCallRef, PendingCallStatus } from "./pending/poll-pending-call.ts";
export type { ResumeCallOptions } from "./pending/resume-call.ts";

/** The operations of the pipeline over one set of services. */
export interface ToolPipeline {
  /** Whether a running call belongs to this runtime. */
  readonly isOwn: (call: RunningCall) => boolean;
  /** Makes a call. Never fails; an interrupted call still closes its entry. */
  readonly call: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** Stops before any code runs; a valid call continues when the orchestrator resumes it. */
  readonly hydrate: (
    request: CallRequest,
    options?: PipelineCallOptions,
  ) => Effect.Effect<PausedCall | RefusedCall>;
  /** Records a call that is refused before hydration, such as one with a duplicate id. */
  readonly refuse: (
    request: CallRequest,
    failure: Failure,
    options?: PipelineCallOptions,
  ) => Effect.Effect<RefusedCall>;
  /** Records a call that does not run because its turn ended. */
  readonly decline: (
    request: CallRequest,
    failure: Failure,
    options?: PipelineCallOptions,
  ) => Effect.Effect<Reply>;
  /** Replays a call that an earlier process may have made, or makes it. */
  readonly recover: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** Replays a call that a session may have requested before, or makes it. */
  readonly again: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** State of such a call; does not resume it. */
  readonly earlier: (request: CallRequest) => Effect.Effect<PriorCallState, LedgerError>;
  /** Whether no call of this tool can require approval. */
  readonly neverAsks: (tool: string, principal: Principal) => boolean;
  /** Whether the call requires an approval that is not available yet. Writes and runs nothing. */
  readonly wouldAsk: (request: CallRequest) => Effect.Effect<boolean>;
  /** Requests the approval that a call requires. Runs nothing. */
  readonly askOnly: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** Resumes a pending call. Ids that are unknown, answered or another caller's give the same error. */
  readonly resume: (
    approvalId: string,
    /** Unless set: the recorded answer. */
    decision: ApprovalDecision | undefined,
    resuming: ResumeCallOptions,
  ) => Effect.Effect<Reply, AnyToolError>;
  /**
   * Records whether a call with an unknown effect took effect; without a finding, the tool's `reconcile`
   * decides.
   */
  readonly settle: (
    callId: string,
    finding: SettlementFinding | undefined,
    /** Entries that the caller may settle. Unless set: all. */
    isVisible?: (entry: LedgerEntry) => boolean,
  ) => Effect.Effect<LedgerEntry, AnyToolError>;
  /** Returns the state of a pending call, and resumes it if it was answered. */
  readonly askAgain: (
    request: PendingCallRef,
    resuming: ResumeCallOptions,
  ) => Effect.Effect<PendingCallStatus, AnyToolError>;
}

/** The service of one runtime's pipeline. `Tools` and `Agents` use it. */
export class Pipeline extends Context.Service<Pipeline, ToolPipeline>()("haft/Pipeline") {}

// Loaded on demand, because most programs never resume, recover or settle calls.
const resumeModule = loadOnDemand(() => import("./pending/resume-call.ts"));
const wakeModule = loadOnDemand(() => import("./pending/wake-run-if-answered.ts"));
const hydrateModule = loadOnDemand(() => import("./hydrate-only.ts"));
const recoverModule = loadOnDemand(() => import("./recover.ts"));
const pollModule = loadOnDemand(() => import("./pending/poll-pending-call.ts"));
const settleModule = loadOnDemand(() => import("./settle.ts"));
const requiresApprovalModule = loadOnDemand(() => import("./requires-approval.ts"));

export const createPipeline = (options: PipelineOptions): ToolPipeline => {
  const services: CallServices = {
    ...options,
    pendingCalls: new Map(),
    resumedRuns: new Map(),
    resumeIfAnswered: (call, suspended, reply) =>
      Effect.flatMap(resumeModule, ({ resumeIfAnswered }) =>
        resumeIfAnswered(services, call, suspended, reply),
      ),
    stackOf: createLayerStackCache(options.layers, (mode) => enter(mode)),
  };
  const enter = createGate(services, {
    permittedCallOf: permittedCallOf,
    reauthorize: (call, input, mode) =>
      flatMapMaybe(reauthorize(services, call, input, mode), (again) => reclaimKey(services, again)),
    run: createAttemptRunner(services),
  });
  return {
    isOwn: ({ runtime }) => runtime === services.runtime,
    call: (request, running) => runCall(services, request, running),
    hydrate: (request, calling) =>
      Effect.flatMap(hydrateModule, ({ hydrateOnly }) => hydrateOnly(services, request, calling)),
    refuse: (request, failure, calling) =>
      Effect.flatMap(hydrateModule, ({ refuseHydration: refuseOnly }) =>
        refuseOnly(services, request, failure, calling),
      ),
    decline: (request, failure, calling) => declineCall(services, request, failure, calling),
    recover: (request, running) =>
      Effect.flatMap(recoverModule, ({ recoverCall }) => recoverCall(services, request, running)),
    again: (request, running) =>
      Effect.flatMap(recoverModule, ({ replayOrRunCall: callAgain }) =>
        callAgain(services, request, running),
      ),
    earlier: (request) =>
      Effect.flatMap(recoverModule, ({ findPriorCall: findEarlier }) => findEarlier(services, request)),
    neverAsks: (tool, principal) => isAlwaysAllowed(services, tool, principal),
    wouldAsk: (request) =>
      Effect.flatMap(requiresApprovalModule, ({ requiresApproval: wouldAsk }) => wouldAsk(services, request)),
    askOnly: (request, running) =>
      Effect.flatMap(requiresApprovalModule, ({ requestApprovalOnly: askOnly }) =>
        askOnly(services, request, running),
      ),
    resume: (approvalId, decision, given) =>
      Effect.flatMap(resumeModule, ({ resumeCall }) => {
        const resumed = resumeCall(services, approvalId, decision, given);
        // A run that resumes its own call needs no wake-up.
        if (given.scope !== undefined) return resumed;
        return Effect.tap(resumed, () =>
          Effect.flatMap(wakeModule, ({ wakeRunIfAnswered: wakeIfAnswered }) =>
            wakeIfAnswered(services, approvalId),
          ),
        );
      }),
    settle: (callId, finding, isVisible) =>
      Effect.flatMap(settleModule, ({ settleCall }) => settleCall(services, callId, finding, isVisible)),
    askAgain: (request, given) =>
      Effect.flatMap(pollModule, ({ pollPendingCall: askAgain }) => askAgain(services, request, given)),
  };
};

/** Whether no call of this tool can require approval, for any arguments and taints. */
const isAlwaysAllowed = (services: CallServices, tool: string, principal: Principal): boolean => {
  const found = findTool(services, tool, principal, undefined);
  if (isOutcome(found)) return true;
  if (!isReadOnly(found.tool.spec) || isSink(found.tool) || isAddressReader(found.tool)) return false;
  if (services.policy.settled?.(principal, found)?.effect !== "allow") return false;
  try {
    return services.stackOf(found.tool, noLayerScopes).approvers.length === 0;
  } catch {
    return false;
  }
};
