import { parseRetryAfter } from "../tools/http/status-error.ts";

/** Longer values would block the caller. */
const maxRetryAfterMs = 3_600_000;

const withinLimit = (millis: number): number | undefined =>
  Number.isFinite(millis) && millis >= 0 ? Math.min(Math.ceil(millis), maxRetryAfterMs) : undefined;

const millisOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : undefined;

export const readRetryAfter = (
  header: (name: string) => string | undefined,
  message: string,
): number | undefined => {
  const exact = millisOf(header("retry-after-ms"));
  if (exact !== undefined) return withinLimit(exact);
  const text = header("retry-after");
  const fraction = millisOf(text);
  if (fraction !== undefined) return withinLimit(fraction * 1_000);
  // Dates are relative to the server's clock, if it sends one.
  const served = Date.parse(header("date") ?? "");
  const dated = parseRetryAfter(text ?? null, Number.isNaN(served) ? Date.now() : served);
  if (dated !== undefined) return withinLimit(dated);
  const delay = /"retryDelay"\s*:\s*"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(message)?.[1];
  return delay === undefined ? undefined : withinLimit(Number(delay) * 1_000);
};
