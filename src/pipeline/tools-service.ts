import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Offer } from "../registry/offer/offer.ts";
import type { ApprovalDecision, ApproverService } from "../types/approval.ts";
import type { CallContext, CallRequest, RawCall, RunningCall, RunScope } from "../types/call.ts";
import type { AnyToolError, ToolError } from "../types/errors.ts";
import type { HydrationResult, Repairer, RepairMode } from "../types/hydration.ts";
import type { Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import type { AnyLayer, LayerScopes, OfferedTools } from "../types/tool.ts";
import type { ToolInput, ToolOutput } from "./envelope.ts";
import type { PendingCallRef, PendingCallStatus, ToolPipeline } from "./pipeline.ts";

/** Options of a call or a turn. Defaults come from the fiber or the runtime. */
export interface CallOptions {
  readonly principal?: Principal | undefined;
  readonly layers?: readonly AnyLayer[];
  readonly env?: unknown;
  readonly correlationId?: string | undefined;
  /** Whether unusable arguments are repaired once. Unless set: the runtime's setting. */
  readonly repair?: RepairMode;
  /** Used when `repair` is `model`. Unless set: the runtime's model. */
  readonly repairer?: Repairer | undefined;
  /**
   * The call whose code makes this one. Needed only if a queue or an event emitter breaks the async context.
   */
  readonly parent?: CallContext | undefined;
  /** Tools whose untrusted content the caller acts upon. */
  readonly taints?: readonly string[] | undefined;
}

/** Options of a single call. */
export interface SingleCallOptions extends CallOptions {
  /** A repeated key returns the result of the first call and runs nothing. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a turn. */
export interface TurnOptions extends CallOptions {
  readonly maxConcurrency?: number;
  readonly join?: "all" | "fail-fast";
  readonly signal?: AbortSignal;
  /** The tools shown to the model. Unless set: everything that the principal may see. */
  readonly offer?: Offer | { readonly offer: Offer };
  /** The run of the calls, which share its counters, budget and taints. Unless set: a new run. */
  readonly scope?: RunScope;
}

/** Options of a turn inside a run, whose scope and layers are known. */
export interface StepOptions extends Omit<TurnOptions, "layers" | "offer"> {
  readonly scope: RunScope;
  readonly layers: LayerScopes;
  readonly shown: OfferedTools;
  /** Wraps the approver, for example to pause a time limit while it waits. */
  readonly withApprover?: (approver: ApproverService) => ApproverService;
}

export interface SessionStepOptions extends Omit<StepOptions, "shown" | "withApprover"> {
  readonly shown: OfferedTools | undefined;
  readonly lost?: AbortSignal | undefined;
  readonly repeated?: ReadonlySet<RawCall> | undefined;
  /** Taints at the time when calls were authorized before they were made. */
  readonly judged?: ReadonlyMap<RawCall, readonly string[]> | undefined;
}

/** Set by the Studio only; `haft.turn` rejects it. */
export interface StudioCallOptions {
  readonly operator?: string | undefined;
}

/** Options of resuming a pending call. */
export interface ResumeOptions extends CallOptions {
  /** Name of the approver, for the record. */
  readonly by?: string | undefined;
}

export type ReplyRunner = (effect: Effect.Effect<Reply, ToolError>, tool: string) => Promise<Reply>;

/** Calls tools as Effects; `Haft` offers the same with promises. */
export interface ToolsService {
  readonly call: (
    name: string,
    input: unknown,
    options?: SingleCallOptions,
  ) => Effect.Effect<unknown, AnyToolError>;
  readonly execute: (input: ToolInput, options?: SingleCallOptions) => Effect.Effect<ToolOutput>;
  readonly turn: (
    calls: readonly RawCall[],
    options?: TurnOptions & StudioCallOptions,
  ) => Effect.Effect<readonly Reply[]>;
  /** Stage 1 of each call, in order. A valid call continues when its result is run. */
  readonly hydrate: (
    calls: readonly RawCall[],
    options?: TurnOptions,
    run?: ReplyRunner,
  ) => Effect.Effect<readonly HydrationResult[]>;
  readonly step: (calls: readonly RawCall[], options: StepOptions) => Effect.Effect<readonly Reply[]>;
  /** Prepares the requests of a session's calls and passes them to `body`. */
  readonly inSession: <A, E>(
    calls: readonly RawCall[],
    step: SessionStepOptions,
    body: (
      pipeline: ToolPipeline,
      requests: readonly CallRequest[],
      parent: RunningCall | undefined,
    ) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>;
  /** Whether no call of this tool can require approval. */
  readonly neverAsks: (tool: string, principal: Principal) => boolean;
  /** Creates a globally unique id. */
  readonly newId: (kind: string) => string;
  /** Resumes a pending call. Unless a decision is given, the recorded one is used. */
  readonly resume: (
    approvalId: string,
    decision?: ApprovalDecision,
    options?: ResumeOptions & { readonly scope?: RunScope },
  ) => Effect.Effect<Reply, AnyToolError>;
  /** Returns the state of a pending call to a client, and resumes it if it was answered. */
  readonly askAgain: (
    request: PendingCallRef,
    options?: Pick<CallOptions, "principal">,
  ) => Effect.Effect<PendingCallStatus, AnyToolError>;
  /**
   * Records whether a call with an unknown effect took effect; without a finding, the tool's `reconcile`
   * decides.
   */
  readonly settle: ToolPipeline["settle"];
  /** Returns the outcomes of calls that an earlier process may have made; makes those that never started. */
  readonly recover: (calls: readonly RawCall[], options: StepOptions) => Effect.Effect<readonly Reply[]>;
  /** Whether the current code belongs to one of this runtime's calls. */
  readonly isInside: (options: Pick<CallOptions, "parent">) => boolean;
  readonly isOwn: (call: RunningCall) => boolean;
  /** All services that an Effect of this runtime needs. */
  readonly context: Context.Context<never>;
}

/** The service that makes calls by name or by value. */
export class Tools extends Context.Service<Tools, ToolsService>()("haft/Tools") {}
