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

export const isCutOff = (finish: unknown): boolean =>
  finish !== undefined && finish !== null && cutOffFinishes.has(String(finish).toLowerCase());
