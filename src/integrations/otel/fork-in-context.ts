import { type Context, context } from "@opentelemetry/api";
import type { Fiber } from "effect/Fiber";
import { reportErrors } from "./run-safely.ts";

/** A fiber keeps the async context in which it was started, so all its code sees the same active span. */
export const forkInContext = <A, E>(otelContext: Context, fork: () => Fiber<A, E>): Fiber<A, E> => {
  let started: Fiber<A, E> | undefined;
  reportErrors("with", () =>
    context.with(otelContext, () => {
      started = fork();
    }),
  );
  return started ?? fork();
};
