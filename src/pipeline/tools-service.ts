import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import type { Offer } from "../registry/offer/offer.ts";
import type { ApprovalDecision, ApproverService } from "../types/approval.ts";
import type { CallContext, CallRequest, RawCall, RunningCall, RunScope } from "../types/call.ts";
import type { AnyToolError, ToolError } from "../types/errors.ts";
import type { HydrationResult, Repairer, RepairMode } from "../types/hydration.ts";
import type { AnyLayer, LayerScopes } from "../types/layer.ts";
import type { Principal } from "../types/principal.ts";
import type { Reply } from "../types/reply.ts";
import type { OfferedTools } from "../types/tool.ts";
import type { ToolInput, ToolOutput } from "./envelope.ts";
import type { PendingCallRef, PendingCallStatus, ToolPipeline } from "./pipeline.ts";

/** For one call or one turn; what is left out comes from the fiber or from how the runtime was opened. */
export interface CallOptions {
  readonly principal?: Principal | undefined;
  readonly layers?: readonly AnyLayer[];
  readonly env?: unknown;
  readonly correlationId?: string | undefined;
  /** Whether arguments that cannot be used as they came are repaired, once. The runtime's setting unless named. */
  readonly repair?: RepairMode;
  /** Who is asked when `repair` is `model`; the runtime's model unless named. */
  readonly repairer?: Repairer | undefined;
  /**
   * The call from whose code this one is made: it counts as part of it, and has its caller unless another is named.
   * Found by itself where the code was started by this runtime and only awaits; named where a queue or an event
   * emitter of your own comes between.
   */
  readonly parent?: CallContext | undefined;
  /** Tools whose untrusted words the caller acts upon. */
  readonly taints?: readonly string[] | undefined;
}

/** For one call, which may have a name of its own. */
export interface SingleCallOptions extends CallOptions {
  /** One key means one call: used again, it gives what came of the first, and runs nothing. */
  readonly idempotencyKey?: string | undefined;
}

/** How the calls of one model message are made. */
export interface TurnOptions extends CallOptions {
  readonly maxConcurrency?: number;
  readonly join?: "all" | "fail-fast";
  readonly signal?: AbortSignal;
  /** What the model was shown. Without it, everything the principal may see counts as shown. */
  readonly offer?: Offer | { readonly offer: Offer };
  /** The run that the calls are part of: they share its counts, budget and taints. Unless set: a run of their own. */
  readonly scope?: RunScope;
}

/** A turn inside a run, whose scope and layers are already known. */
export interface StepOptions extends Omit<TurnOptions, "layers" | "offer"> {
  readonly scope: RunScope;
  readonly layers: LayerScopes;
  readonly shown: OfferedTools;
  /** Stands between the calls and the approver, such as to stop a clock while a person is asked. */
  readonly aroundDesk?: (desk: ApproverService) => ApproverService;
}

/** A turn of a session, which somebody else's loop drives. */
export interface SessionStepOptions extends Omit<StepOptions, "shown" | "aroundDesk"> {
  readonly shown: OfferedTools | undefined;
  /** Aborted when the claim on the session is lost. */
  readonly lost?: AbortSignal | undefined;
  /** Calls that this process made before. */
  readonly repeated?: ReadonlySet<RawCall> | undefined;
  /** Calls that were judged before they were made, and what had been read then. */
  readonly judged?: ReadonlyMap<RawCall, readonly string[]> | undefined;
}

/** Set by the Studio alone; `haft.turn` refuses it. */
export interface StudioCallOptions {
  /** Who made the call in the Studio. */
  readonly operator?: string | undefined;
}

/** How a call that waited for a person is gone on with. */
export interface ResumeOptions extends CallOptions {
  /** Who answered, for the record. */
  readonly by?: string | undefined;
}

/** How what goes on after hydration is run at this side of the door. */
export type ReplyRunner = (effect: Effect.Effect<Reply, ToolError>, tool: string) => Promise<Reply>;

/** Calls tools as an Effect: what `Haft` does with promises. */
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
  /** Stage 1 of each call, in order. What passes goes on when its result is told to. */
  readonly hydrate: (
    calls: readonly RawCall[],
    options?: TurnOptions,
    run?: ReplyRunner,
  ) => Effect.Effect<readonly HydrationResult[]>;
  readonly step: (calls: readonly RawCall[], options: StepOptions) => Effect.Effect<readonly Reply[]>;
  /** The calls of a session as requests, for whoever drives it: `session-calls.ts` says what becomes of them. */
  readonly inSession: <A, E>(
    calls: readonly RawCall[],
    step: SessionStepOptions,
    body: (
      corridor: ToolPipeline,
      requests: readonly CallRequest[],
      parent: RunningCall | undefined,
    ) => Effect.Effect<A, E>,
  ) => Effect.Effect<A, E>;
  /** Whether no call of this tool needs a person. */
  readonly neverAsks: (tool: string, principal: Principal) => boolean;
  /** Unique in the runtime and beyond it. */
  readonly newId: (kind: string) => string;
  /** Goes on with a call that waits. Without a decision, with the answer that the ledger has. */
  readonly resume: (
    approvalId: string,
    decision?: ApprovalDecision,
    options?: ResumeOptions & { readonly scope?: RunScope },
  ) => Effect.Effect<Reply, AnyToolError>;
  /** A client asks once more for what it was told waits: it goes on if it was answered, here or elsewhere. */
  readonly askAgain: (
    request: PendingCallRef,
    options?: Pick<CallOptions, "principal">,
  ) => Effect.Effect<PendingCallStatus, AnyToolError>;
  /** Records whether a call whose effect is unknown took effect; without a finding the tool's `reconcile` is asked. */
  readonly settle: ToolPipeline["settle"];
  /** Calls that an earlier process may have made: what came of them, or, if they never started, what comes of them. */
  readonly recover: (calls: readonly RawCall[], options: StepOptions) => Effect.Effect<readonly Reply[]>;
  /** Whether this is asked from inside the code of one of this runtime's calls. */
  readonly isInside: (options: Pick<CallOptions, "parent">) => boolean;
  readonly isOwn: (call: RunningCall) => boolean;
  /** A fiber that runs in it needs nothing more provided. */
  readonly context: Context.Context<never>;
}

/** Calls by value: the corridor, with its requests made for you. */
export class Tools extends Context.Service<Tools, ToolsService>()("haft/Tools") {}
