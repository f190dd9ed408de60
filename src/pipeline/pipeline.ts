import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { ApprovalDecision } from "../types/approval.ts";
import type { CallRequest, RunningCall } from "../types/call.ts";
import type { AnyToolError, LedgerError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import type { Principal } from "../types/principal.ts";
import type { Reply } from "../types/reply.ts";
import { permittedCallOf } from "./3-authorize/issue-permit.ts";
import { createGate } from "./4-layers/gate.ts";
import { createLayerStackCache } from "./4-layers/layer-stack.ts";
import { createAttemptRunner } from "./5-run/run.ts";
import { declineCall, runCall } from "./call.ts";
import type { CallServices, PipelineOptions } from "./call-services.ts";
import type { PipelineCallOptions } from "./call-state.ts";
import { reclaimKey } from "./claim-keys.ts";
import type { PausedCall, RefusedCall } from "./hydrate-only.ts";
import { isAlwaysAllowed } from "./is-always-allowed.ts";
import { loadOnDemand } from "./load-on-demand.ts";
import { flatMapMaybe } from "./maybe-effect.ts";
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

/** Every way into the corridor, over one set of services. */
export interface ToolPipeline {
  /** Whether a call whose code runs is one of this runtime. */
  readonly isOwn: (call: RunningCall) => boolean;
  /** From a request to its one reply. Never fails; when interrupted, the entry is closed all the same. */
  readonly call: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** Stops before any code runs; what can be used goes on when its orchestrator says so. */
  readonly hydrate: (
    request: CallRequest,
    options?: PipelineCallOptions,
  ) => Effect.Effect<PausedCall | RefusedCall>;
  /** The same for a call that is not hydrated at all, such as one whose id came before. */
  readonly refuse: (
    request: CallRequest,
    failure: Failure,
    options?: PipelineCallOptions,
  ) => Effect.Effect<RefusedCall>;
  /** Seen and answered, but not run: the turn ended before its time came. */
  readonly decline: (
    request: CallRequest,
    failure: Failure,
    options?: PipelineCallOptions,
  ) => Effect.Effect<Reply>;
  /** What came of a call that an earlier process made; one that never started is made now. */
  readonly recover: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** What came of a call that the driver of a session may have asked for before; one that never started is made now. */
  readonly again: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** How such a call stands, without going on with it. */
  readonly earlier: (request: CallRequest) => Effect.Effect<PriorCallState, LedgerError>;
  /** Whether no call of this tool needs a person, as far as that can be known without one. */
  readonly neverAsks: (tool: string, principal: Principal) => boolean;
  /** Whether a person would have to answer before this call ran. Nothing is written, and nothing runs. */
  readonly wouldAsk: (request: CallRequest) => Effect.Effect<boolean>;
  /** Makes a call as far as its question, if it has one. Starts nothing. */
  readonly askOnly: (request: CallRequest, options?: PipelineCallOptions) => Effect.Effect<Reply>;
  /** Goes on with a pending call. An id that is unknown, answered or another caller's is all the same. */
  readonly resume: (
    approvalId: string,
    /** Left out, the answer is the one that the ledger has. */
    decision: ApprovalDecision | undefined,
    resuming: ResumeCallOptions,
  ) => Effect.Effect<Reply, AnyToolError>;
  /** Records whether a call whose effect is unknown took effect; without a finding the tool's `reconcile` is asked. */
  readonly settle: (
    callId: string,
    finding: SettlementFinding | undefined,
    /** Entries that do not exist for the one who settles. Unless set: every entry can be settled, as operators do. */
    isVisible?: (entry: LedgerEntry) => boolean,
  ) => Effect.Effect<LedgerEntry, AnyToolError>;
  /** The caller of a pending call asks for it once more: it goes on if it was answered, and is never asked anew. */
  readonly askAgain: (
    request: PendingCallRef,
    resuming: ResumeCallOptions,
  ) => Effect.Effect<PendingCallStatus, AnyToolError>;
}

/** The service that takes one call down the corridor. `Tools` and `Agents` stand on it. */
export class Pipeline extends Context.Service<Pipeline, ToolPipeline>()("haft/Pipeline") {}

// What goes on with calls that were left, or looks at them: a program whose calls all end at once has none of it.
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
    waiting: new Map(),
    resumedRuns: new Map(),
    goOnIfAnswered: (call, suspended, reply) =>
      Effect.flatMap(resumeModule, ({ resumeIfAnswered: goOnIfAnswered }) =>
        goOnIfAnswered(services, call, suspended, reply),
      ),
    stackOf: createLayerStackCache(
      options.layers,
      // Asked by a call, when the services are whole.
      (mode) => enter(mode),
    ),
  };
  const enter = createGate(services, {
    grantedBy: permittedCallOf,
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
        // A run that goes on with its own call is awake.
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
