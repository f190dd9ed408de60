import { type Context, type Tracer, trace } from "@opentelemetry/api";
import type * as Effect from "effect/Effect";
import type { CallRequest } from "../../types/call.ts";
import type { CallObserver, IncomingTrace, MaskText, ObservedCall } from "../../types/observer.ts";
import type { Outcome } from "../../types/outcome.ts";
import { type CallSpan, startCallSpan } from "./call-span.ts";
import type { Instruments } from "./instruments.ts";
import { observedOperation } from "./operation.ts";
import { runInSpan } from "./run-in-span.ts";
import { reportErrors } from "./run-safely.ts";
import { startRunSpan } from "./run-span.ts";
import type { SpanEnding } from "./span-ending.ts";
import { withLink } from "./span-links.ts";
import { activeContext } from "./trace-carrier.ts";
import { readTraceparent, toTraceparent } from "./w3c-trace.ts";

interface OtelObserverOptions {
  readonly tracer: () => Tracer;
  readonly instruments: () => Instruments;
  readonly hasPassed: (request: CallRequest) => boolean;
}

/** Observes what the layer cannot see: runs, incoming traces, and calls that never reach it. */
export const otelObserver = ({ tracer, instruments, hasPassed }: OtelObserverOptions): CallObserver => {
  const waiting = new WeakMap<CallRequest, CallSpan>();
  const start = (call: ObservedCall, mask: MaskText, startTime?: number): CallSpan =>
    startCallSpan(tracer, observedOperation(call, mask), activeContext(), { call, startTime });
  return {
    run: (run, going) => runInSpan(startRunSpan(tracer, instruments, run), going),
    within: (incoming, going) => runWithIncomingTrace(incoming, going),
    waits: (call, mask) => {
      const one = start(call, mask);
      waiting.set(call.request, one);
      return reportErrors("spanContext", () => one.span && toTraceparent(one.span.spanContext()));
    },
    concluded: (call, outcome, durationMs, mask) => {
      if (hasPassed(call.request)) return;
      const ending = stoppedEnding(outcome);
      const span = waiting.get(call.request) ?? start(call, mask, Date.now() - durationMs);
      waiting.delete(call.request);
      span.end(ending);
      reportErrors("record", () => instruments().count(observedOperation(call, mask), ending));
    },
  };
};

/** The trace of the message takes precedence; that of the HTTP request is linked. */
const runWithIncomingTrace = <A, E>(
  { message, messageState, transport, transportState }: IncomingTrace,
  going: Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  const carrier = readTraceparent(transport, transportState);
  const parent = readTraceparent(message, messageState) ?? carrier;
  if (parent === undefined) return going;
  const isOtherSpan = carrier !== undefined && carrier.spanId !== parent.spanId;
  const enter = (outer: Context): Context => {
    const context = trace.setSpan(outer, trace.wrapSpanContext(parent));
    return isOtherSpan ? withLink(context, carrier) : context;
  };
  return runInSpan(() => {
    const outer = activeContext();
    return { context: reportErrors("setSpan", () => enter(outer)) ?? outer, span: undefined, end: () => {} };
  }, going);
};

const stoppedEnding = (outcome: Outcome): SpanEnding => {
  const errorType = outcome._tag === "failure" ? outcome.failure.code : undefined;
  return {
    outcome: outcome._tag,
    errorType,
    cost: undefined,
    tokens: { input: undefined, output: undefined },
    attributes: {
      "haft.outcome": outcome._tag,
      ...(errorType === undefined ? {} : { "error.type": errorType }),
    },
  };
};
