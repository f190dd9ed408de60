import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Repairer, RepairMode } from "./hydration.ts";
import type { LayerScopes } from "./layer.ts";
import type { Attempt } from "./ledger.ts";
import type { Suspension } from "./outcome.ts";
import type { Principal } from "./principal.ts";
import type { ToolSpec } from "./spec.ts";
import type { OfferedTools, RegisteredName } from "./tool.ts";

/** A call as somebody asked for it: nothing in it has been looked at yet. */
export interface RawCall {
  readonly id: string;
  readonly tool: string;
  /** The argument text exactly as it came, or a value from a caller in this process. */
  readonly input: unknown;
  /** Its place among the calls of its message. */
  readonly index?: number;
  /** Where it stands in its provider's reply: a JSON pointer such as `/choices/0/message/tool_calls/1` or `/content/2`. */
  readonly part?: string;
  /** The provider runs this one itself; nobody else may. */
  readonly providerExecuted?: boolean;
  /** `incomplete` if the reply ended inside this call. Nobody guesses the rest. */
  readonly finish?: "complete" | "incomplete";
  /** In a conversation: the call of the same message that had its id, and was answered instead of it. */
  readonly repeats?: string;
  /** Where its dialect writes `null` for what is left out: pointers, with `*` for every item. */
  readonly nulls?: readonly string[];
}

/** What a running tool may know and use. */
export interface CallContext<Env = unknown> {
  readonly callId: string;
  readonly tool: string;
  /** Aborts when the call is cancelled or its time is up. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  /** Stays the same over every attempt at this call. */
  readonly idempotencyKey: string;
  readonly env: Env;
  readonly progress: (update: unknown) => void;
  /** Tells the ledger something beside the outcome, such as which variant answered. The model never sees it. */
  readonly note: (text: string) => void;
  /** Adds to what this call cost, in whatever currency the operator counts. */
  readonly cost: (amount: number) => void;
  /** The secret of this name from `credentials`. Rejects if no source has it. It is masked wherever Haft writes text. */
  readonly secret: (name: string) => Promise<string>;
}

/**
 * The one shape every implementation is bound to. A promise is as welcome as an Effect: most tools
 * have one, and waiting for it costs no fiber.
 */
export type ToolFunction<R = never> = (
  input: unknown,
  context: CallContext,
) => Effect<unknown, unknown, R> | Promise<unknown>;

/** What a run has come to. Counted by the corridor; everybody else only reads it. */
export interface RunCounters {
  /** Calls that were granted, the ones under way included. */
  readonly calls: number;
  /** What was spent, and what calls under way may still spend. */
  readonly cost: number;
  /** Full names of the tools whose untrusted words are in the conversation. */
  readonly taints: readonly string[];
}

/** The most that a run or a session may come to: whatever would go beyond is denied. */
export interface RunBudget {
  /** How many calls may run. Unless set: any number. */
  readonly calls?: number;
  /** What they may cost together, in whatever currency the operator counts. Unless set: anything. */
  readonly cost?: number;
}

/** One run of an agent, one session, or one turn outside of both. Its identity keys whatever lives as long as it does. */
export interface RunScope {
  readonly id: string;
  readonly agent: string | undefined;
  /** The claim under which this process writes for the run; none where the run is not on record. */
  readonly epoch?: number | undefined;
  /** Policy is told. */
  readonly tally: RunCounters;
  readonly budget?: RunBudget | undefined;
}

/** What has been counted of one call. Only the corridor writes it; layers read it and may leave a note. */
export interface CallRecord {
  /** Every start of the code so far, in order. */
  readonly attempts: readonly Attempt[];
  readonly cost: number | undefined;
  /** Tools whose untrusted words its code has read from calls of its own. */
  readonly taints: readonly string[];
  /** Tells the ledger something beside the outcome. Masked and bounded; nothing after the call is over. */
  readonly note: (text: string) => void;
}

/** A call whose code runs: what its code calls in turn has its rights, its taint, its budget, and names it as parent. */
export interface RunningCall {
  /** What calls of one runtime have in common: code of another runtime's call is no part of its runs. */
  readonly runtime: object;
  readonly request: CallRequest;
  readonly principal: Principal;
  readonly recorder: CallRecord;
  /** Its code has read untrusted words of these tools. */
  readonly addTaints: (taints: readonly string[]) => void;
  /** Where its code can be stopped while calls of its own wait, and be started again; only on a ledger that outlives the process. */
  readonly journal: CallJournal | undefined;
}

/** What code keeps that can be stopped while calls of its own wait for a person, and be started again. */
export interface CallJournal {
  /** What was kept when the code was stopped before; nothing at its first start. */
  readonly earlier: string | undefined;
  /** Kept with the entry, if the code then fails with the question that it waits for. */
  readonly keep: (suspension: Suspension) => void;
}

/** The id of a call that such code makes: its number in the order in which the code makes them. */
export const journaledCallId = (entryId: string, number: number): string => `${entryId}.${number}`;

/** Whether a call was made by code that keeps a journal: then that code alone goes on with it, as long as it lives or waits. */
export const isJournaledCallId = (callId: string, parentId: string): boolean =>
  callId.startsWith(`${parentId}.`) && /^\d+$/.test(callId.slice(parentId.length + 1));

/** The call in which the running fiber is. */
export const CurrentCall: Context.Reference<RunningCall | undefined> = Context.Reference<
  RunningCall | undefined
>("haft/CurrentCall", { defaultValue: () => undefined });

/** What was asked: the call, by whom, in which run, under which layers. Frozen, and one object for each call. */
export interface CallRequest<Env = unknown> {
  readonly raw: RawCall;
  /** Key of this call in the ledger. */
  readonly entryId: string;
  readonly scope: RunScope;
  readonly layers: LayerScopes;
  /** What the model was shown; without it, everything the principal may see. */
  readonly shown?: OfferedTools | undefined;
  readonly principal: Principal | undefined;
  readonly correlationId: string | undefined;
  /** Who made it in the Studio. */
  readonly operator?: string | undefined;
  readonly env: Env;
  /** Whether arguments that cannot be used as they came may be repaired once. */
  readonly repair?: RepairMode | undefined;
  /** Who is asked when `repair` is `model`. */
  readonly repairer?: Repairer | undefined;
  /** The caller's own name for this call; without one the entry is its name. */
  readonly key?: string | undefined;
  /** The entry of the call from inside whose code this one is made. */
  readonly parentId?: string | undefined;
  /** This process made this very call before: where nothing is on record of it any more, nobody knows what came of it. */
  readonly isRepeat?: boolean | undefined;
  /** Its entry is in the ledger already, and goes on. */
  readonly isAgain?: boolean | undefined;
  /** What had been read when this very call was judged before: nothing that was read since can be why it is made. */
  readonly readBefore?: readonly string[] | undefined;
  /** The trace in which this call began to wait for a person, as `traceparent` spells it. */
  readonly earlierTrace?: string | undefined;
}

declare const receipt: unique symbol;

/**
 * The right of one call to start: sealed by stage 3, and dead once the call is over, the tool is unregistered or the
 * runtime is closed. A copy of one is none.
 */
export interface Permit {
  /** The input that was allowed; another one is validated and decided again. */
  readonly input: unknown;
  /** Why, for operators, and the rules that decided. */
  readonly decision: string;
  readonly ruleIds: readonly string[];
}

/**
 * What layers see of a call that was allowed. Frozen: a layer hands on a copy with another `input`, and nothing else
 * it changes reaches the code, which is started from the grant. Only stage 3 makes one, so running what was never
 * authorized does not compile.
 */
export interface AuthorizedCall<Env = unknown> {
  readonly [receipt]: "authorized";
  readonly request: CallRequest<Env>;
  readonly principal: Principal;
  readonly registration: RegisteredName;
  readonly spec: ToolSpec;
  /** The arguments as JSON, defaults filled in, before any transformation of the tool's own schema. Frozen. */
  readonly input: unknown;
  readonly env: Env;
  /** Of what kind the code is: `function`, `http`, `mcp`, … */
  readonly implementation: string;
  readonly grant: Permit;
  readonly recorder: CallRecord;
}

/** Whether this is the very call that was allowed, and no copy that a layer made of it: a copy has no private field. */
export let isSealedCall: (call: AuthorizedCall) => boolean;

/** What stage 3 says of a call that it allows. */
type SealedCallFields = Omit<AuthorizedCall, typeof receipt>;

class SealedCall implements SealedCallFields {
  readonly #isSealed = true;
  readonly request: CallRequest;
  readonly principal: Principal;
  readonly registration: RegisteredName;
  readonly spec: ToolSpec;
  readonly input: unknown;
  readonly env: unknown;
  readonly implementation: string;
  readonly grant: Permit;
  readonly recorder: CallRecord;

  constructor(allowed: SealedCallFields) {
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

  static {
    isSealedCall = (call) => #isSealed in call && call.#isSealed;
  }
}

/** For stage 3 alone: this is the very call that was allowed. */
export const sealCall = (allowed: SealedCallFields): AuthorizedCall =>
  new SealedCall(allowed) as SealedCallFields as AuthorizedCall;
