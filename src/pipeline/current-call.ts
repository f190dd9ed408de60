import { AsyncLocalStorage } from "node:async_hooks";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { CurrentCall, type RunningCall } from "../types/call.ts";
import { CurrentPrincipal } from "../types/principal.ts";
import type { CallServices } from "./call-services.ts";
import type { CallState, HydratedCall } from "./call-state.ts";
import { addRunTaints, addTaints, recordSuspension } from "./recorder.ts";

const globalSlot: unique symbol = Symbol.for("haft/current-call") as never;

interface CallContextStore {
  /** Followed over every await. */
  readonly storage: AsyncLocalStorage<RunningCall>;
  /** The call that foreign code answers for at once: a schema, an approval layer, a getter of a result. */
  answering: (() => RunningCall | undefined) | undefined;
}

const globals = globalThis as { [globalSlot]?: CallContextStore };
globals[globalSlot] ??= { storage: new AsyncLocalStorage(), answering: undefined };
/** Kept on `globalThis`, so that two copies of this package in one process agree about who is calling. */
const callContextStore = globals[globalSlot];
const { storage } = callContextStore;

/** The call whose code runs right now. */
export const currentCall = (): RunningCall | undefined =>
  callContextStore.answering?.() ?? storage.getStore();

/** Runs code as part of a call: what it calls in turn has that call's rights, taint and budget, and names it as parent. */
export const withCallContextAsync = <A>(call: RunningCall, code: () => A): A =>
  callContextStore.answering === undefined
    ? storage.run(call, code)
    : withSyncCall(undefined, () => storage.run(call, code));

/**
 * The same for foreign code that answers at once, on the way of every call. It is not followed over an await, and
 * costs next to nothing.
 */
export const withCallContext = <A>(
  services: Pick<CallServices, "runtime" | "approvals" | "ledger">,
  { request, principal, recorder }: CallState,
  code: () => A,
): A =>
  withSyncCall(
    () => (principal === undefined ? undefined : toRunningCall(services, { request, principal, recorder })),
    code,
  );

const withSyncCall = <A>(call: CallContextStore["answering"], code: () => A): A => {
  const before = callContextStore.answering;
  callContextStore.answering = call;
  try {
    return code();
  } finally {
    callContextStore.answering = before;
  }
};

/** The same for an Effect: it is run by a fiber of its own, which is interrupted and waited for with the one around it. */
export const withCallContextEffect = <A>(call: RunningCall, work: () => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((around) =>
    Effect.callback<A>((resume) => {
      const context = around.context.pipe(
        Context.add(CurrentPrincipal, call.principal),
        Context.add(CurrentCall, call),
      );
      const fiber = withCallContextAsync(call, () => Effect.runForkWith(context)(Effect.suspend(work)));
      fiber.addObserver(resume);
      return Fiber.interrupt(fiber);
    }),
  );

export const toRunningCall = (
  services: Pick<CallServices, "runtime" | "approvals" | "ledger">,
  { request, principal, recorder }: Pick<HydratedCall, "request" | "principal" | "recorder">,
): RunningCall =>
  Object.freeze({
    runtime: services.runtime,
    request,
    principal,
    recorder,
    addTaints: (taints: readonly string[]) => {
      addTaints(recorder, taints);
      addRunTaints(request.scope.tally, taints);
    },
    journal: canJournal(services)
      ? { earlier: recorder.journal, keep: (suspension) => recordSuspension(recorder, suspension) }
      : undefined,
  });

/** Whoever goes on is another process as often as not. */
const canJournal = ({ approvals, ledger }: Pick<CallServices, "approvals" | "ledger">): boolean =>
  approvals.isDurable && ledger.recall !== undefined;
