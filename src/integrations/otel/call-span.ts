import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { OtelOperation } from "./operation.ts";
import { reportErrors } from "./run-safely.ts";
import type { SpanEnding } from "./span-ending.ts";
import { spanLinksOf, withoutLink } from "./span-links.ts";

export interface CallSpan {
  readonly context: Context;
  readonly span: Span | undefined;
  readonly end: (ending: Pick<SpanEnding, "attributes" | "errorType">) => void;
}

interface CallSpanOptions {
  readonly call?: { readonly request: { readonly earlierTrace?: string | undefined } };
  readonly startTime?: number | undefined;
  readonly more?: () => Attributes;
}

export const startCallSpan = (
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
