/** Words by which providers say that a reply ended before its time: no room, no leave, or no server. */
const cutOffFinishes: ReadonlySet<string> = new Set([
  "incomplete",
  "length",
  "model_length",
  "max_tokens",
  "max_output_tokens",
  "model_context_window_exceeded",
  "truncated",
  "content_filter",
  "insufficient_system_resource",
  "error",
  "cancelled",
  "canceled",
]);

/** Whether a call's finish says that it was cut off. Callers pass on what a provider said, in its own words. */
export const isCutOff = (finish: unknown): boolean =>
  finish !== undefined && finish !== null && cutOffFinishes.has(String(finish).toLowerCase());
