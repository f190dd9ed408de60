import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { SpanEnding } from "./ending.ts";
import type { Operation } from "./operation.ts";
import { safely } from "./safely.ts";

/** The span around one call, whatever the tracer does. */
export interface CallSpan {
  /** In which the call runs: that of its caller with this span in it. */
  readonly context: Context;
  readonly span: Span | undefined;
  readonly end: (ending: SpanEnding) => void;
}

export const callSpan = (
  tracer: () => Tracer,
  operation: Operation,
  outer: Context,
  more: () => Attributes,
): CallSpan => {
  const { spanName, spanKind: kind, attributes } = operation;
  const span = safely("startSpan", () => tracer().startSpan(spanName, { kind, attributes }, outer));
  if (span === undefined) return { context: outer, span, end: () => {} };
  safely("setAttributes", () => {
    if (span.isRecording()) span.setAttributes(more());
  });
  return {
    context: safely("setSpan", () => trace.setSpan(outer, span)) ?? outer,
    span,
    end: ({ attributes: learned, errorType }) => {
      safely("setAttributes", () => span.setAttributes(learned));
      // The code only: the message of a failure may hold whatever the tool put there, and is not masked yet.
      if (errorType !== undefined) {
        safely("setStatus", () => span.setStatus({ code: SpanStatusCode.ERROR, message: errorType }));
      }
      safely("end", () => span.end());
    },
  };
};
