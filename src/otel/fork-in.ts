import { type Context, context } from "@opentelemetry/api";
import type { Fiber } from "effect/Fiber";
import { safely } from "./safely.ts";

/**
 * Starts a fiber inside an OpenTelemetry context. A fiber takes the async context it was started in along whenever
 * it is resumed, so that all code it runs, now or later, finds the same active span.
 */
export const forkIn = <A>(within: Context, fork: () => Fiber<A>): Fiber<A> => {
  let started: Fiber<A> | undefined;
  safely("with", () =>
    context.with(within, () => {
      started = fork();
    }),
  );
  return started ?? fork();
};
