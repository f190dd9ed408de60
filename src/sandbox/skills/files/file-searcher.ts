import * as Effect from "effect/Effect";
import { toPatternMatcher } from "../../../base/schema/pattern-matcher.ts";
import { shorten } from "../../../base/text/cut-text.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import {
  allowedFoldersOf,
  displayNameOf,
  type ResolvedFolders,
  resolveAllowedFolders,
} from "./allowed-folders.ts";
import { readGlob } from "./file-lister.ts";
import { toFileFailure, tryFileSystem, withHandle } from "./file-system-errors.ts";
import { openInside, realPathOf } from "./open-inside.ts";
import { readChunk } from "./read-file-range.ts";
import { type WalkedEntry, walkFiles } from "./walk-files.ts";

export interface FileSearchInput {
  readonly query: string;
  readonly regex?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string;
  readonly glob?: string;
  readonly limit?: number;
}

const maxFiles = 5_000;
const maxBytesSearched = 64 * 1024 * 1024;
const maxBytesPerFile = 4 * 1024 * 1024;
const maxShownLine = 300;
/** A regular expression costs line length times pattern size, so longer lines are skipped. */
const maxMatchedLine = 2_000;
/** The search yields after this many characters. */
const searchChunkLength = 64 * 1024;

interface LineQuery {
  readonly holds: (line: string) => boolean;
  readonly longest: number;
}

interface LineMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const fileSearcher = (settings: SkillSettings) => {
  const grants = allowedFoldersOf(settings, "read");
  return (input: FileSearchInput) =>
    Effect.gen(function* () {
      const { path = ".", glob, limit = 50 } = input;
      const query = yield* readQuery(input);
      const fits = yield* readGlob(glob);
      const settled = yield* resolveAllowedFolders(grants);
      const files = yield* filesAt(path, settled);
      const wanted = files.entries.filter(({ kind, path: name }) => kind === "file" && fits(name));
      const found: LineMatch[] = [];
      const skipped = { binary: 0, large: 0, unreadable: 0, longLines: 0 };
      let looked = 0;
      let bytes = 0;
      for (const file of wanted) {
        if (looked >= maxFiles || bytes >= maxBytesSearched || found.length > limit) break;
        looked++;
        const read = yield* readText(file, settled);
        if (typeof read === "string") {
          bytes += read.length;
          skipped.longLines += yield* collectMatches(file.path, read, query, found, limit + 1);
        } else skipped[read.skipped]++;
      }
      const isCut = found.length > limit || looked < wanted.length || files.isCut;
      return {
        matches: found.slice(0, limit),
        files: looked,
        cut: isCut,
        ...(Object.values(skipped).every((count) => count === 0) ? {} : { skipped }),
        ...(isCut ? { note: "The result is incomplete. Narrow the search with path, glob or query." } : {}),
      };
    }).pipe(Effect.mapError(toFileFailure(input.path ?? ".")));
};

const filesAt = (path: string, folders: ResolvedFolders) =>
  Effect.gen(function* () {
    const real = yield* realPathOf(path, folders);
    return yield* Effect.catchIf(
      walkFiles(path, real, folders, 64),
      (error) => "code" in error && error.code === "ENOTDIR",
      () =>
        Effect.succeed({
          entries: [{ real, path: displayNameOf(real, folders), kind: "file" as const }],
          isCut: false,
        }),
    );
  });

const readQuery = ({
  query,
  regex,
  ignoreCase,
}: FileSearchInput): Effect.Effect<LineQuery, ToolExecutionError> => {
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
      refusedCallError(
        "ignoreCase works only with a literal query. In a regex write both cases, such as [Tt]odo.",
      ),
    );
  }
  return Effect.try({
    try: () => ({ holds: toPatternMatcher(query).test, longest: maxMatchedLine }),
    catch: (error) =>
      refusedCallError(
        `The regex ${JSON.stringify(query.slice(0, 100))} cannot be used: it ${(error as Error).message}. Look-arounds and back-references are not supported; remove regex for a literal search.`,
      ),
  });
};

const readText = (file: WalkedEntry, folders: ResolvedFolders) =>
  withHandle(openInside(file.path, file.real, folders, "file"), (handle) =>
    Effect.gen(function* () {
      const { size } = yield* tryFileSystem(() => handle.stat());
      if (size > maxBytesPerFile) return { skipped: "large" as const };
      const bytes = yield* readChunk(handle, 0, size);
      if (bytes.subarray(0, 8_192).includes(0)) return { skipped: "binary" as const };
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
    }),
  ).pipe(Effect.orElseSucceed(() => ({ skipped: "unreadable" as const })));

/** Yields, so that a long search can be interrupted. Returns the number of skipped lines. */
const collectMatches = (
  path: string,
  text: string,
  { holds, longest }: LineQuery,
  found: LineMatch[],
  max: number,
): Effect.Effect<number> =>
  Effect.gen(function* () {
    let number = 0;
    let searched = 0;
    let passedOver = 0;
    for (const line of text.split("\n")) {
      number++;
      if (found.length >= max) break;
      searched += line.length;
      if (searched > searchChunkLength) {
        searched = 0;
        yield* yieldToOthers;
      }
      const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (bare.length > longest) passedOver++;
      if (bare.length > longest || !holds(bare)) continue;
      found.push({
        path,
        line: number,
        text: shorten(bare, maxShownLine),
      });
    }
    return passedOver;
  });

const yieldToOthers: Effect.Effect<void> = Effect.callback((resume) => {
  const turn = setImmediate(() => resume(Effect.void));
  return Effect.sync(() => clearImmediate(turn));
});
