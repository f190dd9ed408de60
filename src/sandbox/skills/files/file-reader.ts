import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import {
  type AllowedFolders,
  allowedFoldersOf,
  displayNameOf,
  resolveAllowedFolders,
} from "./allowed-folders.ts";
import { toFileFailure, tryFileSystem, withHandle } from "./file-system-errors.ts";
import { openInside, realPathOf } from "./open-inside.ts";
import { readChunk, readFileRange } from "./read-file-range.ts";
import type { Encoding } from "./text-encoding.ts";

export interface FileReadInput {
  readonly path: string;
  readonly encoding?: Encoding;
  readonly from?: number;
  readonly to?: number;
  readonly offset?: number;
  readonly maxBytes?: number;
}

export const fileReader = (settings: SkillSettings) => {
  const grants = allowedFoldersOf(settings, "read");
  const { maxBytes } = settings.files;
  return (input: FileReadInput) =>
    readAllowedFile(input, grants, Math.min(input.maxBytes ?? maxBytes, maxBytes));
};

export const readAllowedFile = (
  input: FileReadInput,
  folders: AllowedFolders,
  maxBytes: number,
): Effect.Effect<object, ToolExecutionError> =>
  Effect.gen(function* () {
    yield* checkRange(input);
    const { path, encoding = "utf-8", from, to, offset } = input;
    const settled = yield* resolveAllowedFolders(folders);
    const real = yield* realPathOf(path, settled);
    return yield* withHandle(openInside(path, real, settled, "file"), (handle) =>
      Effect.gen(function* () {
        const { size } = yield* tryFileSystem(() => handle.stat());
        const about = { path: displayNameOf(real, settled), encoding, bytes: size };
        if (offset !== undefined && offset > size) {
          return yield* Effect.fail(
            refusedCallError(`offset ${offset} is after the end of the file, which has ${size} bytes.`),
          );
        }
        const part =
          encoding === "base64"
            ? yield* readBytes(readChunk(handle, offset ?? 0, maxBytes), offset ?? 0, size)
            : yield* readFileRange(handle, path, encoding, { from, to, offset, maxBytes });
        return { ...about, ...part, cut: part.next !== undefined, ...noteOf(part.next) };
      }),
    );
  }).pipe(Effect.mapError(toFileFailure(input.path)));

const readBytes = <E>(reading: Effect.Effect<Uint8Array, E>, offset: number, size: number) =>
  Effect.map(reading, (bytes) => {
    const end = offset + bytes.length;
    const content = Buffer.from(bytes).toString("base64");
    return { content, ...(end < size ? { next: { offset: end } } : {}) };
  });

const noteOf = (next: object | undefined): { readonly note?: string } =>
  next === undefined
    ? {}
    : {
        note: `There is more of the file. Call again with the same path and ${JSON.stringify(next)} for more.`,
      };

const checkRange = ({
  encoding,
  from,
  to,
  offset,
}: FileReadInput): Effect.Effect<void, ToolExecutionError> => {
  const byLines = from !== undefined || to !== undefined;
  if (byLines && offset !== undefined) {
    return Effect.fail(refusedCallError("Pass either lines (from, to) or a byte offset (offset), not both."));
  }
  if (byLines && encoding === "base64") {
    return Effect.fail(
      refusedCallError('base64 content has no lines. Use offset and maxBytes, or encoding "utf-8".'),
    );
  }
  if (from !== undefined && to !== undefined && to < from) {
    return Effect.fail(refusedCallError(`The last line (to: ${to}) comes before the first (from: ${from}).`));
  }
  if (offset !== undefined && encoding === "utf-16le" && offset % 2 === 1) {
    return Effect.fail(
      refusedCallError("offset must be even, because a character of utf-16le has two bytes."),
    );
  }
  return Effect.void;
};
