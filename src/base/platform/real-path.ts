import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { refusePath } from "./refuse-path.ts";

const segmentsOf = (path: string): readonly string[] => path.split(sep).filter((segment) => segment !== "");

/** The parts of a path below a folder; nothing where it is not inside. A sibling with the same beginning is not inside. */
export const below = (root: string, path: string): readonly string[] | undefined => {
  const [outer, inner] = [segmentsOf(root), segmentsOf(path)];
  return outer.every((segment, at) => inner[at] === segment) ? inner.slice(outer.length) : undefined;
};

/** Whether a real path is one of the real folders, or inside of one. */
export const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => below(root, path) !== undefined);

/**
 * Where a path leads from a folder: `..` and links are followed, and letters have the case of the disk. Of a file that
 * does not exist yet it is where it would be. Throws for a text that is not a path, and for links that lead nowhere.
 */
export const realPathFrom = (folder: string, path: string): string => {
  const reason = refusePath(path);
  if (reason !== undefined) throw new Error(`${JSON.stringify(path.slice(0, 100))} ${reason}`);
  return realPath(isAbsolute(path) ? resolve(path) : resolve(join(realPath(resolve(folder)), path)));
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
