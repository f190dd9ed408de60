import { realpath } from "node:fs/promises";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import * as Effect from "effect/Effect";
import { below, isInside } from "../../../base/platform/real-path.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { quotePath, tryFileSystem } from "./file-system-errors.ts";
import { haftFileProblem } from "./haft-file-problem.ts";

/** The folders that a call may touch. */
export interface AllowedFolders {
  readonly use: "read" | "write";
  /** As the operator wrote them. */
  readonly folders: readonly string[];
  /** Where relative paths begin: the same folder for every file tool, so that a path means one file. */
  readonly base: string;
  readonly hidden: boolean;
  /** Only Linux says where an open file is. */
  readonly os: NodeJS.Platform;
}

export const allowedFoldersOf = (
  { files }: Pick<SkillSettings, "files">,
  use: AllowedFolders["use"],
  os: NodeJS.Platform = process.platform,
): AllowedFolders => ({
  use,
  os,
  folders: files[use],
  base: files.read[0] ?? files.write[0] ?? ".",
  hidden: files.hidden,
});

/** The granted folders as they are on disk at this moment. */
export interface ResolvedFolders extends AllowedFolders {
  readonly roots: readonly string[];
  readonly realBase: string;
}

export const resolveAllowedFolders = (
  grants: AllowedFolders,
): Effect.Effect<ResolvedFolders, ToolExecutionError> =>
  Effect.gen(function* () {
    if (grants.folders.length === 0) return yield* Effect.fail(noAllowedFolderError(grants.use));
    const roots = yield* resolveFolders(grants.folders);
    const rootFolder = roots.find((root) => parse(root).root === root);
    if (rootFolder !== undefined) return yield* Effect.fail(rootFolderError(grants.use));
    if (roots.length === 0) {
      const shown = grants.folders.map(quotePath).join(", ");
      const why = `None of the folders that may be ${useText(grants.use)} is there: ${shown}. An operator names them in config.skills.files.${grants.use}.`;
      return yield* Effect.fail(refusedCallError(why));
    }
    const realBase = (yield* resolveFolder(resolve(grants.base))) ?? roots[0]!;
    return { ...grants, roots, realBase };
  });

/** Where granted folders are; one that is not there grants nothing. */
export const resolveFolders = (folders: readonly string[]): Effect.Effect<readonly string[]> =>
  Effect.map(Effect.all(folders.map((folder) => resolveFolder(resolve(folder)))), (found) =>
    found.filter((real) => real !== undefined),
  );

const resolveFolder = (folder: string): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(
    tryFileSystem(() => realpath(folder)),
    () => undefined,
  );

const noAllowedFolderError = (use: AllowedFolders["use"]): ToolExecutionError =>
  refusedCallError(
    `No folder is granted for ${use === "read" ? "reading" : "writing"}. An operator can grant one: config: { skills: { files: { ${use}: ["./notes"] } } }.`,
  );

/** A program that is started anywhere stands in the root, where "." would mean everything. */
const rootFolderError = (use: AllowedFolders["use"]): ToolExecutionError =>
  refusedCallError(
    `A whole file system is never granted, and config.skills.files.${use} comes to one here. An operator names folders in it, or starts haft in one.`,
  );

const useText = (use: AllowedFolders["use"]): string => (use === "read" ? "read in" : "written in");

/** Whether the path has a name in it that begins with a dot, seen from every folder in which it is. */
const isHidden = (path: string, roots: readonly string[]): boolean =>
  roots.every((root) => below(root, path)?.some((segment) => segment.startsWith(".")) !== false);

/** Why a real path may not be touched. */
export const realPathProblem = (
  path: string,
  real: string,
  folders: ResolvedFolders,
): ToolExecutionError | undefined => {
  if (!isInside(real, folders.roots)) return outsideFoldersError(path, folders);
  const own = haftFileProblem(path, real, folders.use);
  if (own !== undefined) return own;
  if (folders.hidden || !isHidden(real, folders.roots)) return undefined;
  return refusedCallError(
    `${quotePath(path)} is hidden: its name, or that of a folder around it, begins with a dot. An operator can open hidden files: config: { skills: { files: { hidden: true } } }.`,
  );
};

export const outsideFoldersError = (path: string, grants: ResolvedFolders): ToolExecutionError => {
  const { use, roots } = grants;
  const among = roots.map((root) => quotePath(displayNameOf(root, grants))).join(", ");
  return refusedCallError(
    `${quotePath(path)} is outside of the folders that may be ${useText(use)}, which are ${among}. Use a path inside of them; an operator can add a folder to config.skills.files.${use}.`,
  );
};

/** The path as it is written, from the base on. It may still lead anywhere through links. */
export const resolveAgainstBase = (path: string, { realBase }: ResolvedFolders): string =>
  isAbsolute(path) ? resolve(path) : resolve(join(realBase, path));

/** Of a path that is not even written inside nobody says whether it is there. */
export const isLexicallyInside = (wanted: string, { roots, folders }: ResolvedFolders): boolean =>
  isInside(wanted, [...roots, ...folders.map((folder) => resolve(folder))]);

/** How a model names the file in its next call. */
export const displayNameOf = (real: string, { realBase }: ResolvedFolders): string => {
  const inner = below(realBase, real);
  if (inner === undefined) return real;
  return inner.length === 0 ? "." : relative(realBase, real).split(sep).join("/");
};
