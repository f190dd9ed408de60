import * as Context from "effect/Context";

/**
 * Headers that connect an outgoing request to the trace of its call, such as `traceparent`. Called for every
 * request. Headers that a tool sets take precedence.
 */
export const TraceHeaders: Context.Reference<() => Readonly<Record<string, string>>> = Context.Reference(
  "haft/TraceHeaders",
  { defaultValue: () => () => ({}) },
);

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/;

/** W3C Trace Context. Later versions may append fields. */
export const readTraceparentFields = (
  text: string,
): { readonly traceId: string; readonly spanId: string; readonly flags: string } | undefined => {
  const [, version, traceId = "", spanId = "", flags = "", more] = traceparentPattern.exec(text) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  return /[^0]/.test(traceId) && /[^0]/.test(spanId) ? { traceId, spanId, flags } : undefined;
};
