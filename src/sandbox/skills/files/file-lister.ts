import * as Effect from "effect/Effect";
import { toPatternMatcher } from "../../../base/schema/pattern-matcher.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import {
  allowedFoldersOf,
  displayNameOf,
  type ResolvedFolders,
  resolveAllowedFolders,
} from "./allowed-folders.ts";
import { quotePath, toFileFailure, tryFileSystem, withHandle } from "./file-system-errors.ts";
import { openInside, realPathOf } from "./open-inside.ts";
import { maxVisited, type WalkedEntry, walkFiles } from "./walk-files.ts";

export interface FileListInput {
  readonly path?: string;
  readonly glob?: string;
  readonly depth?: number;
  readonly limit?: number;
  readonly after?: string;
}

export const fileLister = (settings: SkillSettings) => {
  const grants = allowedFoldersOf(settings, "read");
  return ({ path = ".", glob, depth, limit = 200, after }: FileListInput) =>
    Effect.gen(function* () {
      const fits = yield* readGlob(glob);
      const settled = yield* resolveAllowedFolders(grants);
      const real = yield* realPathOf(path, settled);
      const walk = yield* Effect.catchIf(
        walkFiles(path, real, settled, depth ?? (glob?.includes("/") ? 32 : 1)),
        (error) => "code" in error && error.code === "ENOTDIR",
        () => Effect.fail(refusedCallError(`${quotePath(path)} is a file. Use file-read to read it.`)),
      );
      const all = walk.entries.filter(
        (entry) => fits(entry.path) && (after === undefined || entry.path > after),
      );
      const shown = all.slice(0, limit);
      const entries = yield* Effect.all(shown.map(withSize(settled)), { concurrency: 16 });
      const isCut = all.length > limit;
      return {
        path: displayNameOf(real, settled),
        entries,
        cut: isCut || walk.isCut,
        ...noteOf(isCut ? shown.at(-1)?.path : undefined, walk.isCut),
      };
    }).pipe(Effect.mapError(toFileFailure(path)));
};

export const readGlob = (
  glob: string | undefined,
): Effect.Effect<(path: string) => boolean, ToolExecutionError> =>
  glob === undefined
    ? Effect.succeed(() => true)
    : Effect.try({
        try: () => globMatcher(glob),
        catch: (error) =>
          refusedCallError(
            `The glob ${JSON.stringify(glob.slice(0, 100))} cannot be used: ${(error as Error).message}.`,
          ),
      });

/** Reads the size from the checked handle, because the path may change. */
const withSize =
  (folders: ResolvedFolders) =>
  ({ real, path, kind }: WalkedEntry) =>
    kind === "file"
      ? Effect.match(
          withHandle(openInside(path, real, folders, "file"), (handle) => tryFileSystem(() => handle.stat())),
          {
            onFailure: () => ({ path, kind }),
            onSuccess: ({ size }) => ({ path, kind, bytes: size }),
          },
        )
      : Effect.succeed({ path, kind });

const noteOf = (last: string | undefined, isWalkCut: boolean): { readonly note?: string } => {
  if (isWalkCut) {
    return {
      note: `There are more than ${maxVisited} entries. Pass a path further down or a smaller depth.`,
    };
  }
  return last === undefined
    ? {}
    : { note: `There are more entries. Call again with after: ${JSON.stringify(last)}.` };
};

/**
 * `*` and `?` match within a name, `**` across folders, `{a,b}` either. Linear. A pattern without a slash
 * matches the last name.
 */
export const globMatcher = (glob: string): ((path: string) => boolean) => {
  const { test } = toPatternMatcher(`^${globToPattern(glob)}$`);
  return glob.includes("/") ? test : (path) => test(path.slice(path.lastIndexOf("/") + 1));
};

const globToPattern = (glob: string): string => {
  let pattern = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const letter = glob[at]!;
    if (glob.startsWith("**/", at)) {
      pattern += "(?:[^/]*/)*";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      pattern += "[\\s\\S]*";
      at += 1;
    } else if (letter === "*") pattern += "[^/]*";
    else if (letter === "?") pattern += "[^/]";
    else if (letter === "{" && glob.indexOf("}", at) !== -1) {
      depth++;
      pattern += "(?:";
    } else if (letter === "}" && depth > 0) {
      depth--;
      pattern += ")";
    } else if (letter === "," && depth > 0) pattern += "|";
    else pattern += letter.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
  }
  return pattern + ")".repeat(depth);
};
