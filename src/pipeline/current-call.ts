import { AsyncLocalStorage } from "node:async_hooks";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { CurrentCall, type RunningCall } from "../types/call.ts";
import { CurrentPrincipal } from "../types/principal.ts";
import type { CallServices, CallState, HydratedCall } from "./call-state.ts";
import { addRunTaints } from "./recorder.ts";

const globalSlot: unique symbol = Symbol.for("haft/current-call") as never;

interface CallContextStore {
  readonly storage: AsyncLocalStorage<RunningCall>;
  /** Set while synchronous user code runs. */
  answering: (() => RunningCall | undefined) | undefined;
}

const globals = globalThis as { [globalSlot]?: CallContextStore };
globals[globalSlot] ??= { storage: new AsyncLocalStorage(), answering: undefined };
/** Stored on `globalThis`, so that two copies of this package in one process share it. */
const callContextStore = globals[globalSlot];
const { storage } = callContextStore;

export const currentCall = (): RunningCall | undefined =>
  callContextStore.answering?.() ?? storage.getStore();

/** Calls made by the code inherit its rights, taints and budget, and have it as parent. */
export const withCallContextAsync = <A>(call: RunningCall, code: () => A): A =>
  callContextStore.answering === undefined
    ? storage.run(call, code)
    : withSyncCall(undefined, () => storage.run(call, code));

/** The same for synchronous user code. Cheap, because it does not propagate across awaits. */
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

/** The same for an Effect. It runs in its own fiber, which is interrupted together with the current one. */
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
      recorder.addTaints(taints);
      addRunTaints(request.scope.tally, taints);
    },
    journal: canJournal(services)
      ? {
          earlier: recorder.journal,
          keep: (suspension) => {
            recorder.suspension = suspension;
          },
        }
      : undefined,
  });

const canJournal = ({ approvals, ledger }: Pick<CallServices, "approvals" | "ledger">): boolean =>
  approvals.isDurable && ledger.recall !== undefined;
