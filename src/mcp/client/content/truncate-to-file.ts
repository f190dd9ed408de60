import { headOf, tailOf } from "../../../base/text/cut-text.ts";
import { ConfigurationError, type ToolError, ToolExecutionError } from "../../../types/errors.ts";
import {
  hasLargeBinary,
  isBlockResult,
  type StoreContent,
  sizeOf,
  type TruncatedPart,
  type TruncationCall,
  type TruncationRange,
  toJsonText,
  truncateBlocks,
} from "./truncate-blocks.ts";
import {
  contentOwnerOf,
  contentReadersOf,
  openTruncatedFileStore,
  randomBytesOf,
} from "./truncated-file-store.ts";

/** Stores large results in files; a handle works only for its owners. */
export interface FileTruncator {
  /** Returns a small value synchronously. */
  readonly truncate: (value: unknown, call: TruncationCall) => Promise<unknown> | unknown;
  readonly read: (handle: string, range: TruncationRange) => Promise<TruncatedPart>;
  readonly close: () => Promise<void>;
}

export interface TruncateToFileOptions {
  /** Created on first use, accessible only to the user. */
  readonly directory: string;
  /** Larger values are stored in a file. Default: 65,536. */
  readonly overBytes?: number;
  /** Above this total, the oldest files are deleted. Default: 256 MiB. */
  readonly maxBytesTotal?: number;
  /** Default: 24 hours. */
  readonly maxAgeMs?: number;
  readonly keep?: boolean;
  readonly now?: () => number;
  readonly random?: (bytes: number) => Uint8Array;
}

const defaultMaxAgeMs = 86_400_000;
const maxReadLength = 32_768;

export const openFileTruncator = (options: TruncateToFileOptions): FileTruncator => {
  const overBytes = readLimit("overBytes", options.overBytes ?? 65_536, 1024);
  const files = openTruncatedFileStore({
    directory: options.directory,
    maxBytesTotal: readLimit("maxBytesTotal", options.maxBytesTotal ?? 268_435_456, overBytes),
    maxAgeMs: readLimit("maxAgeMs", options.maxAgeMs ?? defaultMaxAgeMs, 1),
    keep: options.keep ?? false,
    now: options.now ?? Date.now,
    random: options.random ?? randomBytesOf,
  });
  const most = Math.min(maxReadLength, overBytes >> 1);

  const storeForCall =
    (call: TruncationCall, handles: string[]): StoreContent =>
    async (content, about) => {
      const isText = typeof content === "string";
      const bytes = isText ? Buffer.from(content) : content;
      try {
        const { tool, callId, principal } = call;
        const kept = await files.write(bytes, {
          ...about,
          tool,
          callId,
          owners: contentReadersOf(principal),
        });
        handles.push(kept.handle);
        return isText ? { ...kept, preview: preview(content, overBytes) } : kept;
      } catch (error) {
        throw notStoredError(call, bytes.byteLength, error);
      }
    };

  return {
    truncate: (value, call) => {
      const isLarge = sizeOf(value, overBytes) > overBytes;
      if (!isLarge && !(isBlockResult(value) && hasLargeBinary(value.content))) return value;
      const kept: string[] = [];
      return truncateValue(value, overBytes, storeForCall(call, kept)).catch(async (error: unknown) => {
        for (const handle of kept) await files.drop(handle);
        throw error;
      });
    },
    read: async (handle, range) => {
      const record = typeof handle === "string" ? await files.find(handle) : undefined;
      if (record === undefined || !record.owners.includes(contentOwnerOf(range.principal)))
        throw unknownHandleError();
      const { offset, length } = checkRange(range, most);
      const text = record.kind === "text";
      // Includes the start of a character that begins before the offset.
      const from = text ? Math.max(0, offset - 3) : offset;
      const bytes = await files.slice(handle, from, length + offset - from).catch(() => {
        throw unknownHandleError();
      });
      return toTruncatedPart(handle, record, offset, from, bytes);
    },
    close: files.close,
  };
};

const truncateValue = async (value: unknown, overBytes: number, store: StoreContent): Promise<unknown> => {
  if (typeof value === "string") return { spilled: await store(value, { kind: "text" }) };
  if (!isBlockResult(value)) return storeAsJson(value, store);
  const { structuredContent } = value;
  const small = {
    ...value,
    content: await truncateBlocks(value.content, overBytes, store),
    ...(structuredContent !== undefined && sizeOf(structuredContent, overBytes) > overBytes
      ? { structuredContent: await storeAsJson(structuredContent, store) }
      : {}),
  };
  return sizeOf(small, 2 * overBytes) > 2 * overBytes ? storeAsJson(small, store) : small;
};

const storeAsJson = async (value: unknown, store: StoreContent): Promise<unknown> => {
  const mimeType = "application/json";
  return { mimeType, spilled: await store(toJsonText(value), { kind: "text", mimeType }) };
};

/** One message for unknown, expired and foreign handles, so that handles cannot be probed. */
const unknownHandleError = (): ToolError =>
  new ToolExecutionError(
    "failed",
    "No result has this handle. Use `spilled.handle` of a result. Results are kept for at most a day: call the tool again if this one has expired.",
    { retryable: false },
  );

const notStoredError = (call: TruncationCall, bytes: number, cause: unknown): ToolError => {
  const why = (cause as { readonly code?: unknown }).code;
  return new ToolExecutionError(
    "failed",
    `The result has ${bytes} bytes, which is too long to show, and could not be stored${typeof why === "string" ? ` (${why})` : ""}. Request less data per call.`,
    { tool: call.tool, retryable: false, ran: true, cause, detail: String((cause as Error).message) },
  );
};

const readLimit = (name: string, value: number, min: number): number => {
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new ConfigurationError(
    "invalid_config",
    `\`${name}\` for truncated results is ${String(value)}; it must be a whole number of at least ${min}.`,
  );
};

const preview = (text: string, overBytes: number): string => {
  const head = Math.min(2000, Math.ceil(overBytes / 4));
  const tail = Math.min(500, Math.ceil(overBytes / 16));
  if (text.length <= head + tail) return text;
  const first = headOf(text, head);
  const last = tailOf(text, tail);
  const missing = text.length - first.length - last.length;
  return `${first}\n… ${missing} characters omitted; read them with read_result …\n${last}`;
};

const toTruncatedPart = (
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

const checkRange = (
  range: TruncationRange,
  maxLength: number,
): { readonly offset: number; readonly length: number } => {
  const { offset = 0, length = maxLength } = range;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw invalidRangeError(
      "`offset` is the first byte: a whole number of at least 0, such as `next` of the last part",
    );
  }
  if (!Number.isSafeInteger(length) || length < 1) {
    throw invalidRangeError(
      `\`length\` is the number of bytes to read: a whole number from 1 to ${maxLength}`,
    );
  }
  // A UTF-8 character has at most four bytes, so every read makes progress.
  return { offset, length: Math.min(Math.max(4, length), maxLength) };
};

const invalidRangeError = (why: string): ToolExecutionError =>
  new ToolExecutionError("failed", `${why}.`, { retryable: false });
