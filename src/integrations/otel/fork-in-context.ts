import { type Context, context } from "@opentelemetry/api";
import type { Fiber } from "effect/Fiber";
import { runSafely } from "./run-safely.ts";

/**
 * Starts a fiber inside an OpenTelemetry context. A fiber takes the async context it was started in along whenever
 * it is resumed, so that all code it runs, now or later, finds the same active span.
 */
export const forkInContext = <A, E>(otelContext: Context, fork: () => Fiber<A, E>): Fiber<A, E> => {
  let started: Fiber<A, E> | undefined;
  runSafely("with", () =>
    context.with(otelContext, () => {
      started = fork();
    }),
  );
  return started ?? fork();
};
