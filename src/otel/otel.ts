import { isSpanContextValid, type Meter, TraceFlags, type Tracer, trace } from "@opentelemetry/api";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { externalSpan, ParentSpan } from "effect/Tracer";
import { Credentials } from "../credentials/credentials.ts";
import { TraceHeaders } from "../http/trace-headers.ts";
import { checkFields } from "../json/check-fields.ts";
import { redactor } from "../json/redact.ts";
import type { AuthorizedCall } from "../words/call.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";
import { type CallSpan, callSpan } from "./call-span.ts";
import { endingOf, type SpanEnding, unreadable } from "./ending.ts";
import { forkIn } from "./fork-in.ts";
import { instrumentsOf } from "./instruments.ts";
import { operationOf } from "./operation.ts";
import { safely } from "./safely.ts";
import { activeContext, traceCarrier } from "./trace-carrier.ts";

/** Where the spans and metrics of OpenTelemetry go, and what is in them. */
export interface OtelOptions {
  /** Of the registered provider unless named. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Whether the arguments of tools are on their spans. Results and what models say never are. */
  readonly captureArguments?: false | "redacted";
}

/**
 * A span and its measurements for each call, as OpenTelemetry names them: `execute_tool` around tools, `chat` around
 * models. Telemetry that breaks is on its own, and the call goes on.
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

  const begin = (call: AuthorizedCall, parent: Fiber<unknown, unknown>): Watched => {
    const clock = parent.getRef(Clock.Clock);
    const since = clock.monotonicTimeNanosUnsafe();
    const spent = call.recorder.cost;
    const operation = operationOf(call);
    const span = callSpan(tracer, operation, activeContext(), () => {
      const text =
        captures && operation.kind === "tool" ? capturedArguments(call.input, parent.context) : undefined;
      return text === undefined ? {} : { "gen_ai.tool.call.arguments": text };
    });
    const end = (exit: Exit.Exit<Outcome>): void => {
      const seconds = Number(clock.monotonicTimeNanosUnsafe() - since) / 1e9;
      const ending: SpanEnding =
        safely("outcome", () => endingOf(operation, call, exit, spent)) ?? unreadable;
      span.end(ending);
      safely("record", () => instruments().record(operation, ending, seconds));
    };
    return { span, end };
  };

  const wrap = (next: Handler): Handler => {
    const inner = (call: AuthorizedCall) => Effect.suspend(() => next(call));
    return (call) =>
      Effect.withFiber((parent) =>
        // The span starts in here: a fiber interrupted on its way would leave one that nobody ends.
        Effect.callback<Outcome>((resume) => {
          const { span, end } = begin(call, parent);
          const fork = Effect.runForkWith(servicesOf(parent.context, span));
          const child = forkIn(span.context, () => fork(inner(call)));
          const over = (exit: Exit.Exit<Outcome>): void => {
            end(exit);
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
  };
  return Object.assign(wrap, { label: "otel", runsNoCode: true });
};

interface Watched {
  readonly span: CallSpan;
  readonly end: (exit: Exit.Exit<Outcome>) => void;
}

const readCapture = (captureArguments: unknown): boolean => {
  if (captureArguments === undefined || captureArguments === false) return false;
  if (captureArguments === "redacted") return true;
  throw new ConfigurationError(
    "invalid_config",
    'otel captureArguments is false or "redacted"; arguments are never recorded as they came.',
  );
};

/** What is called from inside the call belongs to its trace: requests by their headers, Effect's own spans by parent. */
const servicesOf = (
  services: Context.Context<never>,
  { span, context }: CallSpan,
): Context.Context<never> => {
  const of = safely("spanContext", () => span?.spanContext());
  if (of === undefined || !isSpanContextValid(of)) return services;
  const { traceId, spanId, traceFlags } = of;
  const parent = externalSpan({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  const traced = Context.add(services, ParentSpan, parent) as Context.Context<never>;
  return Context.add(traced, TraceHeaders, () => traceCarrier(context)) as Context.Context<never>;
};

const longest = 8192;

/** The arguments as text, masked as the ledger masks them: by name, by shape, and by the secrets the runtime knows. */
const capturedArguments = (input: unknown, services: Context.Context<never>): string | undefined => {
  const credentials = Context.getOrUndefined(services, Credentials);
  const mask = redactor(credentials === undefined ? {} : { secrets: credentials.known });
  const text = JSON.stringify(mask.value(input));
  return text !== undefined && text.length > longest ? `${text.slice(0, longest)}…` : text;
};
