export const redactedMark = "[redacted]";

/** From `start` up to `end`, in a text. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The first `length` characters with the spans masked, also one that the cut goes through. */
export const maskSpans = (text: string, spans: readonly TextSpan[], length = text.length): string => {
  if (spans.length === 0) return text.slice(0, length);
  let masked = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    if (start >= length) break;
    if (end <= at) continue;
    // Overlapping spans share one mask, so that no rest of either stays behind.
    if (start >= at) masked += text.slice(at, start) + redactedMark;
    at = end;
  }
  return masked + text.slice(at, Math.max(at, length));
};
