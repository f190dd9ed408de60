import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { type Grants, grantsOf, nameFor, settleGrants } from "./grants.ts";
import { fileFailure, io, withHandle } from "./io.ts";
import { openReal, realPathOf } from "./open-inside.ts";
import { readPiece, readRange } from "./read-range.ts";
import type { Encoding } from "./text-encoding.ts";

export interface ReadInput {
  readonly path: string;
  readonly encoding?: Encoding;
  readonly from?: number;
  readonly to?: number;
  readonly offset?: number;
  readonly maxBytes?: number;
}

export const fileReader = (settings: SkillSettings) => {
  const grants = grantsOf(settings, "read");
  const { maxBytes } = settings.files;
  return (input: ReadInput) => readFile(input, grants, Math.min(input.maxBytes ?? maxBytes, maxBytes));
};

/** Reads one file inside of the granted folders, or a part of it. */
export const readFile = (
  input: ReadInput,
  grants: Grants,
  maxBytes: number,
): Effect.Effect<object, ToolExecutionError> =>
  Effect.gen(function* () {
    yield* checkRange(input);
    const { path, encoding = "utf-8", from, to, offset } = input;
    const settled = yield* settleGrants(grants);
    const real = yield* realPathOf(path, settled);
    return yield* withHandle(openReal(path, real, settled, "file"), (handle) =>
      Effect.gen(function* () {
        const { size } = yield* io(() => handle.stat());
        const about = { path: nameFor(real, settled), encoding, bytes: size };
        if (offset !== undefined && offset > size) {
          return yield* Effect.fail(
            refuse(`offset ${offset} is behind the end of the file, which has ${size} bytes.`),
          );
        }
        const part =
          encoding === "base64"
            ? yield* readBytes(readPiece(handle, offset ?? 0, maxBytes), offset ?? 0, size)
            : yield* readRange(handle, path, encoding, { from, to, offset, maxBytes });
        return { ...about, ...part, cut: part.next !== undefined, ...noteOf(part.next) };
      }),
    );
  }).pipe(Effect.mapError(fileFailure(input.path)));

const readBytes = <E>(reading: Effect.Effect<Uint8Array, E>, offset: number, size: number) =>
  Effect.map(reading, (bytes) => {
    const end = offset + bytes.length;
    const content = Buffer.from(bytes).toString("base64");
    return { content, ...(end < size ? { next: { offset: end } } : {}) };
  });

const noteOf = (next: object | undefined): { readonly note?: string } =>
  next === undefined
    ? {}
    : { note: `The file goes on. Call again with the same path and ${JSON.stringify(next)} for more.` };

const checkRange = ({ encoding, from, to, offset }: ReadInput): Effect.Effect<void, ToolExecutionError> => {
  const byLines = from !== undefined || to !== undefined;
  if (byLines && offset !== undefined) {
    return Effect.fail(refuse("Give either lines (from, to) or a byte (offset) to begin at, not both."));
  }
  if (byLines && encoding === "base64") {
    return Effect.fail(refuse('There are no lines in base64. Use offset and maxBytes, or encoding "utf-8".'));
  }
  if (from !== undefined && to !== undefined && to < from) {
    return Effect.fail(refuse(`The last line (to: ${to}) comes before the first (from: ${from}).`));
  }
  if (offset !== undefined && encoding === "utf-16le" && offset % 2 === 1) {
    return Effect.fail(refuse("A character of utf-16le has two bytes, so offset must be even."));
  }
  return Effect.void;
};
