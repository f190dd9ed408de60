import {
  type Attributes,
  type Context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  type Link,
  type Meter,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { readTraceparentFields } from "../../base/http/trace-headers.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { shorten } from "../../base/text/cut-text.ts";
import type { AgentResponse } from "../../types/agent.ts";
import type {
  AuthorizedCall,
  CallObserver,
  CallRequest,
  IncomingTrace,
  MaskText,
  ObservedCall,
  ObservedRun,
} from "../../types/call.ts";
import { ConfigurationError, ToolError } from "../../types/errors.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import { type Instruments, lazyInstruments } from "./instruments.ts";
import {
  modelAttributes,
  type OtelOperation,
  observedOperation,
  operationOf,
  toAttributeText,
} from "./operation.ts";
import { type EnteredSpan, runInSpan } from "./run-in-span.ts";
import { redactorOf, reportErrors } from "./run-safely.ts";
import { type SpanEnding, spanEndingOf, unreadableEnding } from "./span-ending.ts";
import { activeContext } from "./trace-carrier.ts";

/** Destination and content of OpenTelemetry spans and metrics. */
export interface OtelOptions {
  /** Default: the registered provider. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Records redacted tool arguments on spans. Results and model output are never recorded. */
  readonly captureArguments?: false | "redacted";
}

/**
 * Records a span and measurements for each call: `execute_tool` for tools (also refused and pending calls),
 * `chat` for models and `invoke_agent` for runs. Errors of telemetry do not affect the call.
 */
export const otel = (options: OtelOptions = {}): ToolLayer => {
  checkFields("otel", options, ["tracer", "meter", "captureArguments"]);
  const captures = readCapture(options.captureArguments);
  let chosen = options.tracer;
  const tracer = (): Tracer => {
    chosen ??= trace.getTracer("haft");
    return chosen;
  };
  const instruments = lazyInstruments(options.meter);
  const requestsWithSpan = new WeakSet<CallRequest>();

  const begin = (call: AuthorizedCall, parent: Fiber<unknown, unknown>): EnteredSpan<Outcome, never> => {
    requestsWithSpan.add(call.request);
    const clock = parent.getRef(Clock.Clock);
    const startedAt = clock.monotonicTimeNanosUnsafe();
    const costBefore = call.recorder.cost;
    const mask = redactorOf(parent.context);
    const operation = operationOf(call, mask.text);
    const more = (): Attributes => {
      const text = captures && operation.kind === "tool" ? argumentsAttribute(call.input, mask) : undefined;
      return text === undefined ? {} : { "gen_ai.tool.call.arguments": text };
    };
    const span = startCallSpan(tracer, operation, activeContext(), { call, more });
    const end = (exit: Exit.Exit<Outcome>): void => {
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9;
      const ending: SpanEnding =
        reportErrors("outcome", () => spanEndingOf(operation, call, exit, costBefore)) ?? unreadableEnding;
      span.end(ending);
      reportErrors("record", () => instruments().record(operation, ending, seconds));
    };
    return { context: span.context, span: span.span, end };
  };

  const wrap = (next: Handler): Handler => {
    const inner = (call: AuthorizedCall) => Effect.suspend(() => next(call));
    return (call) => runInSpan((parent) => begin(call, parent), inner(call));
  };
  const observer = otelObserver({
    tracer,
    instruments,
    hasPassed: (request) => requestsWithSpan.has(request),
  });
  return Object.assign(wrap, { label: "otel", runsNoCode: true, observer });
};

interface CallSpan {
  readonly context: Context;
  readonly span: Span | undefined;
  readonly end: (ending: Pick<SpanEnding, "attributes" | "errorType">) => void;
}

interface CallSpanOptions {
  readonly call?: { readonly request: { readonly earlierTrace?: string | undefined } };
  readonly startTime?: number | undefined;
  readonly more?: () => Attributes;
}

const startCallSpan = (
  tracer: () => Tracer,
  operation: Pick<OtelOperation, "spanName" | "spanKind" | "attributes">,
  outer: Context,
  { call, startTime, more }: CallSpanOptions = {},
): CallSpan => {
  const { spanName, spanKind: kind, attributes } = operation;
  const links = reportErrors("links", () => spanLinksOf(outer, call?.request.earlierTrace)) ?? [];
  const start = startTime === undefined ? {} : { startTime };
  const options = { kind, attributes, ...(links.length === 0 ? {} : { links }), ...start };
  const span = reportErrors("startSpan", () => tracer().startSpan(spanName, options, outer));
  if (span === undefined) return { context: outer, span, end: () => {} };
  reportErrors("setAttributes", () => {
    if (more !== undefined && span.isRecording()) span.setAttributes(more());
  });
  return {
    context: reportErrors("setSpan", () => trace.setSpan(withoutLink(outer), span)) ?? outer,
    span,
    end: ({ attributes: endAttributes, errorType }) => {
      reportErrors("setAttributes", () => span.setAttributes(endAttributes));
      // The message may contain unmasked text of the tool.
      if (errorType !== undefined) {
        reportErrors("setStatus", () => span.setStatus({ code: SpanStatusCode.ERROR, message: errorType }));
      }
      reportErrors("end", () => span.end());
    },
  };
};

const linkKey = createContextKey("haft links");

/** Links the next span that starts in this context, and none below it. */
const withLink = (context: Context, to: SpanContext): Context => context.setValue(linkKey, to);

const withoutLink = (context: Context): Context =>
  context.getValue(linkKey) === undefined ? context : context.deleteValue(linkKey);

const spanLinksOf = (context: Context, earlierTrace: string | undefined): Link[] => {
  const carrierSpan = context.getValue(linkKey) as SpanContext | undefined;
  const earlier = readTraceparent(earlierTrace);
  return [
    ...(carrierSpan === undefined ? [] : [{ context: carrierSpan }]),
    ...(earlier === undefined ? [] : [{ context: earlier, attributes: { "haft.link": "resumes" } }]),
  ];
};

const toTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;

const readTraceparent = (text: string | undefined, state?: string): SpanContext | undefined => {
  const fields = readTraceparentFields(text ?? "");
  if (fields === undefined) return undefined;
  const { traceId, spanId, flags } = fields;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const found: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  if (!isSpanContextValid(found)) return undefined;
  return state === undefined ? found : { ...found, traceState: createTraceState(state) };
};

interface OtelObserverOptions {
  readonly tracer: () => Tracer;
  readonly instruments: () => Instruments;
  readonly hasPassed: (request: CallRequest) => boolean;
}

/** Observes what the layer cannot see: runs, incoming traces, and calls that never reach it. */
const otelObserver = ({ tracer, instruments, hasPassed }: OtelObserverOptions): CallObserver => {
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

type RunExit = Exit.Exit<AgentResponse, ToolError>;

const startRunSpan =
  (tracer: () => Tracer, instruments: () => Instruments, run: ObservedRun) =>
  (parent: Fiber<unknown, unknown>): EnteredSpan<AgentResponse, ToolError> => {
    const clock = parent.getRef(Clock.Clock);
    const startedAt = clock.monotonicTimeNanosUnsafe();
    const mask = redactorOf(parent.context).text;
    const series = runSeries(run);
    const { context, span, end } = startCallSpan(
      tracer,
      {
        spanName: `invoke_agent ${toAttributeText(run.agent)}`,
        spanKind: SpanKind.INTERNAL,
        attributes: { ...series, ...runAttributes(run, mask) },
      },
      activeContext(),
    );
    return {
      context,
      span,
      end: (exit) => {
        const errorType = runErrorType(exit);
        end({ attributes: runEndAttributes(exit, errorType), errorType });
        const seconds = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9;
        reportErrors("record", () => instruments().recordRun(series, errorType, seconds));
      },
    };
  };

const runSeries = ({ agent, model }: ObservedRun): Attributes => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": toAttributeText(agent),
  ...(model === undefined ? {} : modelAttributes(toAttributeText(model))),
});

const runAttributes = ({ id, principal, isResumed }: ObservedRun, mask: MaskText): Attributes => ({
  "haft.run.id": id,
  ...(principal?.session === undefined
    ? {}
    : { "gen_ai.conversation.id": toAttributeText(mask(principal.session)) }),
  ...(isResumed ? { "haft.run.resumed": true } : {}),
});

const runErrorType = (exit: RunExit): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined;
  if (Cause.hasInterruptsOnly(exit.cause)) return "cancelled";
  const error = Cause.squash(exit.cause);
  return ToolError.is(error) ? error.code : "crashed";
};

const runEndAttributes = (exit: RunExit, errorType: string | undefined): Attributes => {
  if (Exit.isFailure(exit)) return { "haft.outcome": "failure", "error.type": errorType };
  const { status, usage, turns } = exit.value;
  return {
    "haft.outcome": status,
    "haft.run.turns": turns,
    ...(Number.isFinite(usage.inputTokens) ? { "gen_ai.usage.input_tokens": usage.inputTokens } : {}),
    ...(Number.isFinite(usage.outputTokens) ? { "gen_ai.usage.output_tokens": usage.outputTokens } : {}),
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

const readCapture = (captureArguments: unknown): boolean => {
  if (captureArguments === undefined || captureArguments === false) return false;
  if (captureArguments === "redacted") return true;
  throw new ConfigurationError(
    "invalid_config",
    'otel captureArguments is false or "redacted"; arguments are never recorded unredacted.',
  );
};

const maxArgumentsLength = 8192;

const argumentsAttribute = (input: unknown, mask: Redactor): string | undefined => {
  const text = JSON.stringify(mask.value(input));
  return text === undefined ? undefined : shorten(text, maxArgumentsLength);
};
