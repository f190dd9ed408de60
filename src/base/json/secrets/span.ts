export const redactedMark = "[redacted]";

/** Half-open. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Also masks a span that crosses the cut at `length`. */
export const maskSpans = (text: string, spans: readonly TextSpan[], length = text.length): string => {
  if (spans.length === 0) return text.slice(0, length);
  let masked = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    if (start >= length) break;
    if (end <= at) continue;
    // Overlapping spans share one mask.
    if (start >= at) masked += text.slice(at, start) + redactedMark;
    at = end;
  }
  return masked + text.slice(at, Math.max(at, length));
};
