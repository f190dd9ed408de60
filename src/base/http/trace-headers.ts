import * as Context from "effect/Context";

/**
 * Headers that tie an outgoing request to the trace of its call, such as `traceparent`. Asked at every request; what
 * a tool sets itself stays.
 */
export const TraceHeaders: Context.Reference<() => Readonly<Record<string, string>>> = Context.Reference(
  "haft/TraceHeaders",
  { defaultValue: () => () => ({}) },
);
