import { ToolExecutionError } from "../../../types/errors.ts";
import type { TruncatedPart, TruncationRange } from "./truncated-content.ts";

export const toTruncatedPart = (
  handle: string,
  record: { readonly kind: TruncatedPart["kind"]; readonly mimeType?: string; readonly bytes: number },
  offset: number,
  from: number,
  bytes: Uint8Array,
): TruncatedPart => {
  const { kind, mimeType, bytes: total } = record;
  let start = offset - from;
  let end = bytes.byteLength;
  if (kind === "text") {
    while (start > 0 && start < end && isContinuationByte(bytes[start]!)) start--;
    if (from + end < total) end = characterBoundary(bytes, start, end);
  }
  const next = from + Math.max(start, end);
  const cut = Buffer.from(bytes.buffer, bytes.byteOffset + Math.min(start, end), Math.max(0, end - start));
  return {
    handle,
    kind,
    ...(mimeType === undefined ? {} : { mimeType }),
    offset: from + start,
    total,
    ...(next < total ? { next } : {}),
    ...(kind === "text" ? { text: cut.toString("utf8") } : { data: cut.toString("base64") }),
  };
};

const isContinuationByte = (byte: number): boolean => (byte & 0xc0) === 0x80;

const characterBoundary = (bytes: Uint8Array, start: number, end: number): number => {
  let lead = end - 1;
  while (lead > start && isContinuationByte(bytes[lead]!)) lead--;
  const first = bytes[lead] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead + length <= end ? end : lead;
};

export const checkRange = (
  range: TruncationRange,
  maxLength: number,
): { readonly offset: number; readonly length: number } => {
  const { offset = 0, length = maxLength } = range;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw invalidRangeError(
      "`offset` is a byte to begin at: a whole number from 0 on, such as `next` of the last part",
    );
  }
  if (!Number.isSafeInteger(length) || length < 1) {
    throw invalidRangeError(`\`length\` is how many bytes to read: a whole number from 1 to ${maxLength}`);
  }
  // A UTF-8 character has at most four bytes, so every read makes progress.
  return { offset, length: Math.min(Math.max(4, length), maxLength) };
};

const invalidRangeError = (why: string): ToolExecutionError =>
  new ToolExecutionError("failed", `${why}.`, { retryable: false });
