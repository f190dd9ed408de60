import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import { type FileSystemError, quotePath, tryFileSystem } from "./file-system-errors.ts";
import { chunkDecoder, encodedLength, fitToBytes, type TextEncoding } from "./text-encoding.ts";

const chunkBytes = 64 * 1024;
/** How far a file is scanned for a line number. */
export const maxScannedBytes = 64 * 1024 * 1024;

export interface FileRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly offset?: number | undefined;
  readonly maxBytes: number;
}

export interface FileText {
  readonly content: string;
  /** Set if the range was given by lines. */
  readonly from?: number;
  readonly to?: number;
  /** Set if the range was cut. */
  readonly next?: { readonly from: number } | { readonly offset: number };
  /** Set if the file was read completely. */
  readonly hash?: string;
}

/** Memory use is bounded by the returned length. */
export const readFileRange = (
  handle: FileHandle,
  path: string,
  encoding: TextEncoding,
  range: FileRange,
): Effect.Effect<FileText, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const start = range.offset ?? 0;
    const part = partCollector(path, encoding, range);
    const decoder = chunkDecoder(encoding, path);
    const hash = createHash("sha256");
    let position = start;
    while (position - start <= maxScannedBytes) {
      const piece = yield* readChunk(handle, position, chunkBytes);
      if (position === 0 && encoding === "utf-8" && piece.includes(0))
        return yield* Effect.fail(binaryFileError(path));
      hash.update(piece);
      position += piece.length;
      const isLast = piece.length === 0;
      const text = yield* Effect.try({
        try: () => decoder.decode(piece, isLast),
        catch: (error) => error as ToolExecutionError,
      });
      if (part.take(text)) return yield* part.done();
      if (isLast) return { ...(yield* part.done()), ...(start === 0 ? { hash: hash.digest("hex") } : {}) };
    }
    const why = `Line ${range.from} of ${quotePath(path)} is more than ${maxScannedBytes} bytes into the file. Read bytes instead: offset ${position}.`;
    return yield* Effect.fail(refusedCallError(why));
  });

/** Fewer bytes only at the end of the file. */
export const readChunk = (
  handle: FileHandle,
  position: number,
  bytes: number,
): Effect.Effect<Uint8Array, FileSystemError> =>
  Effect.gen(function* () {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const { bytesRead } = yield* tryFileSystem(() =>
        handle.read(buffer, filled, bytes - filled, position + filled),
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  });

const binaryFileError = (path: string): ToolExecutionError =>
  refusedCallError(
    `${quotePath(path)} is not text: it contains NUL bytes. Read it with encoding "base64", or "utf-16le" if it has that encoding.`,
  );

interface PartCollector {
  readonly take: (text: string) => boolean;
  readonly done: () => Effect.Effect<FileText, ToolExecutionError>;
}

const partCollector = (path: string, encoding: TextEncoding, range: FileRange): PartCollector => {
  const { from = 1, to = Number.POSITIVE_INFINITY, offset, maxBytes } = range;
  let line = 1;
  let skipped = offset ?? 0;
  let kept = "";
  let last = "\n";
  let isComplete = false;

  const take = (text: string): boolean => {
    let rest = text;
    if (text !== "") last = text.at(-1)!;
    while (rest !== "" && line < from) {
      const end = rest.indexOf("\n") + 1;
      const passed = end === 0 ? rest : rest.slice(0, end);
      skipped += encodedLength(passed, encoding);
      rest = rest.slice(passed.length);
      if (end > 0) line++;
    }
    if (rest === "") return false;
    kept += rest;
    isComplete = linesIn(kept) > to - from;
    return isComplete || kept.length > maxBytes || encodedLength(kept, encoding) > maxBytes;
  };

  const done = (): Effect.Effect<FileText, ToolExecutionError> => {
    if (from > 1 && kept === "")
      return Effect.fail(pastEndError(path, from, last === "\n" ? line - 1 : line));
    const wanted = isComplete ? firstLines(kept, to - from + 1) : kept;
    const fits = fitToBytes(wanted, encoding, maxBytes);
    const isCut = fits.length < wanted.length;
    const whole = isCut ? fits.slice(0, fits.lastIndexOf("\n") + 1) : fits;
    // A line that exceeds the limit is cut, and the next range begins at a byte.
    const part = whole === "" ? fits : whole;
    const byBytes = offset !== undefined || (isCut && whole === "");
    const lines = linesIn(part) + (part === "" || part.endsWith("\n") ? 0 : 1);
    const next = byBytes ? { offset: skipped + encodedLength(part, encoding) } : { from: from + lines };
    return Effect.succeed({
      content: skipped === 0 ? part.replace(/^\uFEFF/, "") : part,
      ...(offset === undefined ? { from, to: Math.max(from, from + lines - 1) } : {}),
      ...(isCut ? { next } : {}),
    });
  };
  return { take, done };
};

const linesIn = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
};

const firstLines = (text: string, count: number): string => {
  let end = -1;
  for (let seen = 0; seen < count; seen++) end = text.indexOf("\n", end + 1);
  return text.slice(0, end + 1);
};

const pastEndError = (path: string, from: number, lines: number): ToolExecutionError =>
  refusedCallError(`${quotePath(path)} has only ${lines} lines, so line ${from} does not exist.`);
