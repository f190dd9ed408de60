import { type Context, type Tracer, trace } from "@opentelemetry/api";
import type * as Effect from "effect/Effect";
import type { CallRequest } from "../words/call.ts";
import type { CallObserver, IncomingTrace, ObservedCall } from "../words/observer.ts";
import type { Outcome } from "../words/outcome.ts";
import { type CallSpan, callSpan } from "./call-span.ts";
import type { SpanEnding } from "./ending.ts";
import { inside } from "./inside.ts";
import type { Instruments } from "./instruments.ts";
import { withLink } from "./links.ts";
import { observedOperation } from "./operation.ts";
import { runSpan } from "./run-span.ts";
import { safely } from "./safely.ts";
import { activeContext } from "./trace-carrier.ts";
import { readTraceparent, toTraceparent } from "./w3c-trace.ts";

interface ObserverOptions {
  readonly tracer: () => Tracer;
  readonly instruments: () => Instruments;
  /** Its span was made where it passed the layer. */
  readonly hasPassed: (request: CallRequest) => boolean;
}

/** What the layer cannot see from where it stands: runs, callers from elsewhere, and calls that never come to it. */
export const otelObserver = ({ tracer, instruments, hasPassed }: ObserverOptions): CallObserver => {
  const waiting = new WeakMap<CallRequest, CallSpan>();
  const start = (call: ObservedCall, startTime?: number): CallSpan =>
    callSpan(tracer, observedOperation(call), activeContext(), { call, startTime });
  return {
    run: (run, going) => inside(runSpan(tracer, instruments, run), going),
    within: (incoming, going) => within(incoming, going),
    waits: (call) => {
      const one = start(call);
      waiting.set(call.request, one);
      return safely("spanContext", () => one.span && toTraceparent(one.span.spanContext()));
    },
    concluded: (call, outcome, durationMs) => {
      if (hasPassed(call.request)) return;
      const ending = stoppedEnding(outcome);
      const span = waiting.get(call.request) ?? start(call, Date.now() - durationMs);
      waiting.delete(call.request);
      span.end(ending);
      safely("record", () => instruments().count(observedOperation(call), ending));
    },
  };
};

/** The message's own trace counts; the request that carried it is linked where it is of another span. */
const within = <A, E>(
  { message, messageState, transport, transportState }: IncomingTrace,
  going: Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  const carrier = readTraceparent(transport, transportState);
  const parent = readTraceparent(message, messageState) ?? carrier;
  if (parent === undefined) return going;
  const isOther = carrier !== undefined && carrier.spanId !== parent.spanId;
  const enter = (outer: Context): Context => {
    const context = trace.setSpan(outer, trace.wrapSpanContext(parent));
    return isOther ? withLink(context, carrier) : context;
  };
  return inside(() => {
    const outer = activeContext();
    return { context: safely("setSpan", () => enter(outer)) ?? outer, span: undefined, end: () => {} };
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
