import * as Context from "effect/Context";

/**
 * Headers that connect an outgoing request to the trace of its call, such as `traceparent`. Called for every
 * request. Headers that a tool sets take precedence.
 */
export const TraceHeaders: Context.Reference<() => Readonly<Record<string, string>>> = Context.Reference(
  "haft/TraceHeaders",
  { defaultValue: () => () => ({}) },
);
