import { realpath } from "node:fs/promises";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { io, shownPath } from "./io.ts";

/** The folders that a call may touch. */
export interface Grants {
  readonly use: "read" | "write";
  /** As the operator wrote them. */
  readonly folders: readonly string[];
  /** Where relative paths begin: the same folder for every file tool, so that a path means one file. */
  readonly base: string;
  readonly hidden: boolean;
  /** Only Linux says where an open file is. */
  readonly os: NodeJS.Platform;
}

export const grantsOf = (
  { files }: Pick<SkillSettings, "files">,
  use: Grants["use"],
  os: NodeJS.Platform = process.platform,
): Grants => ({
  use,
  os,
  folders: files[use],
  base: files.read[0] ?? files.write[0] ?? ".",
  hidden: files.hidden,
});

/** The granted folders as they are on disk at this moment. */
export interface RealGrants extends Grants {
  readonly roots: readonly string[];
  readonly realBase: string;
}

export const settleGrants = (grants: Grants): Effect.Effect<RealGrants, ToolExecutionError> =>
  Effect.gen(function* () {
    if (grants.folders.length === 0) return yield* Effect.fail(ungranted(grants.use));
    const roots = yield* realFolders(grants.folders);
    const whole = roots.find((root) => parse(root).root === root);
    if (whole !== undefined) return yield* Effect.fail(everything(grants.use));
    if (roots.length === 0) {
      const shown = grants.folders.map(shownPath).join(", ");
      const why = `None of the folders that may be ${written(grants.use)} is there: ${shown}. An operator names them in config.skills.files.${grants.use}.`;
      return yield* Effect.fail(refuse(why));
    }
    const realBase = (yield* realOf(resolve(grants.base))) ?? roots[0]!;
    return { ...grants, roots, realBase };
  });

/** Where granted folders are; one that is not there grants nothing. */
export const realFolders = (folders: readonly string[]): Effect.Effect<readonly string[]> =>
  Effect.map(Effect.all(folders.map((folder) => realOf(resolve(folder)))), (found) =>
    found.filter((real) => real !== undefined),
  );

const realOf = (folder: string): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(
    io(() => realpath(folder)),
    () => undefined,
  );

const ungranted = (use: Grants["use"]): ToolExecutionError =>
  refuse(
    `No folder is granted for ${use === "read" ? "reading" : "writing"}. An operator can grant one: config: { skills: { files: { ${use}: ["./notes"] } } }.`,
  );

/** A program that is started anywhere stands in the root, where "." would mean everything. */
const everything = (use: Grants["use"]): ToolExecutionError =>
  refuse(
    `A whole file system is never granted, and config.skills.files.${use} comes to one here. An operator names folders in it, or starts haft in one.`,
  );

const written = (use: Grants["use"]): string => (use === "read" ? "read in" : "written in");

const segmentsOf = (path: string): readonly string[] => path.split(sep).filter((segment) => segment !== "");

/** The parts of a path below a folder, or nothing where it is not inside. A sibling with the same beginning is not. */
const below = (root: string, path: string): readonly string[] | undefined => {
  const [outer, inner] = [segmentsOf(root), segmentsOf(path)];
  return outer.every((segment, at) => inner[at] === segment) ? inner.slice(outer.length) : undefined;
};

export const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => below(root, path) !== undefined);

/** Whether the path has a name in it that begins with a dot, seen from every folder in which it is. */
const isHidden = (path: string, roots: readonly string[]): boolean =>
  roots.every((root) => below(root, path)?.some((segment) => segment.startsWith(".")) !== false);

/** Why a real path may not be touched. */
export const refuseReal = (
  path: string,
  real: string,
  grants: RealGrants,
): ToolExecutionError | undefined => {
  if (!isInside(real, grants.roots)) return outsideOf(path, grants);
  if (grants.hidden || !isHidden(real, grants.roots)) return undefined;
  return refuse(
    `${shownPath(path)} is hidden: its name, or that of a folder around it, begins with a dot. An operator can open hidden files: config: { skills: { files: { hidden: true } } }.`,
  );
};

export const outsideOf = (path: string, grants: RealGrants): ToolExecutionError => {
  const { use, roots } = grants;
  const among = roots.map((root) => shownPath(nameFor(root, grants))).join(", ");
  return refuse(
    `${shownPath(path)} is outside of the folders that may be ${written(use)}, which are ${among}. Use a path inside of them; an operator can add a folder to config.skills.files.${use}.`,
  );
};

/** The path as it is written, from the base on. It may still lead anywhere through links. */
export const wantedPath = (path: string, { realBase }: RealGrants): string =>
  isAbsolute(path) ? resolve(path) : resolve(join(realBase, path));

/** Of a path that is not even written inside nobody says whether it is there. */
export const isWrittenInside = (wanted: string, { roots, folders }: RealGrants): boolean =>
  isInside(wanted, [...roots, ...folders.map((folder) => resolve(folder))]);

/** How a model names the file in its next call. */
export const nameFor = (real: string, { realBase }: RealGrants): string => {
  const inner = below(realBase, real);
  if (inner === undefined) return real;
  return inner.length === 0 ? "." : relative(realBase, real).split(sep).join("/");
};
