import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { ToolError } from "../types/errors.ts";
import type { SharedRuntime } from "./shared-runtime.ts";

/** What is thrown is thrown from here, where the program waits: made inside a fiber, it shows none of its frames. */
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

/** One promise for each call, settled by the fiber itself. */
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
