import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { SpanEnding } from "./ending.ts";
import { linksOf, withoutLink } from "./links.ts";
import type { Operation } from "./operation.ts";
import { safely } from "./safely.ts";

/** The span around one call, whatever the tracer does. */
export interface CallSpan {
  /** In which the call runs: that of its caller with this span in it. */
  readonly context: Context;
  readonly span: Span | undefined;
  readonly end: (ending: Pick<SpanEnding, "attributes" | "errorType">) => void;
}

/** What is known of the call beside what it is to OpenTelemetry. */
interface SpanStart {
  readonly call?: { readonly request: { readonly earlierTrace?: string | undefined } };
  readonly startTime?: number | undefined;
  readonly more?: () => Attributes;
}

export const callSpan = (
  tracer: () => Tracer,
  operation: Pick<Operation, "spanName" | "spanKind" | "attributes">,
  outer: Context,
  { call, startTime, more }: SpanStart = {},
): CallSpan => {
  const { spanName, spanKind: kind, attributes } = operation;
  const links = safely("links", () => linksOf(outer, call?.request.earlierTrace)) ?? [];
  const began = startTime === undefined ? {} : { startTime };
  const options = { kind, attributes, ...(links.length === 0 ? {} : { links }), ...began };
  const span = safely("startSpan", () => tracer().startSpan(spanName, options, outer));
  if (span === undefined) return { context: outer, span, end: () => {} };
  safely("setAttributes", () => {
    if (more !== undefined && span.isRecording()) span.setAttributes(more());
  });
  return {
    context: safely("setSpan", () => trace.setSpan(withoutLink(outer), span)) ?? outer,
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
