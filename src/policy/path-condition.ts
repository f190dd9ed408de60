import { isObject } from "../base/json/is-object.ts";
import { isInside, realPathBySteps, realPathFrom } from "../base/platform/real-path.ts";

/** Where a path argument leads. `within` and `outside` must both hold. */
export interface PathCondition {
  /** A path or a list of paths. Unless set: `path`. */
  readonly argument?: string;
  /** Holds if every path is in one of these folders; not for a missing argument. */
  readonly within?: string | readonly string[];
  /** Holds if a path is in none of these folders, or the argument is missing. */
  readonly outside?: string | readonly string[];
}

export const pathArgumentOf = ({ argument = "path" }: PathCondition): string => argument;

export const foldersOf = (folders: string | readonly string[]): readonly string[] => [folders].flat();

/**
 * Resolves paths as the file tools do. Throws if that fails, and for a path that a tool may resolve in another
 * way.
 */
export const compilePathCondition = (
  condition: PathCondition,
  base: string,
): ((input: unknown) => boolean) => {
  const argument = pathArgumentOf(condition);
  const { within, outside } = condition;
  return (input) => {
    const paths = pathsIn(input, argument).map((path) => unambiguousPathFrom(base, path));
    return (
      (within === undefined || areWithin(paths, foldersOf(within), base)) &&
      (outside === undefined || !areWithin(paths, foldersOf(outside), base))
    );
  };
};

/** File tools drop `link/..` from a path; the operating system goes to the parent of what the link leads to. */
const unambiguousPathFrom = (base: string, path: string): string => {
  const real = realPathFrom(base, path);
  if (path.split(/[\\/]/).includes("..") && real !== realPathBySteps(base, path))
    throw new Error(`the path ${JSON.stringify(path)} leaves a link through ".."`);
  return real;
};

const areWithin = (paths: readonly string[], folders: readonly string[], base: string): boolean => {
  // Folders may be created or replaced by links at any time.
  const roots = folders.map((folder) => realPathFrom(base, folder));
  return paths.length > 0 && paths.every((path) => isInside(path, roots));
};

const pathsIn = (input: unknown, argument: string): readonly string[] => {
  const value = isObject(input) && Object.hasOwn(input, argument) ? input[argument] : undefined;
  if (value === undefined || value === null) return [];
  const paths: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (paths.every((path) => typeof path === "string")) return paths;
  throw new Error(`the argument ${JSON.stringify(argument)} is not a path or a list of paths`);
};
