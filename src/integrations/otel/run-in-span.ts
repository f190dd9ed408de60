import { isSpanContextValid, type Context as OtelContext, type Span, TraceFlags } from "@opentelemetry/api";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { externalSpan, ParentSpan } from "effect/Tracer";
import { TraceHeaders } from "../http/trace-headers.ts";
import { forkIn } from "./fork-in.ts";
import { safely } from "./safely.ts";
import { traceCarrier } from "./trace-carrier.ts";

/** Where some work runs, and who hears how it ended. */
export interface Entered<A, E> {
  readonly context: OtelContext;
  readonly span: Span | undefined;
  readonly end: (exit: Exit.Exit<A, E>) => void;
}

/** Runs work inside an OpenTelemetry context, in a fiber of its own that is interrupted with its parent. */
export const inside = <A, E>(
  enter: (parent: Fiber<unknown, unknown>) => Entered<A, E>,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((parent) =>
    // The span starts in here: a fiber interrupted on its way would leave one that nobody ends.
    Effect.callback<A, E>((resume) => {
      const entered = enter(parent);
      const fork = Effect.runForkWith(servicesOf(parent.context, entered));
      const child = forkIn(entered.context, () => fork(work));
      const over = (exit: Exit.Exit<A, E>): void => {
        entered.end(exit);
        resume(exit);
      };
      const exit = child.pollUnsafe();
      if (exit !== undefined) return over(exit);
      child.addObserver(over);
      return Effect.callback<void>((done) => {
        child.addObserver(() => done(Effect.void));
        child.interruptUnsafe(parent.id);
      });
    }),
  );

/** What is called from inside belongs to the same trace: requests by their headers, Effect's own spans by parent. */
const servicesOf = (
  services: Context.Context<never>,
  { span, context }: Pick<Entered<never, never>, "span" | "context">,
): Context.Context<never> => {
  const of = safely("spanContext", () => span?.spanContext());
  if (of === undefined || !isSpanContextValid(of)) return services;
  const { traceId, spanId, traceFlags } = of;
  const parent = externalSpan({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  const traced = Context.add(services, ParentSpan, parent) as Context.Context<never>;
  return Context.add(traced, TraceHeaders, () => traceCarrier(context)) as Context.Context<never>;
};
