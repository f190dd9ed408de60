import { AsyncLocalStorage } from "node:async_hooks";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { CurrentCall, type RunningCall } from "../words/call.ts";
import { CurrentPrincipal } from "../words/principal.ts";
import type { CallServices } from "./call-services.ts";
import type { CallState, HydratedCall } from "./call-state.ts";
import { addRunTaints, addTaints } from "./recorder.ts";

const slot: unique symbol = Symbol.for("haft/current-call") as never;

const shared = globalThis as { [slot]?: AsyncLocalStorage<RunningCall> };
shared[slot] ??= new AsyncLocalStorage();
/** Kept on `globalThis`, so that two copies of this package in one process agree about who is calling. */
const storage = shared[slot];

/** A call that somebody answers for at once: its schemas, its approval layers, the getters of its result. */
let answering: (() => RunningCall | undefined) | undefined;

/** The call whose code runs right now, followed over every await. */
export const currentCall = (): RunningCall | undefined => answering?.() ?? storage.getStore();

/** Runs code as part of a call: what it calls in turn has that call's rights, taint and budget, and names it as parent. */
export const runInside = <A>(call: RunningCall, code: () => A): A =>
  answering === undefined ? storage.run(call, code) : answerFor(undefined, () => storage.run(call, code));

/**
 * The same for foreign code that answers at once, on the way of every call. It is not followed over an await, and
 * costs next to nothing.
 */
export const answerInside = <A>(
  services: Pick<CallServices, "runtime">,
  { request, principal, recorder }: CallState,
  code: () => A,
): A =>
  answerFor(
    () => (principal === undefined ? undefined : toRunningCall(services, { request, principal, recorder })),
    code,
  );

const answerFor = <A>(call: typeof answering, code: () => A): A => {
  const before = answering;
  answering = call;
  try {
    return code();
  } finally {
    answering = before;
  }
};

/** The same for an Effect: it is run by a fiber of its own, which is interrupted and waited for with the one around it. */
export const runFiberInside = <A>(call: RunningCall, work: () => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((around) =>
    Effect.callback<A>((resume) => {
      const context = around.context.pipe(
        Context.add(CurrentPrincipal, call.principal),
        Context.add(CurrentCall, call),
      );
      const fiber = runInside(call, () => Effect.runForkWith(context)(Effect.suspend(work)));
      fiber.addObserver(resume);
      return Fiber.interrupt(fiber);
    }),
  );

export const toRunningCall = (
  { runtime }: Pick<CallServices, "runtime">,
  { request, principal, recorder }: Pick<HydratedCall, "request" | "principal" | "recorder">,
): RunningCall =>
  Object.freeze({
    runtime,
    request,
    principal,
    recorder,
    addTaints: (taints: readonly string[]) => {
      addTaints(recorder, taints);
      addRunTaints(request.scope.tally, taints);
    },
  });
