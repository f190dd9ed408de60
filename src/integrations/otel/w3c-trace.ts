import { createTraceState, isSpanContextValid, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { readTraceparentFields } from "../../base/text/traceparent.ts";

export const toTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;

export const readTraceparent = (text: string | undefined, state?: string): SpanContext | undefined => {
  const fields = readTraceparentFields(text ?? "");
  if (fields === undefined) return undefined;
  const { traceId, spanId, flags } = fields;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const found: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  if (!isSpanContextValid(found)) return undefined;
  return state === undefined ? found : { ...found, traceState: createTraceState(state) };
};
