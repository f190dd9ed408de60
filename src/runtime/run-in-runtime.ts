import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { ToolError } from "../words/errors.ts";
import type { Shared } from "./shared.ts";

/** What is thrown is thrown from here, where the program waits: made inside a fiber, it shows none of its frames. */
export const runIn = async <A, E>(
  shared: Shared,
  effect: Effect.Effect<A, E>,
  settle: (exit: Exit.Exit<A, E>) => A,
  signal?: AbortSignal,
): Promise<A> => {
  try {
    return await forkIn(shared, effect, settle, signal);
  } catch (error) {
    if (ToolError.is(error)) Error.captureStackTrace(error);
    throw error;
  }
};

/** One promise for each call, settled by the fiber itself. */
export const forkIn = <A, E>(
  { tools, inFlight }: Shared,
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
