import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { JsonLimits } from "../base/json/json-problem.ts";
import type { Offer } from "../registry/offer/offer.ts";
import { Approver } from "../types/approval.ts";
import {
  type CallRequest,
  CurrentCall,
  type RawCall,
  type RunningCall,
  type RunScope,
} from "../types/call.ts";
import { type AnyToolError, type ToolError, toError, withInput } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { HydrationResult, Repairer, RepairMode } from "../types/hydration.ts";
import type { Reply } from "../types/outcome.ts";
import { CurrentPrincipal, type Principal } from "../types/principal.ts";
import { type LayerScopes, noLayerScopes, type OfferedTools } from "../types/tool.ts";
import { readRawCall } from "./current-call.ts";
import { loadOnDemand } from "./maybe-effect.ts";
import {
  currentCall,
  type PausedCall,
  type PendingCallRef,
  type RefusedCall,
  runningCallOf,
  type ToolPipeline,
} from "./pipeline.ts";
import { addRunTaints, RunRecorder } from "./recorder.ts";
import {
  type CallOptions,
  type ReplyRunner,
  type SingleCallOptions,
  type StepOptions,
  type StudioCallOptions,
  Tools,
  type ToolsService,
  type TurnOptions,
} from "./tools-service.ts";
import { runTurn } from "./turn.ts";

export interface ToolsOptions {
  readonly pipeline: ToolPipeline;
  readonly context: Context.Context<never>;
  readonly principal: Principal | undefined;
  readonly env: unknown;
  readonly newId: () => string;
  readonly repair: RepairMode;
  readonly repairer: Repairer | undefined;
  readonly limits: JsonLimits;
}

export const createTools = (given: ToolsOptions): ToolsService => {
  const { pipeline, principal, env, newId, limits } = given;
  // A random prefix with a counter: unique like random ids, but cheaper.
  const prefix = `-${newId().replaceAll("-", "").slice(0, 16)}-`;
  let count = 0;
  const nextId = (kind: string): string => kind + prefix + (++count).toString(36);

  /** A call inside another call of this runtime shares its run; any other call gets a run of its own. */
  const toRunScope = (
    { taints = [] }: CallOptions,
    parent: RunningCall | undefined,
    caller: Principal | undefined,
  ): RunScope => {
    if (parent === undefined || !pipeline.isOwn(parent)) {
      const read = [...taints, ...(parent === undefined ? [] : taintsReadBy(parent))];
      return Object.freeze({
        id: nextId("run"),
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
    { scope, layers, shown }: CallPlacement,
    options: Omit<SingleCallOptions, "layers"> & StudioCallOptions,
    caller: Principal | undefined,
    parent: RunningCall | undefined,
  ): CallRequest =>
    Object.freeze({
      raw: readRawCall(raw, limits),
      entryId: nextId("entry"),
      scope,
      layers,
      shown,
      principal: caller,
      correlationId: options.correlationId,
      operator: options.operator,
      env: options.env ?? env,
      repair: options.repair ?? given.repair,
      repairer: options.repairer ?? given.repairer,
      key: options.idempotencyKey,
      parentId: parent !== undefined && pipeline.isOwn(parent) ? parent.request.entryId : undefined,
    });

  /** Keeps the clock and tracer of the caller's fiber; other services come from the runtime. */
  const withCaller = <A, E>(
    options: Pick<CallOptions, "principal" | "parent">,
    body: (caller: Principal | undefined, parent: RunningCall | undefined) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => {
      const parent = parentCallOf(options, fiber.getRef(CurrentCall));
      const rights = parent !== undefined && pipeline.isOwn(parent) ? parent.principal : undefined;
      const caller = options.principal ?? rights ?? fiber.getRef(CurrentPrincipal) ?? principal;
      const effect = body(caller, parent);
      return fiber.context === context ? effect : Effect.provideContext(effect, context);
    });

  const callOne = (
    tool: string,
    input: unknown,
    options: SingleCallOptions,
    caller: Principal | undefined,
    parent: RunningCall | undefined,
  ): Effect.Effect<Reply> => {
    const placement = {
      scope: toRunScope(options, parent, caller),
      layers: layerScopesOf(options),
      shown: undefined,
    };
    const request = toRequest({ id: nextId("call"), tool, input }, placement, options, caller, parent);
    return pipeline.call(request, { parent });
  };

  const resumeOptionsFor = (caller: Principal | undefined) => ({
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
    run: ReplyRunner,
  ) => {
    const askAgain = (waiting: PendingCallRef): Effect.Effect<Reply, ToolError> =>
      Effect.map(pipeline.askAgain(waiting, resumeOptionsFor(caller)), ({ reply }) => reply);
    const seen = new Set<string>();
    const hydrateOne = (request: CallRequest): Effect.Effect<HydrationResult> => {
      const { id } = request.raw;
      const isRepeated = id !== "" && seen.has(id);
      seen.add(id);
      const hydrating: Effect.Effect<PausedCall | RefusedCall> = isRepeated
        ? pipeline.refuse(request, duplicateIdFailure(request), { parent })
        : pipeline.hydrate(request, { parent });
      return Effect.flatMap(hydrationResultModule, ({ toHydrationResult }) =>
        Effect.map(hydrating, (call) => toHydrationResult({ call, at, limits, run, askAgain })),
      );
    };
    return Effect.forEach(requests, hydrateOne);
  };

  const addReplyTaints = (scope: RunScope, replies: readonly Reply[]): readonly Reply[] => {
    for (const { taints } of replies) if (taints !== undefined) addRunTaints(scope.tally, taints);
    return replies;
  };

  const service: ToolsService = {
    get context() {
      return context;
    },
    call: (name, input, options = {}) =>
      withCaller(options, (caller, parent) =>
        Effect.flatMap(callOne(name, input, options, caller, parent), (reply) => toValueEffect(reply, input)),
      ),
    execute: (input, options = {}) =>
      withCaller(options, (rights, parent) =>
        Effect.flatMap(envelopeCallModule, ({ toEnvelopeOutput, toEnvelopePrincipal }) =>
          Effect.withFiber((fiber) => {
            const clock = fiber.getRef(Clock.Clock);
            const since = clock.monotonicTimeNanosUnsafe();
            const named = { ...options, correlationId: input.correlationId };
            const caller = toEnvelopePrincipal(input, rights);
            return Effect.map(callOne(input.toolName, input.arguments, named, caller, parent), (reply) =>
              toEnvelopeOutput(input, reply, Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6),
            );
          }),
        ),
      ),
    turn: (calls, options = {}) =>
      withCaller(options, (caller, parent) => {
        const placement = toPlacement(options, options.scope ?? toRunScope(options, parent, caller));
        const requests = Array.from(calls, (raw) => toRequest(raw, placement, options, caller, parent));
        return runTurn(pipeline, requests, { ...turnLimitsOf(options), parent });
      }),
    hydrate: (calls, options = {}, run) =>
      withCaller(options, (caller, parent) =>
        Effect.withFiber((fiber) => {
          const runHere = Effect.runPromiseWith(fiber.context);
          const runReply: ReplyRunner = run ?? ((effect) => runHere(effect));
          const placement = toPlacement(options, toRunScope(options, parent, caller));
          const at = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
          const requests = Array.from(calls, (raw) => toRequest(raw, placement, options, caller, parent));
          return hydrateAll(requests, caller, parent, at, runReply);
        }),
      ),
    step: (calls, options) =>
      withCaller(options, (caller, parent) => {
        const requests = calls.map((raw) => toRequest(raw, options, options, caller, parent));
        const replies = runTurn(pipeline, requests, { ...turnLimitsOf(options), parent });
        return Effect.map(withStepApprover(replies, options), (all) => addReplyTaints(options.scope, all));
      }),
    recover: (calls, options) =>
      withCaller(options, (caller, parent) => {
        const requests = calls.map((raw) => toRequest(raw, options, options, caller, parent));
        const recoveryPipeline = { ...pipeline, call: pipeline.recover };
        const replies = runTurn(recoveryPipeline, requests, { ...turnLimitsOf(options), parent });
        return Effect.map(withStepApprover(replies, options), (all) => addReplyTaints(options.scope, all));
      }),
    inSession: (calls, step, body) =>
      withCaller(step, (caller, parent) => {
        const inherited = parent === undefined ? [] : taintsReadBy(parent);
        if (inherited.length > 0) addRunTaints(step.scope.tally, inherited);
        const requests = calls.map((raw) => {
          const request = toRequest(raw, step, step, caller, parent);
          const judged = step.judged?.get(raw);
          const readBefore = judged === undefined ? undefined : [...judged, ...inherited];
          const isRepeat = step.repeated?.has(raw) === true;
          if (readBefore === undefined && !isRepeat) return request;
          return Object.freeze({ ...request, readBefore, isRepeat });
        });
        return body(pipeline, requests, parent);
      }),
    neverAsks: pipeline.neverAsks,
    newId: nextId,
    resume: (approvalId, decision, options = {}) =>
      withCaller(options, (caller, parent) =>
        Effect.map(
          pipeline.resume(approvalId, decision, {
            principal: caller,
            by: options.by,
            layers:
              options.layers === undefined && options.scope === undefined
                ? undefined
                : layerScopesOf(options),
            env: options.env ?? env,
            scope: options.scope,
          }),
          (reply) => {
            if (reply.taints !== undefined) parent?.addTaints(reply.taints);
            return reply;
          },
        ),
      ),
    settle: (callId, finding, isVisible) => withCaller({}, () => pipeline.settle(callId, finding, isVisible)),
    askAgain: (request, options = {}) =>
      withCaller(options, (caller) => pipeline.askAgain(request, resumeOptionsFor(caller))),
    isInside: (options) => {
      const parent = parentCallOf(options, undefined);
      return parent !== undefined && pipeline.isOwn(parent);
    },
    isOwn: pipeline.isOwn,
  };
  const context = Context.add(given.context, Tools, service);
  return service;
};

interface CallPlacement {
  readonly scope: RunScope;
  readonly layers: LayerScopes;
  readonly shown: OfferedTools | undefined;
}

const envelopeCallModule = loadOnDemand(() => import("./envelope-call.ts"));
const hydrationResultModule = loadOnDemand(() => import("./hydration-result.ts"));

const toPlacement = (options: TurnOptions, scope: RunScope): CallPlacement => ({
  scope,
  layers: layerScopesOf(options),
  shown: unwrapOffer(options.offer),
});

const turnLimitsOf = ({
  maxConcurrency,
  join,
  signal,
}: Pick<TurnOptions, "maxConcurrency" | "join" | "signal">) => ({
  maxConcurrency,
  join,
  signal,
});

const withStepApprover = <A>(work: Effect.Effect<A>, { withApprover }: StepOptions): Effect.Effect<A> => {
  if (withApprover === undefined) return work;
  return Effect.withFiber((fiber) => {
    const approver = fiber.getRef(Approver);
    return approver === undefined ? work : Effect.provideService(work, Approver, withApprover(approver));
  });
};

export const parentCallOf = (
  { parent }: Pick<CallOptions, "parent">,
  fiberCall: RunningCall | undefined,
): RunningCall | undefined =>
  (parent === undefined ? undefined : runningCallOf(parent)) ?? fiberCall ?? currentCall();

export const taintsReadBy = ({ request, recorder }: RunningCall): readonly string[] => [
  ...request.scope.tally.taints,
  ...recorder.taints,
];

const duplicateIdFailure = ({ raw }: CallRequest): Failure => ({
  code: "unreadable_call",
  tool: raw.tool,
  message: "Another call in this list has the same id. See the reply to that call.",
});

const layerScopesOf = ({ layers }: CallOptions): LayerScopes =>
  layers === undefined || layers.length === 0 ? noLayerScopes : { run: layers, agent: [] };

const unwrapOffer = (offer: TurnOptions["offer"]): Offer | undefined =>
  offer !== undefined && "offer" in offer ? offer.offer : offer;

const toValueEffect = (reply: Reply, input: unknown): Effect.Effect<unknown, AnyToolError> => {
  if (reply.failure !== undefined) return Effect.fail(withInput(toError(reply.failure), input));
  if (reply.pending === undefined) return Effect.succeed(reply.value);
  // The message contains no approval id, because a tool may forward it to a model.
  const message = `The call of "${reply.tool}" is pending approval.`;
  return Effect.fail(
    toError({ code: "approval_required", message, tool: reply.tool, approval: reply.pending }),
  );
};
