import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { toOptionsError } from "../agent/to-options-error.ts";
import type { SettlementFinding } from "../pipeline/settle.ts";
import { type AnyToolError, ToolCancelledError, ToolError, toTaggedError } from "../types/errors.ts";
import type { LedgerEntry } from "../types/ledger.ts";
import { type SharedRuntime, sharedRuntimes } from "./shared-runtime.ts";

/** Captures the stack trace here, because one from inside a fiber has no frames of the program. */
export const runInRuntime = async <A, E>(
  shared: SharedRuntime,
  effect: Effect.Effect<A, E>,
  settle: (exit: Exit.Exit<A, E>) => A,
  signal?: AbortSignal,
): Promise<A> => {
  try {
    return await forkInRuntime(shared, effect, settle, signal);
  } catch (error) {
    if (ToolError.is(error)) Error.captureStackTrace(error);
    throw error;
  }
};

export const forkInRuntime = <A, E>(
  { tools, inFlight }: SharedRuntime,
  effect: Effect.Effect<A, E>,
  settle: (exit: Exit.Exit<A, E>) => A,
  signal?: AbortSignal,
): Promise<A> =>
  new Promise((resolve, reject) => {
    const fiber = Effect.runForkWith(tools.context)(effect, signal === undefined ? undefined : { signal });
    inFlight.add(fiber);
    fiber.addObserver((exit) => {
      inFlight.delete(fiber);
      try {
        resolve(settle(exit));
      } catch (error) {
        reject(error);
      }
    });
  });

export const runtimeClosedError = (tool: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The runtime is closed: "${tool}" was not called.`, { tool });

export const callCancelledError = (tool: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The call of "${tool}" was cancelled.`, { tool });

export const valueOrThrow = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value;
  throw Cause.squash(exit.cause);
};

export const valueOrCancelled =
  (tool: string) =>
  <A, E>(exit: Exit.Exit<A, E>): A => {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) throw callCancelledError(tool);
    return valueOrThrow(exit);
  };

/** Settles a call of any user, for operators. `haft.settle` is limited to its principal's user. */
export const settleAny = (
  haft: object,
  callId: string,
  finding?: SettlementFinding,
): Promise<LedgerEntry> => {
  const shared = sharedRuntimes.get(haft)!;
  return runInRuntime(shared, shared.tools.settle(callId, finding), valueOrThrow);
};

export const thrownToTaggedError = (error: unknown): AnyToolError => toTaggedError(toOptionsError(error));

export const tryTagged = <A>(body: () => A): Effect.Effect<A, AnyToolError> =>
  Effect.try({ try: body, catch: thrownToTaggedError });
