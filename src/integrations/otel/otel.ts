import { type Attributes, type Meter, type Tracer, trace } from "@opentelemetry/api";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { Credentials } from "../credentials/credentials.ts";
import { checkFields } from "../json/check-fields.ts";
import { redactor } from "../json/redact.ts";
import { shorten } from "../text/cut-text.ts";
import type { AuthorizedCall, CallRequest } from "../words/call.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";
import { callSpan } from "./call-span.ts";
import { endingOf, type SpanEnding, unreadable } from "./ending.ts";
import { type Entered, inside } from "./inside.ts";
import { instrumentsOf } from "./instruments.ts";
import { otelObserver } from "./observer.ts";
import { operationOf } from "./operation.ts";
import { safely } from "./safely.ts";
import { activeContext } from "./trace-carrier.ts";

/** Where the spans and metrics of OpenTelemetry go, and what is in them. */
export interface OtelOptions {
  /** Of the registered provider unless named. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Whether the arguments of tools are on their spans. Results and what models say never are. */
  readonly captureArguments?: false | "redacted";
}

/**
 * A span and its measurements for each call, as OpenTelemetry names them: `execute_tool` around tools, refused and waiting
 * ones too, `chat` around models, `invoke_agent` around runs. Telemetry that breaks is on its own, and the call goes on.
 */
export const otel = (options: OtelOptions = {}): ToolLayer => {
  checkFields("otel", options, ["tracer", "meter", "captureArguments"]);
  const captures = readCapture(options.captureArguments);
  let chosen = options.tracer;
  const tracer = (): Tracer => {
    chosen ??= trace.getTracer("haft");
    return chosen;
  };
  const instruments = instrumentsOf(options.meter);
  const passed = new WeakSet<CallRequest>();

  const begin = (call: AuthorizedCall, parent: Fiber<unknown, unknown>): Entered<Outcome, never> => {
    passed.add(call.request);
    const clock = parent.getRef(Clock.Clock);
    const since = clock.monotonicTimeNanosUnsafe();
    const spent = call.recorder.cost;
    const operation = operationOf(call);
    const more = (): Attributes => {
      const text =
        captures && operation.kind === "tool" ? capturedArguments(call.input, parent.context) : undefined;
      return text === undefined ? {} : { "gen_ai.tool.call.arguments": text };
    };
    const span = callSpan(tracer, operation, activeContext(), { call, more });
    const end = (exit: Exit.Exit<Outcome>): void => {
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - since) / 1e9;
      const ending: SpanEnding =
        safely("outcome", () => endingOf(operation, call, exit, spent)) ?? unreadable;
      span.end(ending);
      safely("record", () => instruments().record(operation, ending, seconds));
    };
    return { context: span.context, span: span.span, end };
  };

  const wrap = (next: Handler): Handler => {
    const inner = (call: AuthorizedCall) => Effect.suspend(() => next(call));
    return (call) => inside((parent) => begin(call, parent), inner(call));
  };
  const observer = otelObserver({ tracer, instruments, hasPassed: (request) => passed.has(request) });
  return Object.assign(wrap, { label: "otel", runsNoCode: true, observer });
};

const readCapture = (captureArguments: unknown): boolean => {
  if (captureArguments === undefined || captureArguments === false) return false;
  if (captureArguments === "redacted") return true;
  throw new ConfigurationError(
    "invalid_config",
    'otel captureArguments is false or "redacted"; arguments are never recorded as they came.',
  );
};

const longest = 8192;

/** The arguments as text, masked as the ledger masks them: by name, by shape, and by the secrets the runtime knows. */
const capturedArguments = (input: unknown, services: Context.Context<never>): string | undefined => {
  const credentials = Context.getOrUndefined(services, Credentials);
  const mask = redactor(credentials === undefined ? {} : { secrets: credentials.known });
  const text = JSON.stringify(mask.value(input));
  return text === undefined ? undefined : shorten(text, longest);
};
