import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { refusePath } from "./refuse-path.ts";

const segmentsOf = (path: string): readonly string[] => path.split(sep).filter((segment) => segment !== "");

/** Undefined if the path is outside. */
export const below = (root: string, path: string): readonly string[] | undefined => {
  const [outer, inner] = [segmentsOf(root), segmentsOf(path)];
  return outer.every((segment, at) => inner[at] === segment) ? inner.slice(outer.length) : undefined;
};

export const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => below(root, path) !== undefined);

/** Resolves links and letter case. For a missing file it resolves the parent. Throws for broken links. */
export const realPathFrom = (folder: string, path: string): string => {
  const reason = refusePath(path);
  if (reason !== undefined) throw new Error(`${JSON.stringify(path.slice(0, 100))} ${reason}`);
  return realPath(isAbsolute(path) ? resolve(path) : resolve(join(realPath(resolve(folder)), path)));
};

/** Resolves links before `..`, as the operating system does. */
export const realPathBySteps = (folder: string, path: string): string => {
  const start = isAbsolute(path) ? parse(resolve(path)).root : resolve(folder);
  return path
    .split(sep === "\\" ? /[\\/]/ : "/")
    .filter((segment) => segment !== "" && segment !== ".")
    .reduce((at, segment) => (segment === ".." ? dirname(at) : realPath(join(at, segment))), realPath(start));
};

const realPath = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw error;
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
};
