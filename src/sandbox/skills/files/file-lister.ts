import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { globMatcher } from "./glob.ts";
import { grantsOf, nameFor, type RealGrants, settleGrants } from "./grants.ts";
import { fileFailure, io, shownPath, withHandle } from "./io.ts";
import { openReal, realPathOf } from "./open-inside.ts";
import { type FoundEntry, mostVisited, walkFiles } from "./walk-files.ts";

export interface ListInput {
  readonly path?: string;
  readonly glob?: string;
  readonly depth?: number;
  readonly limit?: number;
  readonly after?: string;
}

export const fileLister = (settings: SkillSettings) => {
  const grants = grantsOf(settings, "read");
  return ({ path = ".", glob, depth, limit = 200, after }: ListInput) =>
    Effect.gen(function* () {
      const fits = yield* readGlob(glob);
      const settled = yield* settleGrants(grants);
      const real = yield* realPathOf(path, settled);
      const walk = yield* Effect.catchIf(
        walkFiles(path, real, settled, depth ?? (glob?.includes("/") ? 32 : 1)),
        (error) => "code" in error && error.code === "ENOTDIR",
        () => Effect.fail(refuse(`${shownPath(path)} is a file; file-read reads it.`)),
      );
      const all = walk.entries.filter(
        (entry) => fits(entry.path) && (after === undefined || entry.path > after),
      );
      const shown = all.slice(0, limit);
      const entries = yield* Effect.all(shown.map(withSize(settled)), { concurrency: 16 });
      const isCut = all.length > limit;
      return {
        path: nameFor(real, settled),
        entries,
        cut: isCut || walk.isCut,
        ...noteOf(isCut ? shown.at(-1)?.path : undefined, walk.isCut),
      };
    }).pipe(Effect.mapError(fileFailure(path)));
};

/** A pattern that cannot be matched in bounded time is refused with its reason. */
export const readGlob = (
  glob: string | undefined,
): Effect.Effect<(path: string) => boolean, ToolExecutionError> =>
  glob === undefined
    ? Effect.succeed(() => true)
    : Effect.try({
        try: () => globMatcher(glob),
        catch: (error) =>
          refuse(
            `The glob ${JSON.stringify(glob.slice(0, 100))} cannot be used: ${(error as Error).message}.`,
          ),
      });

/** By the file that was opened and judged: what stands at a path a moment later may be another one, outside. */
const withSize =
  (grants: RealGrants) =>
  ({ real, path, kind }: FoundEntry) =>
    kind === "file"
      ? Effect.match(
          withHandle(openReal(path, real, grants, "file"), (handle) => io(() => handle.stat())),
          {
            onFailure: () => ({ path, kind }),
            onSuccess: ({ size }) => ({ path, kind, bytes: size }),
          },
        )
      : Effect.succeed({ path, kind });

const noteOf = (last: string | undefined, isWalkCut: boolean): { readonly note?: string } => {
  if (isWalkCut) {
    return {
      note: `There are more than ${mostVisited} names here. Give a path further down, or a smaller depth.`,
    };
  }
  return last === undefined
    ? {}
    : { note: `There are more. Call again with after: ${JSON.stringify(last)}.` };
};
