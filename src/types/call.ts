import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { AgentResponse } from "./agent.ts";
import type { ToolError } from "./errors.ts";
import type { Repairer, RepairMode } from "./hydration.ts";
import type { Attempt } from "./ledger.ts";
import type { RunLineage } from "./lineage.ts";
import type { Outcome, Suspension } from "./outcome.ts";
import type { Principal } from "./principal.ts";
import type { AnyLayer, LayerScopes, OfferedTools, RegisteredName, Registration, ToolSpec } from "./tool.ts";

/** An unchecked request to call a tool. */
export interface RawCall {
  readonly id: string;
  readonly tool: string;
  /** The exact argument text, or a value from a caller in this process. */
  readonly input: unknown;
  /** Index among the calls of its message. */
  readonly index?: number;
  /**
   * JSON pointer to the call in the provider's reply, such as `/choices/0/message/tool_calls/1` or
   * `/content/2`.
   */
  readonly part?: string;
  /** The provider runs this call itself; the pipeline must not. */
  readonly providerExecuted?: boolean;
  /** `incomplete` if the reply ended inside this call. The missing part is never guessed. */
  readonly finish?: "complete" | "incomplete";
  /** In a conversation: the id of the call that was answered instead of this one, which repeats its id. */
  readonly repeats?: string;
  /** JSON pointers (`*` for every item) to fields whose `null` means that the field is absent. */
  readonly nulls?: readonly string[];
}

/** What running code can read and use. */
export interface CallContext<Env = unknown> {
  readonly callId: string;
  readonly tool: string;
  /** Aborts when the call is cancelled or times out. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  /** The same for every attempt of this call. */
  readonly idempotencyKey: string;
  readonly env: Env;
  readonly progress: (update: unknown) => void;
  /** Adds a note to the ledger entry, such as which variant answered. The model never sees it. */
  readonly note: (text: string) => void;
  /** Adds to the cost of this call, in the operator's currency. */
  readonly cost: (amount: number) => void;
  /** Returns the named secret from `credentials`, or rejects. Haft masks it in all text that it writes. */
  readonly secret: (name: string) => Promise<string>;
}

/** The function that every implementation is bound to. */
export type ToolFunction<R = never> = (
  input: unknown,
  context: CallContext,
) => Effect<unknown, unknown, R> | Promise<unknown>;

/** Counters of a run. Only the pipeline writes them. */
export interface RunCounters {
  readonly calls: number;
  readonly cost: number;
  readonly taints: readonly string[];
  /** Unless set: no text of the run is known. */
  readonly lineage?: RunLineage | undefined;
}

/** Limits of a run or a session; calls beyond them are denied. */
export interface RunBudget {
  /** Maximum number of calls. Unless set: unlimited. */
  readonly calls?: number;
  /** Maximum total cost, in the operator's currency. Unless set: unlimited. */
  readonly cost?: number;
}

/** A run of an agent, a session, or a turn outside of both. Per-run state is keyed by its identity. */
export interface RunScope {
  readonly id: string;
  readonly agent: string | undefined;
  /** Epoch of this process's claim on the run; undefined if the run is not recorded. */
  readonly epoch?: number | undefined;
  readonly tally: RunCounters;
  readonly budget?: RunBudget | undefined;
}

/** Layers can read it and add notes; only the pipeline writes it. */
export interface CallRecord {
  readonly attempts: readonly Attempt[];
  readonly cost: number | undefined;
  /** Tools whose untrusted content the code has read. */
  readonly taints: readonly string[];
  readonly note: (text: string) => void;
}

/** A call whose code is running. */
export interface RunningCall {
  readonly runtime: object;
  readonly request: CallRequest;
  readonly principal: Principal;
  readonly recorder: CallRecord;
  readonly addTaints: (taints: readonly string[]) => void;
  readonly journal: CallJournal | undefined;
}

/** For code that is suspended while its own calls wait for approval, and started again. */
export interface CallJournal {
  readonly earlier: string | undefined;
  readonly keep: (suspension: Suspension) => void;
}

export const journaledCallId = (entryId: string, number: number): string => `${entryId}.${number}`;

/** Only journaled code itself resumes such a call while the code is running or suspended. */
export const isJournaledCallId = (callId: string, parentId: string): boolean =>
  callId.startsWith(`${parentId}.`) && /^\d+$/.test(callId.slice(parentId.length + 1));

export const CurrentCall: Context.Reference<RunningCall | undefined> = Context.Reference<
  RunningCall | undefined
>("haft/CurrentCall", { defaultValue: () => undefined });

export interface CallRequest<Env = unknown> {
  readonly raw: RawCall;
  readonly entryId: string;
  readonly scope: RunScope;
  readonly layers: LayerScopes;
  /** The tools shown to the model. Unless set: everything that the principal may see. */
  readonly shown?: OfferedTools | undefined;
  readonly principal: Principal | undefined;
  readonly correlationId: string | undefined;
  readonly operator?: string | undefined;
  readonly env: Env;
  readonly repair?: RepairMode | undefined;
  readonly repairer?: Repairer | undefined;
  readonly key?: string | undefined;
  readonly parentId?: string | undefined;
  /** This process made this call before. If the ledger no longer has it, its outcome is unknown. */
  readonly isRepeat?: boolean | undefined;
  readonly isAgain?: boolean | undefined;
  /** Taints at the first authorization of this call: content read later cannot have caused the call. */
  readonly readBefore?: readonly string[] | undefined;
  readonly earlierTrace?: string | undefined;
}

declare const receipt: unique symbol;

/**
 * The right of one call to start, made by stage 3. It is void once the call has ended, the tool is
 * unregistered or the runtime is closed. A copy is not valid.
 */
export interface Permit {
  readonly input: unknown;
  readonly decision: string;
  readonly ruleIds: readonly string[];
}

/**
 * What layers see of an authorized call. A layer may pass on a copy with another `input`; other changes have
 * no effect. Only stage 3 creates this type.
 */
export interface AuthorizedCall<Env = unknown> {
  readonly [receipt]: "authorized";
  readonly request: CallRequest<Env>;
  readonly principal: Principal;
  readonly registration: RegisteredName;
  readonly spec: ToolSpec;
  /**
   * The arguments as JSON with defaults filled in, before any transformation by the tool's own schema.
   * Frozen.
   */
  readonly input: unknown;
  readonly env: Env;
  /** Kind of the implementation: `function`, `http`, `mcp`, … */
  readonly implementation: string;
  readonly grant: Permit;
  readonly recorder: CallRecord;
}

type AuthorizedCallFields = Omit<AuthorizedCall, typeof receipt>;

class SealedCall implements AuthorizedCallFields {
  readonly request: CallRequest;
  readonly principal: Principal;
  readonly registration: RegisteredName;
  readonly spec: ToolSpec;
  readonly input: unknown;
  readonly env: unknown;
  readonly implementation: string;
  readonly grant: Permit;
  readonly recorder: CallRecord;

  constructor(allowed: AuthorizedCallFields) {
    this.request = allowed.request;
    this.principal = allowed.principal;
    this.registration = allowed.registration;
    this.spec = allowed.spec;
    this.input = allowed.input;
    this.env = allowed.env;
    this.implementation = allowed.implementation;
    this.grant = allowed.grant;
    this.recorder = allowed.recorder;
    Object.freeze(this);
  }
}

export const sealCall = (allowed: AuthorizedCallFields): AuthorizedCall =>
  new SealedCall(allowed) as AuthorizedCallFields as AuthorizedCall;

/** Whether this is the authorized call itself and not a layer's copy. */
export const isSealedCall = (call: AuthorizedCall): boolean => call instanceof SealedCall;

/** The name under which a ledger entry records a request to a model. Names of tools contain no colon. */
export const modelKeyOf = (modelId: string): string => `model:${modelId}`;

export const isModelKey = (key: string): boolean => key.startsWith("model:");

export interface ObservedCall {
  readonly request: CallRequest;
  readonly principal: Principal | undefined;
  readonly registration?: Registration | undefined;
}

export type MaskText = (text: string) => string;

export interface ObservedRun {
  readonly id: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly principal: Principal | undefined;
  readonly isResumed: boolean;
}

/** W3C Trace Context headers of an incoming request. */
export interface IncomingTrace {
  readonly message?: string | undefined;
  readonly messageState?: string | undefined;
  readonly transport?: string | undefined;
  readonly transportState?: string | undefined;
}

/**
 * Observes runs and calls beyond those that pass the layer. It cannot change them, and its exceptions do not
 * affect them.
 */
export interface CallObserver {
  readonly run: (
    run: ObservedRun,
    going: Effect<AgentResponse, ToolError>,
  ) => Effect<AgentResponse, ToolError>;
  readonly within: <A, E>(trace: IncomingTrace, going: Effect<A, E>) => Effect<A, E>;
  /** Returns the trace that the resumed call links to. */
  readonly waits: (call: ObservedCall, mask: MaskText) => string | undefined;
  /** Also called for calls that reached no layer. */
  readonly concluded: (call: ObservedCall, outcome: Outcome, durationMs: number, mask: MaskText) => void;
}

export const observerOf = (...scopes: readonly (readonly AnyLayer[])[]): CallObserver | undefined => {
  for (const layers of scopes) for (const { observer } of layers) if (observer) return observer;
  return undefined;
};
