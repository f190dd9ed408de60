import { AsyncLocalStorage } from "node:async_hooks";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { copyJson } from "../base/json/copy-json.ts";
import type { JsonLimits, JsonProblem } from "../base/json/json-problem.ts";
import { freezeJson, withoutMinusZero } from "../base/json/json-value.ts";
import { CurrentCall, type RawCall, type RunningCall } from "../types/call.ts";
import { CurrentPrincipal } from "../types/principal.ts";
import { isCutOff } from "./1-hydrate/argument-messages.ts";
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

/** Stage 1 reports the problem. */
export class UnreadableArguments {
  readonly problem: JsonProblem;

  constructor(problem: JsonProblem) {
    this.problem = problem;
    Object.freeze(this);
  }

  toJSON(): string {
    return "[not JSON]";
  }
}

/**
 * Argument text stays exact. A value is copied within the JSON limits, and the ledger, policy and the tool
 * use that copy.
 */
export const readRawCall = (given: RawCall, limits: JsonLimits): RawCall => {
  try {
    const { id, tool, input, index, part, providerExecuted, finish, nulls } = given;
    const call = {
      id: typeof id === "string" ? id : "",
      tool: typeof tool === "string" ? tool : "",
      input: typeof input === "string" ? input : copyInput(input, limits),
    };
    if (
      providerExecuted === undefined &&
      finish === undefined &&
      nulls === undefined &&
      index === undefined &&
      part === undefined
    ) {
      return Object.freeze(call);
    }
    return Object.freeze({
      ...call,
      ...(typeof index === "number" ? { index } : {}),
      ...(typeof part === "string" && part.length <= maxPartPointerLength ? { part } : {}),
      providerExecuted: providerExecuted === true,
      finish: isCutOff(finish) ? "incomplete" : "complete",
      ...(Array.isArray(nulls) ? { nulls: Object.freeze(nulls.map(String)) } : {}),
    });
  } catch {
    return unreadableCall;
  }
};

const maxPartPointerLength = 200;

const unreadableCall: RawCall = Object.freeze({ id: "", tool: "", input: undefined });

const copyInput = (input: unknown, limits: JsonLimits): unknown => {
  if (input === undefined || input === null) return input;
  const copy = copyJson(input, limits);
  return copy.ok ? freezeJson(withoutMinusZero(copy.value)) : new UnreadableArguments(copy.problem);
};
