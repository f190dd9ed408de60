import { type Attributes, type Meter, type Tracer, trace } from "@opentelemetry/api";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { checkFields } from "../../base/json/check-fields.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { shorten } from "../../base/text/cut-text.ts";
import type { AuthorizedCall, CallRequest } from "../../types/call.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import type { Outcome } from "../../types/outcome.ts";
import { startCallSpan } from "./call-span.ts";
import { lazyInstruments } from "./instruments.ts";
import { operationOf } from "./operation.ts";
import { otelObserver } from "./otel-observer.ts";
import { redactorOf } from "./redactor-of.ts";
import { type EnteredSpan, runInSpan } from "./run-in-span.ts";
import { reportErrors } from "./run-safely.ts";
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
