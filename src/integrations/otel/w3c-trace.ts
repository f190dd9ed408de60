import { createTraceState, isSpanContextValid, type SpanContext, TraceFlags } from "@opentelemetry/api";

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** A span as `traceparent` spells it, in words of W3C Trace Context. */
export const toTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;

/** What somebody sent as `traceparent`, if it is one: versions to come may say more at its end. */
export const readTraceparent = (text: string | undefined, state?: string): SpanContext | undefined => {
  const [, version, traceId = "", spanId = "", flags = "", more] = form.exec(text ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const found: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  if (!isSpanContextValid(found)) return undefined;
  return state === undefined ? found : { ...found, traceState: createTraceState(state) };
};
