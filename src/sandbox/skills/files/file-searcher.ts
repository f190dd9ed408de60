import * as Effect from "effect/Effect";
import { toMatcher } from "../../schema/pattern.ts";
import { shorten } from "../../text/cut-text.ts";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { grantsOf, nameFor, type RealGrants, settleGrants } from "./grants.ts";
import { fileFailure, io, withHandle } from "./io.ts";
import { readGlob } from "./list-files.ts";
import { openReal, realPathOf } from "./open-inside.ts";
import { readPiece } from "./read-range.ts";
import { type FoundEntry, walkFiles } from "./walk-files.ts";

export interface SearchInput {
  readonly query: string;
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string;
  readonly glob?: string;
  readonly limit?: number;
}

const mostFiles = 5_000;
const mostBytes = 64 * 1024 * 1024;
const mostOfFile = 4 * 1024 * 1024;
const mostOfLine = 300;
/** A regular expression is held against no longer line: its cost is the length times what the expression can be at. */
const mostMatched = 2_000;
/** So many characters are searched before others have their turn. */
const mostAtOnce = 64 * 1024;

/** Whether a line is one that is sought; longer ones are passed over. */
interface LineQuery {
  readonly holds: (line: string) => boolean;
  readonly longest: number;
}

interface Found {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const fileSearcher = (settings: SkillSettings) => {
  const grants = grantsOf(settings, "read");
  return (input: SearchInput) =>
    Effect.gen(function* () {
      const { path = ".", glob, limit = 50 } = input;
      const query = yield* readQuery(input);
      const fits = yield* readGlob(glob);
      const settled = yield* settleGrants(grants);
      const files = yield* filesAt(path, settled);
      const wanted = files.entries.filter(({ kind, path: name }) => kind === "file" && fits(name));
      const found: Found[] = [];
      const skipped = { binary: 0, large: 0, unreadable: 0, longLines: 0 };
      let looked = 0;
      let bytes = 0;
      for (const file of wanted) {
        if (looked >= mostFiles || bytes >= mostBytes || found.length > limit) break;
        looked++;
        const read = yield* readText(file, settled);
        if (typeof read === "string") {
          bytes += read.length;
          skipped.longLines += yield* collect(file.path, read, query, found, limit + 1);
        } else skipped[read.skipped]++;
      }
      const isCut = found.length > limit || looked < wanted.length || files.isCut;
      return {
        matches: found.slice(0, limit),
        files: looked,
        cut: isCut,
        ...(Object.values(skipped).every((count) => count === 0) ? {} : { skipped }),
        ...(isCut
          ? { note: "There is more than was looked at or shown. Narrow it down by path, glob or query." }
          : {}),
      };
    }).pipe(Effect.mapError(fileFailure(input.path ?? ".")));
};

/** A path of a file is searched alone, one of a folder with all that is below. */
const filesAt = (path: string, grants: RealGrants) =>
  Effect.gen(function* () {
    const real = yield* realPathOf(path, grants);
    return yield* Effect.catchIf(
      walkFiles(path, real, grants, 64),
      (error) => "code" in error && error.code === "ENOTDIR",
      () =>
        Effect.succeed({
          entries: [{ real, path: nameFor(real, grants), kind: "file" as const }],
          isCut: false,
        }),
    );
  });

const readQuery = ({
  query,
  regex,
  ignoreCase,
}: SearchInput): Effect.Effect<LineQuery, ToolExecutionError> => {
  if (regex !== true) {
    const sought = ignoreCase === true ? query.toLowerCase() : query;
    return Effect.succeed({
      holds:
        ignoreCase === true ? (line) => line.toLowerCase().includes(sought) : (line) => line.includes(sought),
      longest: Number.POSITIVE_INFINITY,
    });
  }
  if (ignoreCase === true) {
    return Effect.fail(
      refuse("ignoreCase goes with a literal query. In a regex write both cases, such as [Tt]odo."),
    );
  }
  return Effect.try({
    try: () => ({ holds: toMatcher(query).test, longest: mostMatched }),
    catch: (error) =>
      refuse(
        `The regex ${JSON.stringify(query.slice(0, 100))} cannot be used: it ${(error as Error).message}. Look-arounds and back-references are not supported; leave regex out for a literal search.`,
      ),
  });
};

/** Opened and judged like any file that is read. What changed in the meantime or is closed is passed over. */
const readText = (file: FoundEntry, grants: RealGrants) =>
  withHandle(openReal(file.path, file.real, grants, "file"), (handle) =>
    Effect.gen(function* () {
      const { size } = yield* io(() => handle.stat());
      if (size > mostOfFile) return { skipped: "large" as const };
      const bytes = yield* readPiece(handle, 0, size);
      if (bytes.subarray(0, 8_192).includes(0)) return { skipped: "binary" as const };
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
    }),
  ).pipe(Effect.orElseSucceed(() => ({ skipped: "unreadable" as const })));

/** In pieces, so that a long search holds up nobody and can be ended at its time. Gives how many lines were passed over. */
const collect = (
  path: string,
  text: string,
  { holds, longest }: LineQuery,
  found: Found[],
  most: number,
): Effect.Effect<number> =>
  Effect.gen(function* () {
    let number = 0;
    let searched = 0;
    let passedOver = 0;
    for (const line of text.split("\n")) {
      number++;
      if (found.length >= most) break;
      searched += line.length;
      if (searched > mostAtOnce) {
        searched = 0;
        yield* othersFirst;
      }
      const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (bare.length > longest) passedOver++;
      if (bare.length > longest || !holds(bare)) continue;
      found.push({
        path,
        line: number,
        text: shorten(bare, mostOfLine),
      });
    }
    return passedOver;
  });

const othersFirst: Effect.Effect<void> = Effect.callback((resume) => {
  const turn = setImmediate(() => resume(Effect.void));
  return Effect.sync(() => clearImmediate(turn));
});
