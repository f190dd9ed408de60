import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { ToolError } from "../types/errors.ts";
import type { SharedRuntime } from "./shared-runtime.ts";

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
