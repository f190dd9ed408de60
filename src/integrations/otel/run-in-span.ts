import { isSpanContextValid, type Context as OtelContext, type Span, TraceFlags } from "@opentelemetry/api";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { externalSpan, ParentSpan } from "effect/Tracer";
import { TraceHeaders } from "../../base/http/trace-headers.ts";
import { forkInContext } from "./fork-in-context.ts";
import { reportErrors } from "./run-safely.ts";
import { traceCarrier } from "./trace-carrier.ts";

export interface EnteredSpan<A, E> {
  readonly context: OtelContext;
  readonly span: Span | undefined;
  readonly end: (exit: Exit.Exit<A, E>) => void;
}

/** The fiber is interrupted with its parent. */
export const runInSpan = <A, E>(
  enter: (parent: Fiber<unknown, unknown>) => EnteredSpan<A, E>,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((parent) =>
    // Started here, so that an earlier interruption leaves no open span.
    Effect.callback<A, E>((resume) => {
      const entered = enter(parent);
      const fork = Effect.runForkWith(servicesWithTrace(parent.context, entered));
      const child = forkInContext(entered.context, () => fork(work));
      const finished = (exit: Exit.Exit<A, E>): void => {
        entered.end(exit);
        resume(exit);
      };
      const exit = child.pollUnsafe();
      if (exit !== undefined) return finished(exit);
      child.addObserver(finished);
      return Effect.callback<void>((done) => {
        child.addObserver(() => done(Effect.void));
        child.interruptUnsafe(parent.id);
      });
    }),
  );

const servicesWithTrace = (
  services: Context.Context<never>,
  { span, context }: Pick<EnteredSpan<never, never>, "span" | "context">,
): Context.Context<never> => {
  const spanContext = reportErrors("spanContext", () => span?.spanContext());
  if (spanContext === undefined || !isSpanContextValid(spanContext)) return services;
  const { traceId, spanId, traceFlags } = spanContext;
  const parent = externalSpan({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  const traced = Context.add(services, ParentSpan, parent) as Context.Context<never>;
  return Context.add(traced, TraceHeaders, () => traceCarrier(context)) as Context.Context<never>;
};
