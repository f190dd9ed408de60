import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { Offer } from "../catalog/offer/offer.ts";
import type { JsonLimits } from "../json/limits.ts";
import { Approver } from "../words/approval.ts";
import {
  type CallRequest,
  CurrentCall,
  type RawCall,
  type RunningCall,
  type RunScope,
} from "../words/call.ts";
import { type AnyToolError, type ToolError, toError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import type { HydrationResult, Repairer, RepairMode } from "../words/hydration.ts";
import { type LayerScopes, noLayers } from "../words/layer.ts";
import { CurrentPrincipal, type Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import type { ShownTools } from "../words/tool.ts";
import {
  callOf,
  currentCall,
  type PausedCall,
  type RefusedCall,
  type ToolCorridor,
  type WaitingRequest,
} from "./corridor.ts";
import { toOutput, toPrincipal } from "./envelope.ts";
import { toHydrationResult } from "./hydration-result.ts";
import { readRawCall } from "./raw-call.ts";
import { addRunTaints, RunRecorder } from "./recorder.ts";
import {
  type CallOptions,
  type OneCallOptions,
  type RunReply,
  type StepOptions,
  Tools,
  type ToolsService,
  type TurnOptions,
} from "./tools-service.ts";
import { turn } from "./turn.ts";

export interface ToolsOptions {
  readonly corridor: ToolCorridor;
  /** What implementations require and the caller's fiber need not have. */
  readonly context: Context.Context<never>;
  readonly principal: Principal | undefined;
  readonly env: unknown;
  readonly newId: () => string;
  readonly repair: RepairMode;
  readonly repairer: Repairer | undefined;
  readonly limits: JsonLimits;
}

export const tools = (given: ToolsOptions): ToolsService => {
  const { corridor, principal, env, newId, limits } = given;
  // One random part for the runtime, then a count: as unique as random ids, and far cheaper.
  const prefix = `-${newId().replaceAll("-", "").slice(0, 16)}-`;
  let count = 0;
  const next = (kind: string): string => kind + prefix + (++count).toString(36);

  /**
   * A call from inside another is part of the same run. One on its own, or from code of another runtime, has a run of
   * its own, and has read nothing but what it is told of.
   */
  const toScope = (
    { taints = [] }: CallOptions,
    parent: RunningCall | undefined,
    caller: Principal | undefined,
  ): RunScope => {
    if (parent === undefined || !corridor.isOwn(parent)) {
      const read = [...taints, ...(parent === undefined ? [] : taintsReadBy(parent))];
      return Object.freeze({
        id: next("run"),
        agent: caller?.agent,
        tally: new RunRecorder({ taints: read }),
      });
    }
    const { scope } = parent.request;
    if (taints.length > 0) addRunTaints(scope.tally, taints);
    return scope;
  };

  const toRequest = (
    raw: RawCall,
    { scope, layers, shown }: CallScope,
    options: Omit<OneCallOptions, "layers">,
    caller: Principal | undefined,
    parent: RunningCall | undefined,
  ): CallRequest =>
    Object.freeze({
      raw: readRawCall(raw, limits),
      entryId: next("entry"),
      scope,
      layers,
      shown,
      principal: caller,
      correlationId: options.correlationId,
      env: options.env ?? env,
      repair: options.repair ?? given.repair,
      repairer: options.repairer ?? given.repairer,
      key: options.idempotencyKey,
      parentId: parent !== undefined && corridor.isOwn(parent) ? parent.request.entryId : undefined,
    });

  /** The caller's fiber keeps its clock, its tracer and the like; the rest comes from the runtime. */
  const inside = <A, E>(
    options: Pick<CallOptions, "principal" | "parent">,
    body: (caller: Principal | undefined, parent: RunningCall | undefined) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => {
      const parent = parentOf(options, fiber.getRef(CurrentCall));
      const rights = parent !== undefined && corridor.isOwn(parent) ? parent.principal : undefined;
      const caller = options.principal ?? rights ?? fiber.getRef(CurrentPrincipal) ?? principal;
      const effect = body(caller, parent);
      return fiber.context === context ? effect : Effect.provideContext(effect, context);
    });

  const callOne = (
    tool: string,
    input: unknown,
    options: OneCallOptions,
    caller: Principal | undefined,
    parent: RunningCall | undefined,
  ): Effect.Effect<Reply> => {
    const place = { scope: toScope(options, parent, caller), layers: layersOf(options), shown: undefined };
    const request = toRequest({ id: next("call"), tool, input }, place, options, caller, parent);
    return corridor.call(request, { parent });
  };

  const resumingAs = (caller: Principal | undefined) => ({
    principal: caller,
    by: undefined,
    layers: undefined,
    env,
  });

  const hydrateAll = (
    requests: readonly CallRequest[],
    caller: Principal | undefined,
    parent: RunningCall | undefined,
    at: number,
    run: RunReply,
  ) => {
    const askAgain = (waiting: WaitingRequest): Effect.Effect<Reply, ToolError> =>
      Effect.map(corridor.askAgain(waiting, resumingAs(caller)), ({ reply }) => reply);
    const seen = new Set<string>();
    const hydrateOne = (request: CallRequest): Effect.Effect<HydrationResult> => {
      const { id } = request.raw;
      const isRepeated = id !== "" && seen.has(id);
      seen.add(id);
      const hydrating: Effect.Effect<PausedCall | RefusedCall> = isRepeated
        ? corridor.refuse(request, repeatedCall(request), { parent })
        : corridor.hydrate(request, { parent });
      return Effect.map(hydrating, (call) => toHydrationResult({ call, at, limits, run, askAgain }));
    };
    return Effect.forEach(requests, hydrateOne);
  };

  /** What the model reads next has these words in it. */
  const taintRun = (scope: RunScope, replies: readonly Reply[]): readonly Reply[] => {
    for (const { taints } of replies) if (taints !== undefined) addRunTaints(scope.tally, taints);
    return replies;
  };

  const service: ToolsService = {
    get context() {
      return context;
    },
    call: (name, input, options = {}) =>
      inside(options, (caller, parent) =>
        Effect.flatMap(callOne(name, input, options, caller, parent), toValue),
      ),
    execute: (input, options = {}) =>
      inside(options, (rights, parent) =>
        Effect.withFiber((fiber) => {
          const clock = fiber.getRef(Clock.Clock);
          const since = clock.monotonicTimeNanosUnsafe();
          const named = { ...options, correlationId: input.correlationId };
          return Effect.map(
            callOne(input.toolName, input.arguments, named, toPrincipal(input, rights), parent),
            (reply) => toOutput(input, reply, Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6),
          );
        }),
      ),
    turn: (calls, options = {}) =>
      inside(options, (caller, parent) => {
        const place = toPlace(options, toScope(options, parent, caller));
        const requests = Array.from(calls, (raw) => toRequest(raw, place, options, caller, parent));
        return turn(corridor, requests, { ...limitsOf(options), parent });
      }),
    hydrate: (calls, options = {}, run) =>
      inside(options, (caller, parent) =>
        Effect.withFiber((fiber) => {
          // What goes on later has the services of the runtime, and the caller's clock and loggers.
          const runHere = Effect.runPromiseWith(fiber.context);
          const goOn: RunReply = run ?? ((effect) => runHere(effect));
          const place = toPlace(options, toScope(options, parent, caller));
          const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
          const requests = Array.from(calls, (raw) => toRequest(raw, place, options, caller, parent));
          return hydrateAll(requests, caller, parent, at, goOn);
        }),
      ),
    step: (calls, options) =>
      inside(options, (caller, parent) => {
        const requests = calls.map((raw) => toRequest(raw, options, options, caller, parent));
        const replies = turn(corridor, requests, { ...limitsOf(options), parent });
        return Effect.map(atDesk(replies, options), (all) => taintRun(options.scope, all));
      }),
    recover: (calls, options) =>
      inside(options, (caller, parent) => {
        const requests = calls.map((raw) => toRequest(raw, options, options, caller, parent));
        // A turn like any other, but for what its calls may have come to already.
        const recovering = { ...corridor, call: corridor.recover };
        const replies = turn(recovering, requests, { ...limitsOf(options), parent });
        return Effect.map(atDesk(replies, options), (all) => taintRun(options.scope, all));
      }),
    inSession: (calls, step, body) =>
      inside(step, (caller, parent) => {
        const requests = calls.map((raw) => {
          const request = toRequest(raw, step, step, caller, parent);
          const readBefore = step.judged?.get(raw);
          const isRepeat = step.repeated?.has(raw) === true;
          if (readBefore === undefined && !isRepeat) return request;
          return Object.freeze({ ...request, readBefore, isRepeat });
        });
        return body(corridor, requests, parent);
      }),
    neverAsks: corridor.neverAsks,
    newId: next,
    resume: (approvalId, decision, options = {}) =>
      inside(options, (caller, parent) =>
        Effect.map(
          corridor.resume(approvalId, decision, {
            principal: caller,
            by: options.by,
            layers:
              options.layers === undefined && options.scope === undefined ? undefined : layersOf(options),
            env: options.env ?? env,
            scope: options.scope,
          }),
          (reply) => {
            // Code that goes on with a call reads what it says.
            if (reply.taints !== undefined) parent?.addTaints(reply.taints);
            return reply;
          },
        ),
      ),
    askAgain: (request, options = {}) =>
      inside(options, (caller) => corridor.askAgain(request, resumingAs(caller))),
    isInside: (options) => {
      const parent = parentOf(options, undefined);
      return parent !== undefined && corridor.isOwn(parent);
    },
    isOwn: corridor.isOwn,
  };
  // The code of a tool that is an Effect may call others.
  const context = Context.add(given.context, Tools, service);
  return service;
};

/** Where a call is made: in which run, under which layers, from which offer. */
interface CallScope {
  readonly scope: RunScope;
  readonly layers: LayerScopes;
  readonly shown: ShownTools | undefined;
}

const toPlace = (options: TurnOptions, scope: RunScope): CallScope => ({
  scope,
  layers: layersOf(options),
  shown: shownBy(options.offer),
});

/** How many of a turn's calls run at once, and what ends it early. */
const limitsOf = ({
  maxConcurrency,
  join,
  signal,
}: Pick<TurnOptions, "maxConcurrency" | "join" | "signal">) => ({
  maxConcurrency,
  join,
  signal,
});

/** The same with another approver, if there is one at all. */
const atDesk = <A>(work: Effect.Effect<A>, { aroundDesk }: StepOptions): Effect.Effect<A> => {
  if (aroundDesk === undefined) return work;
  return Effect.withFiber((fiber) => {
    const desk = fiber.getRef(Approver);
    return desk === undefined ? work : Effect.provideService(work, Approver, aroundDesk(desk));
  });
};

/** The call from inside whose code this one is made: named, known by the fiber, or by the chain of promises. */
export const parentOf = (
  { parent }: Pick<CallOptions, "parent">,
  ofFiber: RunningCall | undefined,
): RunningCall | undefined => (parent === undefined ? undefined : callOf(parent)) ?? ofFiber ?? currentCall();

/** What the code of a call has read so far, or its run before it. */
export const taintsReadBy = ({ request, recorder }: RunningCall): readonly string[] => [
  ...request.scope.tally.taints,
  ...recorder.taints,
];

/** One id, one run, as in a turn. */
const repeatedCall = ({ raw }: CallRequest): Failure => ({
  code: "unreadable_call",
  tool: raw.tool,
  message: "Another call of this list has the same id; it is answered there.",
});

const layersOf = ({ layers }: CallOptions): LayerScopes =>
  layers === undefined || layers.length === 0 ? noLayers : { run: layers, agent: [] };

const shownBy = (offer: TurnOptions["offer"]): Offer | undefined =>
  offer !== undefined && "offer" in offer ? offer.offer : offer;

const toValue = (reply: Reply): Effect.Effect<unknown, AnyToolError> => {
  if (reply.failure !== undefined) return Effect.fail(toError(reply.failure));
  if (reply.pending === undefined) return Effect.succeed(reply.value);
  const message = `The call of "${reply.tool}" waits for a person. Answer the approval "${reply.pending.id}".`;
  return Effect.fail(
    toError({ code: "approval_required", message, tool: reply.tool, approval: reply.pending }),
  );
};
