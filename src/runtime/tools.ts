import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { isCutOff, type Scopes, type Shown, type ToolCorridor, type WaitingCall } from "../call/call.ts";
import { toHydrationResult } from "../call/hydration-result.ts";
import { turn } from "../call/turn.ts";
import { copyJson } from "../json/copy-json.ts";
import type { JsonLimits } from "../json/limits.ts";
import type { Offer } from "../offer/offer.ts";
import type { ApprovalDecision } from "../words/approval.ts";
import type { RawCall, RunScope, Trip } from "../words/call.ts";
import { type ToolApprovalError, type ToolError, toError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { HydrationResult, Mender, RepairMode } from "../words/hydration.ts";
import type { AnyLayer } from "../words/layer.ts";
import { CurrentPrincipal, type Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { type ToolInput, type ToolOutput, toOutput, toPrincipal } from "./envelope.ts";

/** For one call or one turn; what is left out comes from the fiber or from how the runtime was opened. */
export interface CallOptions {
  readonly principal?: Principal | undefined;
  readonly layers?: readonly AnyLayer[];
  readonly env?: unknown;
  readonly correlationId?: string | undefined;
  /** Whether arguments that cannot be used as they came are mended, once. The runtime's setting unless named. */
  readonly repair?: RepairMode;
  /** Who is asked when `repair` is `model`; the runtime's model unless named. */
  readonly mender?: Mender | undefined;
}

export interface TurnOptions extends CallOptions {
  readonly maxConcurrency?: number;
  readonly join?: "all" | "fail-fast";
  readonly signal?: AbortSignal;
  /** What the model was shown. Without it, everything the principal may see counts as shown. */
  readonly offer?: Offer | { readonly offer: Offer };
}

/** A turn inside a run, whose scope and layers are already known. */
export interface StepOptions extends Omit<TurnOptions, "layers" | "offer"> {
  readonly scope: RunScope;
  readonly scopes: Scopes;
  readonly shown: Shown;
}

/** How what goes on after hydration is run at this side of the door. */
export type RunReply = (effect: Effect.Effect<Reply>) => Promise<Reply>;

export interface ToolsService {
  readonly call: (name: string, input: unknown, options?: CallOptions) => Effect.Effect<unknown, ToolError>;
  readonly execute: (input: ToolInput, options?: CallOptions) => Effect.Effect<ToolOutput>;
  readonly turn: (calls: readonly RawCall[], options?: TurnOptions) => Effect.Effect<readonly Reply[]>;
  /** Stage 1 of each call, in order. What passes goes on when its result is told to. */
  readonly hydrate: (
    calls: readonly RawCall[],
    options?: TurnOptions,
    run?: RunReply,
  ) => Effect.Effect<readonly HydrationResult[]>;
  readonly step: (calls: readonly RawCall[], options: StepOptions) => Effect.Effect<readonly Reply[]>;
  /** Unique in the runtime and beyond it. */
  readonly newId: (kind: string) => string;
  readonly resume: (
    approvalId: string,
    decision: ApprovalDecision,
    options?: CallOptions,
  ) => Effect.Effect<Reply, ToolApprovalError>;
  /** A fiber that runs in it needs nothing more provided. */
  readonly context: Context.Context<never>;
}

/** Calls by value: the corridor, with its trips made for you. */
export class Tools extends Context.Service<Tools, ToolsService>()("haft/Tools") {}

export interface ToolsOptions {
  readonly corridor: ToolCorridor;
  /** What implementations require and the caller's fiber need not have. */
  readonly context: Context.Context<never>;
  readonly principal: Principal | undefined;
  readonly env: unknown;
  readonly newId: () => string;
  readonly repair: RepairMode;
  readonly mender: Mender | undefined;
  readonly limits: JsonLimits;
}

export const tools = (given: ToolsOptions): ToolsService => {
  const { corridor, context, principal, env, newId, limits } = given;
  // One random part for the runtime, then a count: as unique as random ids, and far cheaper.
  const prefix = `-${newId().replaceAll("-", "").slice(0, 16)}-`;
  let count = 0;
  const next = (kind: string): string => kind + prefix + (++count).toString(36);

  const toScope = (caller: Principal | undefined): RunScope => ({ id: next("run"), agent: caller?.agent });

  const toTrip = (
    raw: RawCall,
    scope: RunScope,
    options: CallOptions,
    caller: Principal | undefined,
  ): Trip => ({
    raw,
    entryId: next("entry"),
    scope,
    principal: caller,
    correlationId: options.correlationId,
    env: options.env ?? env,
    repair: options.repair ?? given.repair,
    mender: options.mender ?? given.mender,
    provenance: undefined,
    notes: [],
  });

  /** The caller's fiber keeps its clock, its tracer and the like; the rest comes from the runtime. */
  const inside = <A, E>(
    options: CallOptions,
    body: (caller: Principal | undefined) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => {
      const effect = body(options.principal ?? fiber.getRef(CurrentPrincipal) ?? principal);
      return fiber.context === context ? effect : Effect.provideContext(effect, context);
    });

  const walk = (tool: string, input: unknown, options: CallOptions, caller: Principal | undefined) => {
    const raw = readable({ id: next("call"), tool, input });
    return corridor.walk(toTrip(raw, toScope(caller), options, caller), scopesOf(options));
  };

  return {
    context,
    call: (name, input, options = {}) =>
      inside(options, (caller) => Effect.flatMap(walk(name, input, options, caller), toValue)),
    execute: (input, options = {}) =>
      inside(options, (rights) =>
        Effect.withFiber((fiber) => {
          const clock = fiber.getRef(Clock.Clock);
          const since = clock.monotonicTimeNanosUnsafe();
          const named = { ...options, correlationId: input.correlationId };
          return Effect.map(
            walk(input.toolName, input.arguments, named, toPrincipal(input, rights)),
            (reply) => toOutput(input, reply, Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6),
          );
        }),
      ),
    turn: (calls, options = {}) =>
      inside(options, (caller) => {
        const scope = toScope(caller);
        const trips = calls.map((raw) => toTrip(readable(raw), scope, options, caller));
        return turn(corridor, trips, {
          scopes: scopesOf(options),
          shown: shownBy(options.offer),
          maxConcurrency: options.maxConcurrency,
          join: options.join,
          signal: options.signal,
        });
      }),
    hydrate: (calls, options = {}, run = Effect.runPromise) =>
      inside(options, (caller) =>
        Effect.withFiber((fiber) => {
          const scope = toScope(caller);
          const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
          const [scopes, shown] = [scopesOf(options), shownBy(options.offer)];
          const seen = new Set<string>();
          return Effect.forEach(calls, (raw) => {
            const trip = toTrip(readable(raw), scope, options, caller);
            const { id } = trip.raw;
            const isRepeated = id !== "" && seen.has(id);
            seen.add(id);
            const hydrating: Effect.Effect<WaitingCall | Reply> = isRepeated
              ? corridor.decline(trip, repeatedCall(trip))
              : corridor.hydrate(trip, scopes, shown);
            return Effect.map(hydrating, (waiting) => toHydrationResult({ trip, waiting, at, limits, run }));
          });
        }),
      ),
    step: (calls, options) =>
      inside(options, (caller) => {
        const trips = calls.map((raw) => toTrip(readable(raw), options.scope, options, caller));
        return turn(corridor, trips, options);
      }),
    newId: next,
    resume: (approvalId, decision, options = {}) =>
      inside(options, (caller) => corridor.resume(approvalId, decision, caller)),
  };
};

/** One id, one run, as in a turn. */
const repeatedCall = ({ raw }: Trip): Failure => ({
  code: "unreadable_call",
  tool: raw.tool,
  message: "Another call of this list has the same id; it is answered there.",
});

const noScopes: Scopes = Object.freeze({ run: Object.freeze([]), agent: Object.freeze([]) });

const scopesOf = ({ layers }: CallOptions): Scopes =>
  layers === undefined || layers.length === 0 ? noScopes : { run: layers, agent: [] };

const shownBy = (offer: TurnOptions["offer"]): Offer | undefined =>
  offer !== undefined && "offer" in offer ? offer.offer : offer;

const toValue = (reply: Reply): Effect.Effect<unknown, ToolError> => {
  if (reply.failure !== undefined) return Effect.fail(toError(reply.failure));
  if (reply.pending === undefined) return Effect.succeed(reply.value);
  const message = `The call of "${reply.tool}" waits for a person. Answer the approval "${reply.pending.id}".`;
  return Effect.fail(
    toError({ code: "approval_required", message, tool: reply.tool, approval: reply.pending }),
  );
};

/**
 * Whatever comes in gets a reply, so it needs the shape of a call at least. A value is copied once, so that the
 * ledger and the tool see the same one.
 */
const readable = (raw: RawCall): RawCall => {
  try {
    const { id, tool, input, providerExecuted, finish, nulls } = raw;
    const copy = typeof input === "object" ? copyJson(input) : undefined;
    const call = {
      id: typeof id === "string" ? id : "",
      tool: typeof tool === "string" ? tool : "",
      input: copy?.ok ? copy.value : input,
    };
    if (providerExecuted === undefined && finish === undefined && nulls === undefined) return call;
    return {
      ...call,
      providerExecuted: providerExecuted === true,
      finish: isCutOff(finish) ? "incomplete" : "complete",
      ...(Array.isArray(nulls) ? { nulls } : {}),
    };
  } catch {
    return { id: "", tool: "", input: undefined };
  }
};
