import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { ApprovalDecision } from "../words/approval.ts";
import type { CallRequest, RunningCall } from "../words/call.ts";
import type { AnyToolError, LedgerError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { grantedBy } from "./3-authorize/grant.ts";
import { gate } from "./4-layers/gate.ts";
import { stacks } from "./4-layers/stack.ts";
import { run } from "./5-run/run.ts";
import { declineCall, runCall } from "./call.ts";
import type { CallServices, CorridorOptions } from "./call-services.ts";
import type { RawCallOptions } from "./call-state.ts";
import { hydrateOnly, type PausedCall, type RefusedCall, refuseOnly } from "./hydrate-only.ts";
import { neverAsks } from "./never-asks.ts";
import { onDemand } from "./on-demand.ts";
import type { AskedAgain, WaitingRequest } from "./pending/ask-again.ts";
import type { Resuming } from "./pending/resume-call.ts";
import { reauthorize } from "./prepare.ts";
import type { EarlierCall } from "./recover.ts";

export { callOf } from "./5-run/running-context.ts";
export { toReply, toWords } from "./8-reply/reply.ts";
export { currentCall } from "./current-call.ts";
export type { PausedCall, RefusedCall } from "./hydrate-only.ts";
export type { AskedAgain, WaitingRequest } from "./pending/ask-again.ts";
export type { Resuming } from "./pending/resume-call.ts";

/** Every way into the corridor, over one set of services. */
export interface ToolCorridor {
  /** Whether a call whose code runs is one of this runtime. */
  readonly isOwn: (call: RunningCall) => boolean;
  /** From a request to its one reply. Never fails; when interrupted, the entry is closed all the same. */
  readonly call: (request: CallRequest, options?: RawCallOptions) => Effect.Effect<Reply>;
  /** Stops before any code runs; what can be used goes on when its orchestrator says so. */
  readonly hydrate: (
    request: CallRequest,
    options?: RawCallOptions,
  ) => Effect.Effect<PausedCall | RefusedCall>;
  /** The same for a call that is not hydrated at all, such as one whose id came before. */
  readonly refuse: (
    request: CallRequest,
    failure: Failure,
    options?: RawCallOptions,
  ) => Effect.Effect<RefusedCall>;
  /** Seen and answered, but not run: the turn ended before its time came. */
  readonly decline: (
    request: CallRequest,
    failure: Failure,
    options?: RawCallOptions,
  ) => Effect.Effect<Reply>;
  /** What came of a call that an earlier process made; one that never started is made now. */
  readonly recover: (request: CallRequest, options?: RawCallOptions) => Effect.Effect<Reply>;
  /** What came of a call that the driver of a session may have asked for before; one that never started is made now. */
  readonly again: (request: CallRequest, options?: RawCallOptions) => Effect.Effect<Reply>;
  /** How such a call stands, without going on with it. */
  readonly earlier: (request: CallRequest) => Effect.Effect<EarlierCall, LedgerError>;
  /** Whether no call of this tool needs a person, as far as that can be known without one. */
  readonly neverAsks: (tool: string, principal: Principal) => boolean;
  /** Whether a person would have to answer before this call ran. Nothing is written, and nothing runs. */
  readonly wouldAsk: (request: CallRequest) => Effect.Effect<boolean>;
  /** Makes a call as far as its question, if it has one. Starts nothing. */
  readonly askOnly: (request: CallRequest, options?: RawCallOptions) => Effect.Effect<Reply>;
  /** Goes on with a pending call. An id that is unknown, answered or another caller's is all the same. */
  readonly resume: (
    approvalId: string,
    /** Left out, the answer is the one that the ledger has. */
    decision: ApprovalDecision | undefined,
    resuming: Resuming,
  ) => Effect.Effect<Reply, AnyToolError>;
  /** The caller of a pending call asks for it once more: it goes on if it was answered, and is never asked anew. */
  readonly askAgain: (request: WaitingRequest, resuming: Resuming) => Effect.Effect<AskedAgain, AnyToolError>;
}

/** The service that takes one call down the corridor. `Tools` and `Agents` stand on it. */
export class Corridor extends Context.Service<Corridor, ToolCorridor>()("haft/Corridor") {}

// What goes on with calls that were left, or looks at them: a program whose calls all end at once has none of it.
const resuming = onDemand(() => import("./pending/resume-call.ts"));
const waking = onDemand(() => import("./pending/wake-run.ts"));
const recovering = onDemand(() => import("./recover.ts"));
const asking = onDemand(() => import("./pending/ask-again.ts"));
const looking = onDemand(() => import("./would-ask.ts"));

export const corridor = (options: CorridorOptions): ToolCorridor => {
  const services: CallServices = {
    ...options,
    waiting: new Map(),
    goOnIfAnswered: (call, suspended, reply) =>
      Effect.flatMap(resuming, ({ goOnIfAnswered }) => goOnIfAnswered(services, call, suspended, reply)),
    stackOf: stacks(
      options.layers,
      // Asked by a call, when the services are whole.
      (mode) => enter(mode),
    ),
  };
  const enter = gate(services, {
    grantedBy,
    reauthorize: (call, input, mode) => reauthorize(services, call, input, mode),
    run: run(services),
  });
  return {
    isOwn: ({ runtime }) => runtime === services.runtime,
    call: (request, running) => runCall(services, request, running),
    hydrate: (request, calling) => hydrateOnly(services, request, calling),
    refuse: (request, failure, calling) => refuseOnly(services, request, failure, calling),
    decline: (request, failure, calling) => declineCall(services, request, failure, calling),
    recover: (request, running) =>
      Effect.flatMap(recovering, ({ recoverCall }) => recoverCall(services, request, running)),
    again: (request, running) =>
      Effect.flatMap(recovering, ({ callAgain }) => callAgain(services, request, running)),
    earlier: (request) => Effect.flatMap(recovering, ({ findEarlier }) => findEarlier(services, request)),
    neverAsks: (tool, principal) => neverAsks(services, tool, principal),
    wouldAsk: (request) => Effect.flatMap(looking, ({ wouldAsk }) => wouldAsk(services, request)),
    askOnly: (request, running) =>
      Effect.flatMap(looking, ({ askOnly }) => askOnly(services, request, running)),
    resume: (approvalId, decision, given) =>
      Effect.flatMap(resuming, ({ resumeCall }) => {
        const resumed = resumeCall(services, approvalId, decision, given);
        // A run that goes on with its own call is awake.
        if (given.scope !== undefined) return resumed;
        return Effect.tap(resumed, () =>
          Effect.flatMap(waking, ({ wakeIfAnswered }) => wakeIfAnswered(services, approvalId)),
        );
      }),
    askAgain: (request, given) =>
      Effect.flatMap(asking, ({ askAgain }) => askAgain(services, request, given)),
  };
};
