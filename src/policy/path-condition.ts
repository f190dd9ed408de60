import { isObject } from "../base/json/is-object.ts";
import { isInside, realPathBySteps, realPathFrom } from "../base/platform/real-path.ts";

/** Where a path argument leads. `within` and `outside` must both hold. */
export interface PathCondition {
  /** A path or a list of paths. Unless set: `path`. */
  readonly argument?: string;
  /**
   * Holds if the path is in one of these folders; not for a missing argument. Of a list, a rule that allows needs
   * all paths there, and a rule that restricts needs one.
   */
  readonly within?: string | readonly string[];
  /** Holds if the path is in none of these folders, or the argument is missing. Lists count as in `within`. */
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
  { isAllowing }: { readonly isAllowing: boolean },
): ((input: unknown) => boolean) => {
  const argument = pathArgumentOf(condition);
  const { within, outside } = condition;
  return (input) => {
    const paths = pathsIn(input, argument).map((path) => unambiguousPathFrom(base, path));
    const holdFor = (test: (path: string) => boolean): boolean =>
      isAllowing ? paths.every(test) : paths.some(test);
    return (
      (within === undefined || (paths.length > 0 && holdFor(insideTest(within, base)))) &&
      (outside === undefined || paths.length === 0 || holdFor((path) => !insideTest(outside, base)(path)))
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

/** Folders may be created or replaced by links at any time. */
const insideTest = (folders: string | readonly string[], base: string): ((path: string) => boolean) => {
  const roots = foldersOf(folders).map((folder) => realPathFrom(base, folder));
  return (path) => isInside(path, roots);
};

const pathsIn = (input: unknown, argument: string): readonly string[] => {
  const value = isObject(input) && Object.hasOwn(input, argument) ? input[argument] : undefined;
  if (value === undefined || value === null) return [];
  const paths: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (paths.every((path) => typeof path === "string")) return paths;
  throw new Error(`the argument ${JSON.stringify(argument)} is not a path or a list of paths`);
};
